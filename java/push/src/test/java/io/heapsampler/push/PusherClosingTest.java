// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import static io.heapsampler.push.FakeReceiver.status;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The end of a thread that pushes: what it still sends, and how long that may take. */
@Timeout(600)
class PusherClosingTest extends PusherCase {

    @Test
    void closingSendsTheLastInterval() throws Exception {
        ProfilePush push = push(pyroscope(NEVER), this::heap);
        await("begun", () -> seconds.get() > 100);

        push.close();
        push.close();

        assertThat(receiver.others()).hasSize(1);
        assertThat(push.status().delivered()).isEqualTo(1);
        assertThat(push.status().queued()).isZero();
    }

    @Test
    void closingTriesOnceMoreThoughTheReceiverWantedToRest() throws Exception {
        receiver.then(status(503, "", "Retry-After", "3000"));
        ProfilePush push = push(pyroscope(TICK), this::heap);
        await("refused", () -> push.status().lastError() != null);

        push.close();

        assertThat(push.status().delivered()).isPositive();
        assertThat(push.status().dropped()).isEmpty();
    }

    @Test
    void closingEndsInTimeThoughTheReceiverHangs() throws Exception {
        receiver.then(receiver.silence());
        ProfilePush push = push(pyroscope(NEVER).closeTimeout(Duration.ofMillis(300)), this::heap);
        await("begun", () -> seconds.get() > 100);

        long before = System.nanoTime();
        push.close();

        assertThat(Duration.ofNanos(System.nanoTime() - before))
                .isBetween(Duration.ofMillis(300), Duration.ofSeconds(15));
        await("counted", () -> dropped(push, PushDrop.CLOSED) == 1);
        assertThat(push.status().queued()).isZero();
    }

    @Test
    void closingGivesUpWhenTheReceiverNeedsLonger() throws Exception {
        receiver.then(status(503, "", "Retry-After", "3000"));
        ProfilePush push = push(pyroscope(NEVER), this::heap);
        await("begun", () -> seconds.get() > 100);

        push.close();

        assertThat(receiver.others()).hasSize(1);
        assertThat(dropped(push, PushDrop.CLOSED)).isEqualTo(1);
    }

    @Test
    void anInterruptEndsTheWaitForClosing() throws Exception {
        receiver.then(receiver.silence());
        ProfilePush push = push(pyroscope(NEVER), this::heap);
        await("begun", () -> seconds.get() > 100);

        Thread.currentThread().interrupt();
        push.close();

        assertThat(Thread.interrupted()).isTrue();
        await("counted", () -> dropped(push, PushDrop.CLOSED) == 1);
    }
}
