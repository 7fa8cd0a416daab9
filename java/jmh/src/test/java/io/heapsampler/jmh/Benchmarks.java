// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.jmh;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Benchmarks whose allocations are known. */
@BenchmarkMode(Mode.AverageTime)
@State(Scope.Thread)
public class Benchmarks {

    /** Arrays in a single shot of {@link #keepHalf}. */
    static final int SHOT = 20_000;

    private int number = 7;

    /** What {@link #keepHalf} keeps until the next iteration. */
    @State(Scope.Thread)
    public static class Kept {

        private final List<byte[]> arrays = new ArrayList<>(SHOT);

        @Setup(Level.Iteration)
        public void forget() {
            arrays.clear();
        }
    }

    /** A pair whose fields C2 keeps in registers. */
    private record Pair(int left, int right) {}

    /** One array: a header of 16 bytes and 100 bytes, aligned to 8. */
    @Benchmark
    public byte[] array() {
        return new byte[100];
    }

    @Benchmark
    public int eliminated() {
        Pair pair = new Pair(number, number + 1);
        return pair.left() + pair.right();
    }

    /** A list of 24 bytes, and arrays of 10, 15 and 22 references. */
    @Benchmark
    public List<Integer> list() {
        List<Integer> list = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            list.add(i); // boxes of the JDK's cache
        }
        return list;
    }

    /** An object with one field. */
    @Benchmark
    public IntSupplier lambda() {
        int captured = number;
        return () -> captured;
    }

    /** Three sites: 120, 56 and 16 bytes. */
    @Benchmark
    public Object[] mixed() {
        return new Object[] {new byte[100], Integer.valueOf(number + 1_000)};
    }

    /** Keeps every second array. */
    @Benchmark
    @BenchmarkMode(Mode.SingleShotTime)
    @Warmup(batchSize = SHOT)
    @Measurement(batchSize = SHOT)
    public byte[] keepHalf(Kept kept) {
        byte[] array = new byte[100];
        if ((number++ & 1) == 0) {
            kept.arrays.add(array);
        }
        return array;
    }
}
