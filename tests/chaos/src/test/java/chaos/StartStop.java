// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.RecordingOptions;
import io.heapsampler.SamplerOptions;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The whole life again and again; the amount is the number of lives. After each tenth there must be
 * nothing left, not even one global reference.
 */
final class StartStop implements Scenario {

    private static final int BETWEEN_CHECKS = 10;

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
        for (long i = 1; i <= amount; i++) {
            live(random);
            if (i % BETWEEN_CHECKS == 0) {
                List<String> left = first.leftOver();
                long more = Residue.references()[0] - globals;
                if (!left.isEmpty() || more > 0) {
                    throw new IllegalStateException(
                            "left after " + i + " lives: " + left + ", globals " + more);
                }
            }
        }
        return "globals=" + globals;
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
