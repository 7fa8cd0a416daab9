// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.examples.shop;

import io.heapsampler.junit.AllocationTest;
import io.heapsampler.junit.MaxAllocation;
import io.heapsampler.junit.NoLeaks;
import org.junit.jupiter.api.BeforeEach;

/** Tests with set-up, each of which is run several times for one verdict. */
class OpenShopTest {

    // readme: template
    private Shop shop;

    @BeforeEach
    void open() {
        shop = new Shop();
        shop.pay(shop.enter()); // from now on its list has room
    }

    @AllocationTest(warmup = 3, minOf = 5)
    @MaxAllocation("2032 B")
    void aVisitMakesOneBasket() {
        shop.pay(shop.enter());
    }

    @AllocationTest
    @NoLeaks
    void aShopLeavesNothingBehind() {
        shop.pay(shop.enter());
    }
    // end
}
