// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Wall clocks are set, machines sleep, and the order of what was watched stays. */
class VmClockTest {

    private static final long HOUR = 3_600_000;

    private long wall = 1_000_000_000;
    private long uptime = 5_000;

    private VmClock clock(long readyAtWall) {
        return new VmClock(() -> wall, () -> uptime, readyAtWall);
    }

    private void pass(long millis) {
        wall += millis;
        uptime += millis;
    }

    @Test
    void itGoesOnWhenTheWallClockIsSetBack() {
        VmClock clock = clock(wall - 4_900);
        assertThat(clock.now()).isEqualTo(wall);
        pass(10_000);
        wall -= HOUR;

        assertThat(clock.now()).isEqualTo(1_000_010_000);
        assertThat(clock.ahead()).isEqualTo(-HOUR);
        assertThat(clock.at(14_000, 5)).isEqualTo(1_000_009_100);
    }

    @Test
    void whileTheMachineSleepsNoTimePasses() {
        VmClock clock = clock(wall - 4_900);
        wall += 8 * HOUR;
        pass(1_000);

        assertThat(clock.now()).isEqualTo(1_000_001_000);
        assertThat(clock.ahead()).isEqualTo(8 * HOUR);
    }

    /** The JVM noted the time at which it was ready before the clock was set back. */
    @Test
    void noCollectionIsYetToComeThoughTheClockWasSetBeforeTheDoctorBegan() {
        VmClock clock = clock(wall + 25_000);
        pass(2_000);

        assertThat(clock.at(6_900, 80)).isEqualTo(clock.now() - 80);
    }
}
