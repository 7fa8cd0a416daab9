// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.RecordingOptions;
import io.heapsampler.SamplerOptions;
import io.heapsampler.SnapshotOptions;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/** Every call of the facade from many threads at once; the amount is the seconds. */
final class Control implements Scenario {

    private static final int CALLERS = 10;
    private static final int INTERVALS = 100_000;

    private final AtomicLong calls = new AtomicLong();
    private final AtomicLong refusals = new AtomicLong();

    @Override
    public boolean isSampled() {
        return false;
    }

    @Override
    public String run(long amount) throws Exception {
        try (Crew crew = new Crew()) {
            for (int i = 0; i < CALLERS; i++) {
                SplittableRandom random = new SplittableRandom(i);
                crew.repeat("caller " + i, () -> call(random));
            }
            for (int i = 0; i < 2; i++) {
                SplittableRandom random = new SplittableRandom(100 + i);
                crew.repeat("allocator " + i, () -> Junk.make(random, 500));
            }
            crew.workFor(amount);
        }
        return "calls=" + calls + " refusals=" + refusals;
    }

    private void call(SplittableRandom random) {
        calls.incrementAndGet();
        try {
            any(random);
        } catch (IllegalStateException e) {
            if (!isExpected(e)) {
                throw e;
            }
            refusals.incrementAndGet();
        }
    }

    /** Other options while it runs, other limits while samples are kept: misuse, clearly told. */
    private static boolean isExpected(IllegalStateException e) {
        String text = String.valueOf(e.getMessage());
        return text.startsWith("The sampler is running with other options")
                || text.startsWith("The limits cannot change")
                || text.contains("closed");
    }

    private static void any(SplittableRandom random) {
        Junk.make(random, 20);
        switch (random.nextInt(10)) {
            case 0, 1 -> HeapSampler.start();
            case 2 -> HeapSampler.start(options(random));
            case 3 -> HeapSampler.stop();
            case 4 -> HeapSampler.setInterval(random.nextInt(INTERVALS));
            case 5 -> check(HeapSampler.snapshot());
            case 6 -> forced(random);
            case 7 -> HeapSampler.reset();
            case 8 -> record(random);
            default -> Junk.keep(0, HeapSampler.status().toString());
        }
    }

    private static SamplerOptions options(SplittableRandom random) {
        return SamplerOptions.builder()
                .interval(random.nextInt(INTERVALS))
                .maxOverhead(random.nextBoolean() ? 1 : 0.0001)
                .maxDepth(1 << random.nextInt(8))
                .maxTracked(1_024)
                .build();
    }

    /** A forced collection stops all threads: not too many of them. */
    private static void forced(SplittableRandom random) {
        if (random.nextInt(8) == 0) {
            check(HeapSampler.snapshot(SnapshotOptions.afterGc()));
        }
    }

    private static void record(SplittableRandom random) {
        RecordingOptions.Builder options =
                RecordingOptions.builder().interval(random.nextInt(INTERVALS));
        switch (random.nextInt(4)) {
            case 0 -> options.thread(Thread.currentThread());
            case 1 -> options.className("byte[]");
            case 2 -> options.duration(Duration.ofMillis(1 + random.nextInt(20)));
            default -> options.packageName("java.lang");
        }
        try (HeapRecording recording = HeapSampler.record(options.build())) {
            Junk.make(random, 200);
            recording.setInterval(random.nextInt(INTERVALS));
            check(recording.snapshot());
            if (random.nextBoolean()) {
                recording.stop();
            }
            check(recording.snapshot());
        }
    }

    static void check(HeapSnapshot snapshot) {
        double bytes =
                snapshot.sites().stream().mapToDouble(s -> s.allocated().bytes().value()).sum();
        if (!(bytes >= 0)) {
            throw new IllegalArgumentException("a sum of " + bytes + " bytes");
        }
        Junk.keep(1, snapshot.topByLive(3));
    }
}
