// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import io.heapsampler.assertions.ThreadScope;
import io.heapsampler.junit.MaxAllocation;
import io.heapsampler.junit.NoAllocation;
import io.heapsampler.junit.NoLeaks;
import org.junit.jupiter.api.Test;

/** The same 25 tests without and with an annotation, for {@link Price}. */
abstract class PriceCases {

    private static int runs;

    private static void body() {
        runs++;
    }

    @Test
    void t01() {
        body();
    }

    @Test
    void t02() {
        body();
    }

    @Test
    void t03() {
        body();
    }

    @Test
    void t04() {
        body();
    }

    @Test
    void t05() {
        body();
    }

    @Test
    void t06() {
        body();
    }

    @Test
    void t07() {
        body();
    }

    @Test
    void t08() {
        body();
    }

    @Test
    void t09() {
        body();
    }

    @Test
    void t10() {
        body();
    }

    @Test
    void t11() {
        body();
    }

    @Test
    void t12() {
        body();
    }

    @Test
    void t13() {
        body();
    }

    @Test
    void t14() {
        body();
    }

    @Test
    void t15() {
        body();
    }

    @Test
    void t16() {
        body();
    }

    @Test
    void t17() {
        body();
    }

    @Test
    void t18() {
        body();
    }

    @Test
    void t19() {
        body();
    }

    @Test
    void t20() {
        body();
    }

    @Test
    void t21() {
        body();
    }

    @Test
    void t22() {
        body();
    }

    @Test
    void t23() {
        body();
    }

    @Test
    void t24() {
        body();
    }

    @Test
    void t25() {
        body();
    }

    /** Without an annotation. */
    static class Plain1 extends PriceCases {}

    static class Plain2 extends PriceCases {}

    static class Plain3 extends PriceCases {}

    static class Plain4 extends PriceCases {}

    static class Plain5 extends PriceCases {}

    static class Plain6 extends PriceCases {}

    static class Plain7 extends PriceCases {}

    static class Plain8 extends PriceCases {}

    /** With a limit that is kept. */
    @MaxAllocation("1 KB")
    static class Kept1 extends PriceCases {}

    @MaxAllocation("1 KB")
    static class Kept2 extends PriceCases {}

    @MaxAllocation("1 KB")
    static class Kept3 extends PriceCases {}

    @MaxAllocation("1 KB")
    static class Kept4 extends PriceCases {}

    @MaxAllocation("1 KB")
    static class Kept5 extends PriceCases {}

    @MaxAllocation("1 KB")
    static class Kept6 extends PriceCases {}

    @MaxAllocation("1 KB")
    static class Kept7 extends PriceCases {}

    @MaxAllocation("1 KB")
    static class Kept8 extends PriceCases {}

    /** Without an allocation. */
    @NoAllocation
    static class Free1 extends PriceCases {}

    @NoAllocation
    static class Free2 extends PriceCases {}

    @NoAllocation
    static class Free3 extends PriceCases {}

    @NoAllocation
    static class Free4 extends PriceCases {}

    @NoAllocation
    static class Free5 extends PriceCases {}

    @NoAllocation
    static class Free6 extends PriceCases {}

    @NoAllocation
    static class Free7 extends PriceCases {}

    @NoAllocation
    static class Free8 extends PriceCases {}

    /** Without a leak. */
    @NoLeaks
    static class Clean1 extends PriceCases {}

    @NoLeaks
    static class Clean2 extends PriceCases {}

    /** The same, with the allocations of all threads. */
    @NoLeaks(threads = ThreadScope.ALL)
    static class CleanAll1 extends PriceCases {}
}
