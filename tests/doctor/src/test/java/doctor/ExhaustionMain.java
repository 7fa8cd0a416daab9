// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import io.heapsampler.doctor.GcDoctor;
import io.heapsampler.doctor.Tick;
import io.heapsampler.doctor.Timeline;
import io.heapsampler.support.Until;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The JVM in which memory runs out, and stays so for some seconds, with the doctor in it. Prints
 * how far the doctor's clock went on meanwhile and afterwards, and what it found.
 */
public final class ExhaustionMain {

    private static final int EXHAUSTED_SECONDS = 4;
    private static final int PATIENCE_SECONDS = 60;

    private ExhaustionMain() {}

    /**
     * Runs out of memory.
     *
     * @param arguments {@code heap} or {@code metaspace}
     */
    public static void main(String[] arguments) throws Exception {
        boolean isHeap = arguments[0].equals("heap");
        try (GcDoctor doctor = GcDoctor.start()) {
            CaseMain.rehearse(doctor);
            long exhausted = isHeap ? exhaustHeap() : exhaustMetaspace();
            long over = System.currentTimeMillis();
            System.out.println("exhausted for " + (over - exhausted) + " ms");
            Until.within(PATIENCE_SECONDS, () -> lastTick(doctor) > over + 1_000);
            print(doctor, exhausted, over);
        }
        System.exit(0);
    }

    /** Returns when it was exhausted first; afterwards there is room again. */
    private static long exhaustHeap() {
        List<byte[]> kept = new ArrayList<>();
        long begin = 0;
        long end = 0;
        for (int size = 64 << 10; begin == 0 || System.nanoTime() - end < 0; ) {
            try {
                kept.add(new byte[size]);
            } catch (OutOfMemoryError e) {
                size = Math.max(16, size / 2);
                if (begin == 0) {
                    begin = System.currentTimeMillis();
                    end = System.nanoTime() + TimeUnit.SECONDS.toNanos(EXHAUSTED_SECONDS);
                }
            }
        }
        return begin;
    }

    /** Returns when it was exhausted first; it stays so. */
    private static long exhaustMetaspace() throws Exception {
        Loaders loaders = Loaders.leaking();
        long begin = 0;
        long end = 0;
        while (begin == 0 || System.nanoTime() - end < 0) {
            try {
                loaders.run(() -> true);
            } catch (OutOfMemoryError e) {
                if (begin == 0) {
                    begin = System.currentTimeMillis();
                    end = System.nanoTime() + TimeUnit.SECONDS.toNanos(EXHAUSTED_SECONDS);
                }
                Thread.sleep(1);
            }
        }
        Sink.last = loaders;
        return begin;
    }

    private static long lastTick(GcDoctor doctor) {
        List<Tick> ticks = doctor.timeline().ticks();
        return ticks.isEmpty() ? 0 : ticks.get(ticks.size() - 1).atMillis();
    }

    private static void print(GcDoctor doctor, long exhausted, long over) {
        Timeline timeline = doctor.timeline();
        long during =
                timeline.ticks().stream()
                        .filter(t -> t.atMillis() > exhausted && t.atMillis() < over)
                        .count();
        long after = timeline.ticks().stream().filter(t -> t.atMillis() > over).count();
        System.out.println("ticks during " + during + " after " + after);
        CaseMain.print(doctor.diagnosis(), System.out);
    }
}
