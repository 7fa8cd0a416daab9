// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.trial.cases;

import io.heapsampler.junit.NoAllocation;
import io.heapsampler.trial.Known;
import io.heapsampler.trial.Truth;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Objects that never leave their method: the optimising compiler does away with them. */
@NoAllocation(warmup = 200_000)
@Known(Truth.FREE_ONCE_COMPILED)
class CompiledCalls {

    private record Complex(int re, int im) {
        Complex times(Complex other) {
            return new Complex(re * other.re - im * other.im, re * other.im + im * other.re);
        }
    }

    private static final List<Integer> LIST = new ArrayList<>(List.of(1, 2, 3, 4, 5));
    private static final String TEXT = "text";
    private static volatile long sink;

    @Test
    void iterator() {
        long sum = 0;
        for (int number : LIST) {
            sum += number;
        }
        sink = sum;
    }

    @Test
    void records() {
        Complex product = new Complex(1, 2).times(new Complex(3, 4));
        sink = product.re() + product.im();
    }

    @Test
    void largeBox() {
        Integer large = Integer.valueOf(500_000 + (int) (sink & 3));
        sink = large + 1;
    }

    @Test
    void variableArguments() {
        sink = product(2, 3, 7);
    }

    private static int product(int... factors) {
        return factors[0] * factors[1] * factors[2];
    }

    @Test
    void optional() {
        sink = Optional.of(TEXT).map(String::length).orElse(0);
    }
}
