// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.RecordingOptions;
import io.heapsampler.SamplerOptions;
import io.heapsampler.support.Until;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The whole life again and again; the amount is the number of lives. After each tenth there must be
 * nothing left, not even one global reference (a compiler thread of the JVM has one, so their
 * number has to be fixed).
 */
final class StartStop implements Scenario {

    private static final int BETWEEN_CHECKS = 10;
    private static final long BYTES_OF_THREADS = 3 * 5 * 1_024;
    private static final int PATIENCE_SECONDS = 60;

    @Override
    public boolean isSampled() {
        return false;
    }

    @Override
    public String run(long amount) throws Exception {
        SplittableRandom random = new SplittableRandom(1);
        live(random);
        Residue first = Residue.now();
        long globals = Residue.references()[0];
        long bytes = HeapSampler.status().memoryUsed();
        for (long i = 1; i <= amount; i++) {
            live(random);
            if (i % BETWEEN_CHECKS == 0) {
                List<String> left = first.leftOver();
                boolean isSame =
                        Until.within(
                                PATIENCE_SECONDS, // the JVM has one itself while a thread ends
                                () -> Residue.references()[0] <= globals);
                // Threads of the JVM may have come to have their first sample.
                boolean isSmall =
                        Until.within(
                                PATIENCE_SECONDS,
                                () ->
                                        HeapSampler.status().memoryUsed() - bytes
                                                <= BYTES_OF_THREADS);
                long grown = HeapSampler.status().memoryUsed() - bytes;
                if (!left.isEmpty() || !isSame || !isSmall) {
                    throw new IllegalStateException(
                            "left after %d lives: %s, %d bytes, %d global references, before %d"
                                    .formatted(i, left, grown, Residue.references()[0], globals));
                }
            }
        }
        return "globals=" + globals + " bytes=" + bytes;
    }

    private static void live(SplittableRandom random) {
        HeapSampler.start(SamplerOptions.builder().interval(random.nextInt(5_000)).build());
        RecordingOptions all = RecordingOptions.builder().interval(0).build();
        try (HeapRecording recording = HeapSampler.record(all)) {
            Junk.make(random, 500);
            Control.check(recording.snapshot());
        }
        Control.check(HeapSampler.snapshot());
        HeapSampler.stop();
        HeapSampler.reset();
    }
}
