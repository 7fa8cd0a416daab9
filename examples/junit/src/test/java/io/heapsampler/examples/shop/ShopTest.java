// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.examples.shop;

import static io.heapsampler.assertions.AllocationAssertions.assertAllocations;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.assertions.AllocationProbe;
import io.heapsampler.junit.MaxAllocation;
import io.heapsampler.junit.NoAllocation;
import io.heapsampler.junit.NoLeaks;
import org.junit.jupiter.api.Test;

/** What is as it should be. */
class ShopTest {

    // readme: junit
    private final Receipt receipt = new Receipt();
    private final Shop shop = new Shop();

    @Test
    @NoAllocation
    void aLineMakesNoGarbage() {
        receipt.line("tea", 450);
    }

    @Test
    @MaxAllocation("4 KB")
    void aFormattedLineMakesLittle() {
        receipt.formatted("tea", 450);
    }

    @Test
    @NoLeaks
    void payingCustomersAreForgotten() {
        shop.pay(shop.enter());
    }

    // end

    @Test
    void withoutAnAnnotation() {
        // readme: assertions
        assertAllocations(() -> receipt.formatted("tea", 450)).allocatesAtMost("4 KB");
        assertAllocations(() -> receipt.line("tea", 450)).allocatesNothing();
        assertAllocations(() -> shop.pay(shop.enter())).leavesBehindAtMost("1 KB").doesNotLeak();
        assertAllocations(() -> shop.pay(shop.enter()))
                .ofType(byte[].class)
                .at("io.heapsampler.examples.shop.Shop.enter")
                .allocatesAtMost("2 KB");
        // end
    }

    // readme: probe
    @Test
    @MaxAllocation("64 KB")
    void formattingCostsMoreThanALine(AllocationProbe probe) {
        probe.reset();
        receipt.line("tea", 450);
        long line = probe.bytes();
        receipt.formatted("tea", 450);
        assertThat(probe.bytes()).isGreaterThan(line);
    }
    // end
}
