// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What a pattern of survivors means, and how often chance looks like a leak. */
class SurvivorsTest {

    private static Survivors of(int... objects) {
        Survivors survivors = new Survivors("byte[]", List.of(), objects.length);
        for (int i = 0; i < objects.length; i++) {
            for (int j = 0; j < objects[i]; j++) {
                survivors.add(i, 100, 1);
            }
        }
        return survivors;
    }

    @Test
    void kinds() {
        assertThat(of(1, 1, 1, 1, 1).kind()).isEqualTo(Survivors.Kind.LEAK);
        assertThat(of(1, 1, 1, 1, 0).kind()).isEqualTo(Survivors.Kind.LEAK);
        assertThat(of(3, 1, 0, 0, 0).kind()).isEqualTo(Survivors.Kind.FILLED);
        assertThat(of(3, 1, 0, 0, 1).kind()).isEqualTo(Survivors.Kind.FILLED);
        assertThat(of(0, 0, 0, 0, 7).kind()).isEqualTo(Survivors.Kind.REPLACED);
        assertThat(of(1, 0, 1, 1, 1).kind()).isEqualTo(Survivors.Kind.UNSTEADY);
    }

    @Test
    void slopeIsPerIteration() {
        Survivors survivors = of(2, 2, 2, 2, 2);

        assertThat(survivors.bytesPerIteration()).isEqualTo(200);
        assertThat(survivors.objectsPerIteration()).isEqualTo(2);
        assertThat(survivors.error()).isZero();
        assertThat(survivors.leaksMoreThan(199)).isTrue();
        assertThat(survivors.leaksMoreThan(200)).isFalse();
    }

    @Test
    void estimateMustBeBeyondTheLimitForSure() {
        Survivors survivors = new Survivors("byte[]", List.of(), 5);
        for (int i = 0; i < 5; i++) {
            survivors.add(i, 100, 50); // 5 samples, each for 50 objects
        }
        assertThat(survivors.bytesPerIteration()).isEqualTo(5_000);
        assertThat(survivors.leaksMoreThan(250)).isTrue();
        assertThat(survivors.leaksMoreThan(350)).isFalse();
        assertThat(survivors.mayLeakMoreThan(20_000, 5_000)).isTrue();
        assertThat(survivors.mayLeakMoreThan(30_000, 5_000)).isFalse();
    }

    @Test
    void iterationWithoutASampleSaysLittleWhereSamplesAreFew() {
        Survivors some = new Survivors("byte[]", List.of(), 5);
        some.add(0, 100, 50);
        some.add(2, 100, 50);

        assertThat(some.mayLeakMoreThan(10_000, 5_000)).isTrue();
        assertThat(some.mayLeakMoreThan(5_000 * 16, 5_000)).isFalse();
        assertThat(of(1, 0, 1, 1, 1).mayLeakMoreThan(0, 0)).isFalse();
    }

    /**
     * Iterations that leave something with a chance of one half, independently: 9 of 10 decide, so
     * 1 in 512 looks like a leak. Of 100,000, 195 are expected with a standard deviation of 14;
     * beyond 265 (5 of them) the stated rate would be wrong. The seed is fixed.
     */
    @Test
    void falseAlarmsAreAsRareAsStated() {
        Random random = new Random(20261121);
        int alarms = 0;
        for (int i = 0; i < 100_000; i++) {
            int[] objects = random.ints(10, 0, 2).toArray();
            alarms += of(objects).leaksMoreThan(0) ? 1 : 0;
        }
        assertThat(alarms).isBetween(125, 265);
    }
}
