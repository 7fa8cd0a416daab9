// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import io.heapsampler.HeapSampler;
import io.heapsampler.SamplerOptions;

/** HeapSampler itself. */
final class HeapSamplerTool implements Tool {

    private static final int MOST_MILLIS = 500;

    @Override
    public void start(int interval) {
        HeapSampler.start(SamplerOptions.builder().interval(interval).maxOverhead(1).build());
    }

    @Override
    public void stop() {
        HeapSampler.stop();
    }

    @Override
    public long samples() {
        return HeapSampler.status().samples();
    }

    @Override
    public void settle() throws InterruptedException {
        long sweeps = HeapSampler.status().sweeps();
        System.gc();
        for (int i = 0; i < MOST_MILLIS && HeapSampler.status().sweeps() == sweeps; i++) {
            Thread.sleep(1);
        }
    }

    @Override
    public long found() {
        return HeapSampler.snapshot().totals().allocated().bytes().samples();
    }

    @Override
    public double asked() {
        return HeapSampler.status().stackLookups().asked();
    }
}
