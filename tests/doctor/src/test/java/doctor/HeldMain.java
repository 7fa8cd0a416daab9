// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import io.heapsampler.doctor.Diagnosis;
import io.heapsampler.doctor.Evidence;
import io.heapsampler.doctor.Finding;
import io.heapsampler.doctor.GcDoctor;
import io.heapsampler.doctor.Severity;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A leak, until the doctor's listener hears which references hold it. It fills three quarters of
 * the heap in about a minute; from the warning on it takes half as much, so that the doctor still
 * sees it, and room for the answer is left for half a minute.
 */
public final class HeldMain {

    private static final int MOST_SECONDS = 150;
    private static final List<byte[]> LEAKED = new ArrayList<>();
    private static final CountDownLatch FOUND = new CountDownLatch(1);
    private static final int SLOWER = 2;
    private static final double MOST = 0.93; // Of the heap: then the leak rests in a full heap.

    /** How often the leak has opened as a warning. */
    private static final AtomicInteger OPENED = new AtomicInteger();

    private HeldMain() {}

    /** Prints the evidence, and how often the finding opened by then. */
    public static void main(String[] arguments) throws Exception {
        try (GcDoctor doctor = GcDoctor.start()) {
            doctor.addListener(HeldMain::hear);
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(MOST_SECONDS);
            for (int i = 0;
                    System.nanoTime() - end < 0 && !FOUND.await(1, TimeUnit.MILLISECONDS);
                    i++) {
                work(i);
            }
            Diagnosis last = doctor.diagnosis();
            last.finding("leak.growth").stream()
                    .flatMap(finding -> finding.evidence().stream())
                    .filter(evidence -> evidence.name().startsWith("held."))
                    .map(Evidence::text)
                    .forEach(text -> System.out.println("held: " + text));
            System.out.println("opened: " + OPENED.get());
            last.notes().forEach(note -> System.out.println("note: " + note));
        }
        System.exit(FOUND.getCount() == 0 ? 0 : 1);
    }

    private static void hear(Finding finding) {
        boolean isLeak = finding.id().equals("leak.growth");
        OPENED.addAndGet(isLeak && finding.severity() != Severity.INFO ? 1 : 0);
        if (finding.evidence().stream().anyMatch(each -> each.name().equals("held.by"))) {
            FOUND.countDown();
        }
    }

    private static void work(int i) {
        boolean hasRoom = LEAKED.size() * 4096.0 < MOST * Runtime.getRuntime().maxMemory();
        if (hasRoom && i % (OPENED.get() > 0 ? SLOWER : 1) == 0) {
            LEAKED.add(new byte[4096]);
        }
        for (int k = 0; k < 60; k++) {
            Sink.last = new byte[4096];
        }
    }
}
