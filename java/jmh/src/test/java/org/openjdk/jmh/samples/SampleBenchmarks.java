// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package org.openjdk.jmh.samples;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;

/** A benchmark in the package of JMH's own samples. */
@BenchmarkMode(Mode.AverageTime)
public class SampleBenchmarks {

    @Benchmark
    public byte[] array() {
        return new byte[100];
    }
}
