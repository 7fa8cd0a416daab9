// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.timeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.doctor.Samples;
import java.util.List;
import org.junit.jupiter.api.Test;

class TickStoreTest {

    private static final long SECOND = 1_000;
    private static final long HOUR = 3_600 * SECOND;

    private static List<Tick> after(long millis) {
        TickStore store = new TickStore();
        for (long at = 0; at <= millis; at += SECOND) {
            store.add(Samples.tick(at));
        }
        return store.toList(0);
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

    private static BareTick bare(long atMillis) {
        BareTick bare = new BareTick();
        bare.atMillis = atMillis;
        bare.allocated = 1;
        bare.heapUsed = 2;
        bare.heapCommitted = 66 * Samples.MIB;
        bare.classesLoaded = 3;
        bare.classesUnloaded = 4;
        bare.resident = 5;
        bare.safepointMillis = 0.006;
        bare.safepointSyncMillis = 0.007;
        bare.cpuMillis = 0.008;
        bare.residentFile = 9;
        bare.gcCpuMillis = 0.01;
        bare.gcWaitMillis = 0.011;
        return bare;
    }

    @Test
    void whatABareTickDoesNotTellIsThatOfTheOneBefore() {
        TickStore store = new TickStore();
        Tick first = TickStore.get(new long[TickStore.FIELDS], 0, 0);
        Tick last = Samples.tick(1_000);
        store.add(first);
        store.add(last);
        store.add(bare(2_000));

        assertThat(store.toList(0))
                .containsExactly(
                        first,
                        last,
                        new Tick(
                                2_000,
                                1,
                                2,
                                66 * Samples.MIB,
                                last.oldUsed(),
                                last.metaspaceUsed(),
                                last.metaspaceCommitted(),
                                3,
                                4,
                                last.directUsed(),
                                last.directCount(),
                                last.mappedUsed(),
                                5,
                                last.accounted() + 2 * Samples.MIB,
                                last.pendingFinalization(),
                                0.006,
                                0.007,
                                0.008,
                                9,
                                0.01,
                                0.011));
    }

    /** Two hours of them: what is kept for longer has them too, of the last whole one. */
    @Test
    void bareTicksGoIntoTheCoarserLevelsToo() {
        TickStore store = new TickStore();
        store.add(bare(0));
        assertThat(store.toList(0)).isEmpty();
        store.add(Samples.tick(0));
        for (long at = SECOND; at <= 2 * HOUR; at += SECOND) {
            store.add(bare(at));
        }

        assertThat(store.toList(0))
                .extracting(Tick::atMillis)
                .contains(0L, 10 * SECOND, HOUR, 2 * HOUR)
                .doesNotContain(SECOND);
        assertThat(store.toList(0)).allMatch(tick -> tick.oldUsed() == Samples.tick(0).oldUsed());
    }

    @Test
    void timesAreKeptToTheMicrosecond() {
        TickStore store = new TickStore();
        Tick tick = Samples.tick(1_000, 1234.567);
        store.add(tick);

        assertThat(store.toList(0)).containsExactly(tick);
    }
}
