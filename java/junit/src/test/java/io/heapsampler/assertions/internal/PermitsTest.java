// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How many recordings a thread has got, and that none gets lost. */
class PermitsTest {

    @Test
    void whatIsReservedIsTakenFirstAndGivenBack() {
        try (Permits.Reservation outer = Permits.reserve(3)) {
            assertThat(outer.isThere()).isTrue();
            assertThat(Permits.free()).isEqualTo(Permits.MOST - 3);
            assertThat(Permits.acquire()).isTrue();
            try (Permits.Reservation inner = Permits.reserve(1)) {
                assertThat(inner.isThere()).isTrue();
                assertThat(Permits.acquire()).isTrue(); // the inner one
                assertThat(Permits.acquire()).isTrue(); // of the outer ones
                assertThat(Permits.free()).isEqualTo(Permits.MOST - 4);
                Permits.release();
                Permits.release();
            }
            assertThat(Permits.free()).isEqualTo(Permits.MOST - 3);
            assertThat(Permits.acquire()).isTrue();
            assertThat(Permits.acquire()).isTrue();
            assertThat(Permits.acquire()).isTrue(); // one more than were reserved
            assertThat(Permits.free()).isEqualTo(Permits.MOST - 4);
            for (int i = 0; i < 4; i++) {
                Permits.release();
            }
        }
        assertThat(Permits.free()).isEqualTo(Permits.MOST);
    }

    @Test
    void whatIsInUseWhenAReservationEndsComesBackLater() {
        try (Permits.Reservation reservation = Permits.reserve(2)) {
            assertThat(reservation.isThere()).isTrue();
            assertThat(Permits.acquire()).isTrue();
        }
        assertThat(Permits.free()).isEqualTo(Permits.MOST - 1);
        Permits.release();
        assertThat(Permits.free()).isEqualTo(Permits.MOST);
    }

    @Test
    void noneOrTooManyAreNoReservation() {
        try (Permits.Reservation none = Permits.reserve(0);
                Permits.Reservation tooMany = Permits.reserve(Permits.MOST + 1)) {
            assertThat(none.isThere()).isFalse();
            assertThat(tooMany.isThere()).isFalse();
            assertThat(Permits.acquire()).isTrue();
            Permits.release();
        }
        assertThat(Permits.free()).isEqualTo(Permits.MOST);
    }
}
