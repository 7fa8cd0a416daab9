// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.examples.shop;

import io.heapsampler.junit.AllocationBaseline;
import io.heapsampler.junit.AllowedLeak;
import io.heapsampler.junit.HeapSamplerExtension;
import io.heapsampler.junit.MaxRetained;
import io.heapsampler.junit.NoLeaks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Limits for all tests of a class, what may stay alive, and a baseline. */
class ShopLimitsTest {

    // readme: builder
    @RegisterExtension
    static final HeapSamplerExtension HEAP =
            HeapSamplerExtension.builder().maxAllocation("64 KB").maxRetained("4 KB").build();

    // end

    private final Shop shop = new Shop();

    @Test
    @MaxRetained("64 B")
    void payingCustomersLeaveNothingBehind() {
        shop.pay(shop.enter());
    }

    /** Its numbers are in src/test/heapsampler. */
    @Test
    @AllocationBaseline(tolerance = "5 %")
    void aVisitIsAsItWas() {
        shop.pay(shop.enter());
    }

    @Test
    @NoLeaks
    @AllowedLeak(reason = "not fixed yet", frames = "io.heapsampler.examples.shop.Shop.enter")
    void leavingCustomersAreNotForgotten() {
        shop.leave(shop.enter());
    }
}
