// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heapsampler.http.Rendered.Budget;
import io.heapsampler.support.Until;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** The memory of a response is counted once, and only taken from clients that do not read. */
class RenderedTest {

    private static final int CHUNK = 16 * 1024;
    private static final long MOST = 2 * CHUNK;

    private final Budget budget = new Budget(MOST);

    private Rendered rendered(int bytes) throws IOException {
        Rendered rendered = new Rendered(budget, MOST);
        rendered.write(new byte[bytes]);
        return rendered;
    }

    @Test
    void lackOfMemoryIsNotCounted() throws Exception {
        Budget failing =
                new Budget(MOST) {
                    @Override
                    byte[] allocate() {
                        throw new OutOfMemoryError("made up");
                    }
                };
        Rendered rendered = new Rendered(failing, MOST);
        assertThatThrownBy(() -> rendered.write(new byte[1])).isInstanceOf(OutOfMemoryError.class);
        rendered.release();
        assertThat(failing.used()).isZero();
    }

    @Test
    void onlyAResponseThatIsNotReadIsRevoked() throws Exception {
        Rendered rendered = rendered(2 * CHUNK);
        rendered.revocableAfter(Duration.ofHours(1));
        assertThat(budget.take(1)).isFalse();
        assertThat(rendered.input().readAllBytes()).hasSize(2 * CHUNK);

        rendered.revocableAfter(Duration.ZERO);
        assertThat(Until.within(60, () -> budget.take(1))).isTrue();
        assertThatIOException().isThrownBy(() -> rendered.input().readAllBytes());
        assertThat(rendered.hold()).isFalse();
        assertThat(budget.used()).isOne();
        rendered.release();
        assertThat(budget.used()).isOne();
    }

    /** Does something until it has moved the end of the patience. */
    private static void assertBeginsAnew(Rendered rendered, Callable<?> reading) throws Exception {
        long now = System.nanoTime();
        long before = rendered.patienceLeft(now);
        assertThat(
                        Until.within(
                                60,
                                () -> {
                                    assertThat(reading.call()).isNotNull();
                                    return rendered.patienceLeft(now) > before;
                                }))
                .isTrue();
    }

    @Test
    void everyClientThatComesOrReadsBeginsThePatienceAnew() throws Exception {
        Rendered rendered = rendered(2 * CHUNK);
        rendered.revocableAfter(Duration.ofHours(1));
        assertBeginsAnew(
                rendered,
                () -> {
                    assertThat(rendered.hold()).isTrue();
                    rendered.release();
                    return rendered;
                });
        assertBeginsAnew(rendered, () -> rendered.input().read());
    }

    @Test
    void theClientThatHasStalledForLongestIsTheFirst() throws Exception {
        Rendered first = rendered(CHUNK);
        Rendered second = rendered(CHUNK);
        second.revocableAfter(Duration.ZERO);
        first.revocableAfter(Duration.ZERO);
        assertThat(Until.within(60, () -> budget.take(CHUNK))).isTrue();
        assertThatIOException().isThrownBy(() -> second.input().read());
        assertThat(first.input().read()).isZero();
    }

    @Test
    void releasedResponseIsNotRevoked() throws Exception {
        Rendered rendered = rendered(CHUNK);
        rendered.revocableAfter(Duration.ZERO);
        rendered.release();
        rendered.release();
        assertThat(budget.used()).isZero();
        rendered.revocableAfter(Duration.ZERO);
        assertThat(budget.take(MOST + 1)).isFalse();
        assertThat(budget.used()).isZero();
    }

    @Test
    void aSecondCloseReleasesNoOtherClient() throws Exception {
        Rendered rendered = rendered(CHUNK);
        assertThat(rendered.hold()).isTrue();
        Body body = rendered.body(1);
        body.close();
        body.close();
        assertThat(budget.used()).isEqualTo(CHUNK);
        assertThat(rendered.input().readAllBytes()).hasSize(CHUNK);
    }
}
