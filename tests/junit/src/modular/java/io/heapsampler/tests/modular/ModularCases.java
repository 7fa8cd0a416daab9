// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.modular;

import io.heapsampler.assertions.AllocationProbe;
import io.heapsampler.junit.MaxAllocation;
import io.heapsampler.junit.MaxRetained;
import io.heapsampler.junit.NoAllocation;
import io.heapsampler.junit.NoLeaks;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that are not public, of which some fail. */
class ModularCases {

    private static final List<Object> LEAK = new ArrayList<>();

    private Object last;

    @Test
    @NoAllocation
    void nothing() {}

    @Test
    @NoAllocation
    void one() {
        last = new Object();
    }

    @Test
    @MaxAllocation("10 KB")
    void probe(AllocationProbe probe) {
        probe.reset();
        last = new byte[1000];
        if (probe.bytes() != 1016) {
            throw new AssertionError(probe.bytes());
        }
    }

    @Test
    @MaxRetained("1 KB")
    void keeps() {
        LEAK.add(new byte[5_000]);
    }

    @Test
    @NoLeaks(iterations = 5)
    void leaks() {
        LEAK.add(new byte[2_000]);
    }

    /** Seen by the launcher alone. */
    static class Misplaced {

        @BeforeEach
        @NoAllocation
        void measured() {}

        @Test
        void test() {}
    }
}
