// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class BackoffTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private static Backoff backoff(double random) {
        return new Backoff(SECOND, Duration.ofSeconds(10), () -> random);
    }

    @Test
    void doublesUpToTheLongest() {
        Backoff backoff = backoff(0);

        assertThat(backoff.next(null)).isEqualTo(Duration.ofSeconds(1));
        assertThat(backoff.next(null)).isEqualTo(Duration.ofSeconds(2));
        assertThat(backoff.next(null)).isEqualTo(Duration.ofSeconds(4));
        assertThat(backoff.next(null)).isEqualTo(Duration.ofSeconds(8));
        for (int i = 0; i < 100; i++) {
            assertThat(backoff.next(null)).isEqualTo(Duration.ofSeconds(10));
        }
        backoff.reset();
        assertThat(backoff.next(null)).isEqualTo(SECOND);
    }

    @Test
    void aRandomPartOfUpToAHalfIsLeftOut() {
        assertThat(backoff(0.5).next(null)).isEqualTo(Duration.ofMillis(750));
        assertThat(backoff(0.999_999).next(null)).isBetween(Duration.ofMillis(500), SECOND);
    }

    @Test
    void theDelayOfTheReceiverIsRespectedUpToAnHour() {
        assertThat(backoff(0).next(Duration.ofSeconds(30))).isEqualTo(Duration.ofSeconds(30));
        assertThat(backoff(0.5).next(Duration.ofSeconds(30)))
                .isBetween(Duration.ofSeconds(30), Duration.ofSeconds(33));
        assertThat(backoff(0).next(Duration.ZERO)).isEqualTo(SECOND);
        assertThat(backoff(0).next(Duration.ofDays(1))).isEqualTo(Duration.ofHours(1));
    }

    @Test
    void retryAfterIsSecondsOrADate() {
        Instant now = Instant.parse("2026-11-22T10:00:00Z");

        assertThat(Backoff.retryAfter("120", now)).isEqualTo(Duration.ofSeconds(120));
        assertThat(Backoff.retryAfter(" 0 ", now)).isEqualTo(Duration.ZERO);
        assertThat(Backoff.retryAfter("Sun, 22 Nov 2026 10:00:30 GMT", now))
                .isEqualTo(Duration.ofSeconds(30));
        assertThat(Backoff.retryAfter("Sun, 22 Nov 2026 09:00:00 GMT", now))
                .isEqualTo(Duration.ZERO);
        assertThat(Backoff.retryAfter("soon", now)).isNull();
        assertThat(Backoff.retryAfter("-1", now)).isNull();
        assertThat(Backoff.retryAfter("", now)).isNull();
        assertThat(Backoff.retryAfter("99999999999999999999", now)).isNull();
    }
}
