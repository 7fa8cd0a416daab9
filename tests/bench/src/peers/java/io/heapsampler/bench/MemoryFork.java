// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import io.heapsampler.HeapSampler;
import io.heapsampler.SamplerOptions;
import io.heapsampler.SamplerStatus;

/**
 * How much native memory HeapSampler takes for an application. Arguments: the application; seconds;
 * interval.
 */
final class MemoryFork {

    private MemoryFork() {}

    public static void main(String[] arguments) throws Exception {
        int interval = Integer.parseInt(arguments[2]);
        HeapSampler.start(SamplerOptions.builder().interval(interval).maxOverhead(1).build());
        long end = System.nanoTime() + Integer.parseInt(arguments[1]) * 1_000_000_000L;
        try (Team team = new Team(1, Application.of(arguments[0])::create)) {
            while (System.nanoTime() < end) {
                team.work(1);
            }
            HeapSampler.snapshot();
            SamplerStatus status = HeapSampler.status();
            Fork.answer("samples", status.samples());
            Fork.answer("tracked", status.tracked());
            Fork.answer("used", status.memoryUsed());
            Fork.answer("peak", status.memoryPeak());
        }
        HeapSampler.stop();
    }
}
