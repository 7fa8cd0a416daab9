// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TickStoreTest {

    private static final long SECOND = 1_000;
    private static final long HOUR = 3_600 * SECOND;

    private static List<Tick> after(long millis) {
        TickStore store = new TickStore();
        for (long at = 0; at <= millis; at += SECOND) {
            store.add(Samples.row(Samples.tick(at)));
        }
        return store.toList();
    }

    @Test
    void eachSecondOfTenMinutesIsKeptAsItWas() {
        List<Tick> ticks = after(599 * SECOND);

        assertThat(ticks).hasSize(600).isEqualTo(Samples.ticks(0, 599 * SECOND));
    }

    @Test
    void whatIsOlderIsCoarserAndInOrder() {
        List<Tick> ticks = after(8 * HOUR);

        for (int i = 1; i < ticks.size(); i++) {
            long age = 8 * HOUR - ticks.get(i).atMillis();
            long gap = ticks.get(i).atMillis() - ticks.get(i - 1).atMillis();
            long most = age < 600 * SECOND ? 1 : age < 4 * HOUR ? 10 : 60;
            assertThat(gap).isPositive().isLessThanOrEqualTo(most * SECOND);
        }
        assertThat(ticks.get(0).atMillis()).isZero();
        assertThat(ticks.get(ticks.size() - 1).atMillis()).isEqualTo(8 * HOUR);
    }

    @Test
    void nothingIsOlderThanADayAndTheNumberIsBounded() {
        List<Tick> ticks = after(40 * HOUR);

        assertThat(ticks.get(0).atMillis()).isBetween(15 * HOUR, 17 * HOUR);
        assertThat(ticks).hasSizeLessThan(3_500);
    }

    @Test
    void aMonthTakesNoMoreThanADay() {
        TickStore store = new TickStore();
        long[] row = Samples.row(Samples.tick(0));
        for (; row[0] <= 30 * 24 * HOUR; row[0] += SECOND) {
            store.add(row);
        }

        assertThat(store.toList()).hasSizeLessThan(3_500);
        assertThat(store.toList().get(0).atMillis()).isGreaterThan(29 * 24 * HOUR);
    }

    @Test
    void anAddedRowMayBeFilledAgain() {
        TickStore store = new TickStore();
        long[] row = Samples.row(Samples.tick(1_000));
        store.add(row);
        row[0] = 2_000;
        store.add(row);

        assertThat(store.toList()).extracting(Tick::atMillis).containsExactly(1_000L, 2_000L);
        assertThat(store.toList().get(0)).isEqualTo(Samples.tick(1_000));
    }
}
