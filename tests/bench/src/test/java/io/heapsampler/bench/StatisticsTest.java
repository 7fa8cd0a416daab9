// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.heapsampler.bench.Statistics.Mean;
import org.junit.jupiter.api.Test;

class StatisticsTest {

    // Residuals 0.4, -0.2, -0.8, 0.6: sum of squares 1.2 with 2 degrees of freedom, spread 5, t
    // 4.303.
    @Test
    void slopeHasTheErrorOfItsResiduals() {
        Mean slope = Statistics.slope(1, 2, 3, 6);
        assertThat(slope.value()).isEqualTo(1.6);
        assertThat(slope.halfWidth()).isCloseTo(4.303 * Math.sqrt(1.2 / 2 / 5), within(1e-3));
    }

    @Test
    void slopeOfEqualValuesIsZero() {
        Mean slope = Statistics.slope(7, 7, 7, 7, 7);
        assertThat(slope.low()).isZero();
        assertThat(slope.high()).isZero();
    }

    @Test
    void slopeOfTwoValuesIsNotKnown() {
        assertThat(Statistics.slope(1, 3).value()).isEqualTo(2);
        assertThat(Statistics.slope(1, 3).halfWidth()).isInfinite();
    }
}
