// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import io.heapsampler.HeapSampler;
import io.heapsampler.SamplerOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/**
 * What allocating costs, in a JVM that does as it is told on its standard input, so that two of
 * them can take turns: {@code measure} answers the processor time of the whole process for a round,
 * collections and threads left behind included; {@code work} works for a while; {@code start} and
 * {@code stop} are those of HeapSampler; {@code load} only loads its classes and library, since
 * each class loaded, whatever it is, makes every collection look at a few weak references more.
 */
final class StoppedCost {

    private static final long SLICE_NANOS = 15_000_000;
    private static final int WORK_SLICES = 60;
    private static final int OBJECTS = 20_000;
    private static final int KEPT = 4096; // a power of two

    private final Object[] kept = new Object[KEPT];

    /** Allocates objects of some sizes, of which some live a little. */
    private void allocate() {
        for (int i = 0; i < OBJECTS; i++) {
            Object object =
                    switch (i & 3) {
                        case 0 -> new byte[16 + (i & 63)];
                        case 1 -> Integer.valueOf(i + 1000);
                        case 2 -> new long[8];
                        default -> new Object[4];
                    };
            kept[i & (KEPT - 1)] = object;
        }
    }

    private double measure() {
        int rounds = 0;
        long used = 0;
        for (long began = Native.processCpuNanos(); used < SLICE_NANOS; rounds++) {
            allocate();
            used = Native.processCpuNanos() - began;
        }
        return (double) used / rounds;
    }

    private double work() {
        double sum = 0;
        for (int i = 0; i < WORK_SLICES; i++) {
            sum += measure();
        }
        return sum / WORK_SLICES;
    }

    private double obey(String word) {
        switch (word) {
            case "load" -> {
                HeapSampler.unavailability();
                HeapSampler.snapshot();
                HeapSampler.status();
            }
            case "start" ->
                    HeapSampler.start(
                            SamplerOptions.builder().interval(16 * 1024).maxOverhead(1).build());
            case "stop" -> HeapSampler.stop();
            case "work" -> {
                return work();
            }
            default -> {
                return measure();
            }
        }
        return 0;
    }

    public static void main(String[] arguments) throws IOException {
        StoppedCost cost = new StoppedCost();
        BufferedReader words =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String word = words.readLine(); word != null; word = words.readLine()) {
            Fork.answer(word, cost.obey(word));
        }
    }
}
