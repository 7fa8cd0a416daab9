// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.trial.cases;

import io.heapsampler.junit.MaxAllocation;
import io.heapsampler.junit.NoAllocation;
import io.heapsampler.trial.Known;
import io.heapsampler.trial.Truth;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Queue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The set-up of one run is used up by it: a second run on the same instance is no evidence.
 */
@Known(Truth.BROKEN)
class SetUpBudgets {

    private Iterator<byte[]> arrays;
    private final Queue<Integer> lengths = new ArrayDeque<>();
    private final Map<Integer, String> memo = new HashMap<>();
    private byte[] last;

    @BeforeEach
    void setUp() {
        arrays = IntStream.range(0, 50).mapToObj(byte[]::new).iterator();
        IntStream.range(100, 110).forEach(lengths::add);
        memo.clear();
    }

    @Test
    @NoAllocation
    void drainedIterator() {
        while (arrays.hasNext()) {
            last = arrays.next();
        }
    }

    @Test
    @NoAllocation
    void drainedQueue() {
        for (Integer length = lengths.poll(); length != null; length = lengths.poll()) {
            last = new byte[length];
        }
    }

    @Test
    @MaxAllocation("16 B")
    void filledMemo() {
        memo.computeIfAbsent(1_000, number -> "number " + number);
    }
}
