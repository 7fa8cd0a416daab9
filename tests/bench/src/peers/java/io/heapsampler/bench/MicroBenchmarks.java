// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplerOptions;
import io.heapsampler.SamplerStatus;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** What single calls cost; run by {@link MicroFigures}. Public, since JMH subclasses it. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class MicroBenchmarks {

    /** The sampler as it is while something is measured. */
    @State(Scope.Benchmark)
    public static class Sampler {

        @Param({"never", "stopped", "512k", "64k"})
        String state = "never";

        @Setup
        public void start() {
            if (!state.equals("never")) {
                int interval = state.equals("64k") ? 64 * 1024 : 512 * 1024;
                HeapSampler.start(SamplerOptions.builder().interval(interval).maxOverhead(1).build());
            }
            if (state.equals("stopped")) {
                HeapSampler.stop();
            }
        }

        @TearDown
        public void stop() {
            HeapSampler.stop();
        }
    }

    /** A running sampler with some data. */
    @State(Scope.Benchmark)
    public static class Running {

        private static final int KEPT = 10_000;

        private final Object[] kept = new Object[KEPT];

        @Setup
        public void start() {
            HeapSampler.start(SamplerOptions.builder().interval(0).build());
            for (int i = 0; i < KEPT; i++) {
                kept[i] = new byte[16];
            }
            HeapSampler.setInterval(512 * 1024);
        }

        @TearDown
        public void stop() {
            HeapSampler.stop();
        }
    }

    @Benchmark
    public byte[] allocateSmall(Sampler sampler) {
        return new byte[32];
    }

    @Benchmark
    public byte[] allocateLarge(Sampler sampler) {
        return new byte[4096];
    }

    @Benchmark
    public SamplerStatus status(Running running) {
        return HeapSampler.status();
    }

    @Benchmark
    public HeapSnapshot snapshot(Running running) {
        return HeapSampler.snapshot();
    }
}
