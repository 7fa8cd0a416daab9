// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.RecordingOptions;
import io.heapsampler.SamplerOptions;

/**
 * The JVM that does nothing but start and stop the sampler, with a recording and a snapshot in
 * between, and tells after each group of restarts what malloc has given away.
 */
public final class Restarts {

    /** So large that hardly anything is sampled: what names cost is not looked for. */
    private static final int INTERVAL = 1 << 30;

    private Restarts() {}

    /**
     * Runs.
     *
     * @param arguments the library of {@link NativeAgent}, the number of groups, restarts in each
     */
    public static void main(String[] arguments) {
        NativeAgent.load(arguments[0]);
        int groups = Integer.parseInt(arguments[1]);
        int restarts = Integer.parseInt(arguments[2]);
        if (NativeAgent.mallocBytes() < 0) {
            throw new IllegalStateException(
                    "only glibc from 2.33 on reports the bytes that malloc has given");
        }
        long begin = System.nanoTime();
        for (int group = 0; group < groups; group++) {
            for (int i = 0; i < restarts; i++) {
                restart();
            }
            System.out.printf(
                    "group=%d ms=%d malloc=%d%n",
                    group, (System.nanoTime() - begin) / 1_000_000, NativeAgent.mallocBytes());
        }
        System.exit(0);
    }

    private static void restart() {
        HeapSampler.start(SamplerOptions.builder().interval(INTERVAL).build());
        RecordingOptions some = RecordingOptions.builder().interval(INTERVAL).build();
        try (HeapRecording recording = HeapSampler.record(some)) {
            Junk.keep(1, recording.snapshot());
        }
        HeapSampler.stop();
        HeapSampler.reset();
    }
}
