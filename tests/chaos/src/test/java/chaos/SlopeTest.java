// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The yardstick of {@link SoakTest}. */
class SlopeTest {

    private static final int VALUES = 200;
    private static final int RUNS = 20_000;

    private static double[] line(double slope, double noise, SplittableRandom random) {
        double[] values = new double[VALUES];
        for (int i = 0; i < VALUES; i++) {
            values[i] = 1_000 + slope * i + noise * (random.nextDouble() - 0.5);
        }
        return values;
    }

    @Test
    void exactLine() {
        Slope slope = Slope.of(line(3, 0, new SplittableRandom(1)));
        assertThat(slope.perStep()).isCloseTo(3, within(1e-9));
        assertThat(slope.error()).isCloseTo(0, within(1e-9));
    }

    /** Seeded, so no false alarm here: 20 are expected of 20,000, and 45 is 5.6 sigmas off. */
    @Test
    void noiseIsTakenForASlopeOnceInAThousandTimes() {
        SplittableRandom random = new SplittableRandom(2);
        int alarms = 0;
        for (int i = 0; i < RUNS; i++) {
            alarms += Slope.of(line(0, 50, random)).atLeast() > 0 ? 1 : 0;
        }
        assertThat(alarms).isBetween(1, 45);
    }

    @Test
    void growthIsSeenThroughNoise() {
        Slope slope = Slope.of(line(0.5, 50, new SplittableRandom(3)));
        assertThat(slope.atLeast()).isPositive();
        assertThat(slope.minus(slope).perStep()).isZero();
    }

    @Test
    void tooFew() {
        assertThatThrownBy(() -> Slope.of(new double[Slope.BLOCKS - 1]))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
