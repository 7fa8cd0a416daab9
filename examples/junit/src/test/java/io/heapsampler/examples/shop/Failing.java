// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.examples.shop;

import io.heapsampler.junit.MaxAllocation;
import io.heapsampler.junit.NoLeaks;
import org.junit.jupiter.api.Test;

/** Tests that fail on purpose; run by {@link ExpectedFailuresTest} only. */
final class Failing {

    private Failing() {}

    // readme: budget
    static class BudgetTest {

        private final Shop shop = new Shop();

        @Test
        @MaxAllocation("4 KB")
        void threeVisitsMakeLittle() {
            for (int i = 0; i < 3; i++) {
                shop.pay(shop.enter());
            }
        }
    }

    // end

    // readme: leak
    static class VisitTest {

        private final Shop shop = new Shop();

        @Test
        @NoLeaks
        void leavingCustomersAreForgotten() {
            shop.leave(shop.enter());
        }
    }
    // end
}
