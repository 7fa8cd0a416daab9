// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heapsampler.http.Renderer.Budget;
import io.heapsampler.support.Until;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The memory of a response is counted once, and only taken from clients that do not read. */
class RenderedTest {

    private static final int CHUNK = 16 * 1024;
    private static final long MOST = 2 * CHUNK;

    private final Budget budget = new Budget(MOST);

    private Rendered rendered(int bytes) throws IOException {
        Rendered rendered = new Rendered(budget, MOST);
        rendered.output().write(new byte[bytes]);
        return rendered;
    }

    @Test
    void lackOfMemoryIsNotCounted() throws Exception {
        Rendered rendered =
                new Rendered(
                        budget,
                        MOST,
                        size -> {
                            throw new OutOfMemoryError("made up");
                        });
        assertThatThrownBy(() -> rendered.output().write(new byte[1]))
                .isInstanceOf(OutOfMemoryError.class);
        rendered.release();
        assertThat(budget.used()).isZero();
    }

    @Test
    void onlyAResponseThatIsNotReadIsRevoked() throws Exception {
        Rendered rendered = rendered(2 * CHUNK);
        rendered.revocableAfter(Duration.ofHours(1));
        rendered.tryRevoke(System.nanoTime());
        assertThat(rendered.input().readAllBytes()).hasSize(2 * CHUNK);

        rendered.tryRevoke(System.nanoTime() + Duration.ofHours(2).toNanos());
        assertThatIOException().isThrownBy(() -> rendered.input().readAllBytes());
        assertThat(rendered.hold()).isFalse();
        assertThat(budget.used()).isZero();
        rendered.release();
        assertThat(budget.used()).isZero();
    }

    /** It was chosen when nobody had read it, and shared before its memory was taken. */
    @Test
    void responseThatIsSharedMeanwhileIsKeptAndCanBeRevokedLater() throws Exception {
        Rendered rendered = rendered(2 * CHUNK);
        rendered.revocableAfter(Duration.ofMillis(1));
        budget.forget(rendered); // As one that was chosen.
        assertThat(rendered.hold()).isTrue();
        rendered.tryRevoke(System.nanoTime() - Duration.ofHours(1).toNanos());
        assertThat(rendered.input().read()).isZero();

        assertThat(Until.within(60, () -> budget.take(1))).isTrue();
        assertThatIOException().isThrownBy(() -> rendered.input().read());
        rendered.release();
        rendered.release();
        assertThat(budget.used()).isOne();
    }

    @Test
    void releasedResponseIsNotRevoked() throws Exception {
        Rendered rendered = rendered(CHUNK);
        rendered.revocableAfter(Duration.ofHours(1));
        rendered.release();
        rendered.tryRevoke(System.nanoTime());
        assertThat(budget.used()).isZero();
        assertThat(budget.take(MOST + 1)).isFalse();
    }
}
