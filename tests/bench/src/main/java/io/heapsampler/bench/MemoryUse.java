// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import io.heapsampler.HeapSampler;
import io.heapsampler.SamplerOptions;
import io.heapsampler.SamplerStatus;
import java.sql.SQLException;

/**
 * How much native memory HeapSampler takes. Arguments: {@code tracked} and a capacity, which is
 * filled with live objects of one site; or {@code bank} and the seconds to run it with default
 * options.
 */
final class MemoryUse {

    private MemoryUse() {}

    public static void main(String[] arguments) throws SQLException {
        int number = Integer.parseInt(arguments[1]);
        if (arguments[0].equals("tracked")) {
            fill(number);
        } else {
            runBank(number);
        }
    }

    private static void fill(int capacity) {
        Object[] kept = new Object[capacity];
        HeapSampler.start(SamplerOptions.builder().interval(0).maxTracked(capacity).build());
        for (int i = 0; i < capacity * 9 / 10; i++) {
            kept[i] = new byte[16];
        }
        SamplerStatus status = HeapSampler.status();
        HeapSampler.stop();
        Fork.answer("tracked", status.tracked());
        Fork.answer("memory", status.memoryUsed());
        Fork.answer("kept", kept.length);
    }

    private static void runBank(int seconds) throws SQLException {
        HeapSampler.start();
        long end = System.nanoTime() + seconds * 1_000_000_000L;
        try (Bank bank = new Bank()) {
            while (System.nanoTime() < end) {
                bank.work();
            }
            HeapSampler.snapshot();
            SamplerStatus status = HeapSampler.status();
            Fork.answer("samples", status.samples());
            Fork.answer("tracked", status.tracked());
            Fork.answer("memory", status.memoryUsed());
            Fork.answer("peak", status.memoryPeak());
        }
        HeapSampler.stop();
    }
}
