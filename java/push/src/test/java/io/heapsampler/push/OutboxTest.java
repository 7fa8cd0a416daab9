// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import org.junit.jupiter.api.Test;

class OutboxTest {

    private static Payload payload(int bytes) {
        return new Payload(URI.create("http://localhost"), "text/plain", null, new byte[bytes]);
    }

    @Test
    void theOldestGoesForTheNewest() {
        Outbox outbox = new Outbox(100);
        Payload second = payload(40);

        assertThat(outbox.add(payload(40))).isZero();
        assertThat(outbox.add(second)).isZero();
        assertThat(outbox.bytes()).isEqualTo(80);
        assertThat(outbox.add(payload(60))).isEqualTo(1);
        assertThat(outbox.head()).isSameAs(second);
        assertThat(outbox.bytes()).isEqualTo(100);
        assertThat(outbox.add(payload(100))).isEqualTo(2);
        assertThat(outbox.size()).isEqualTo(1);
    }

    @Test
    void theFirstCanBePutBehindTheOthers() {
        Outbox outbox = new Outbox(100);
        Payload first = payload(10);
        Payload second = payload(20);
        outbox.rotate();
        outbox.add(first);
        outbox.add(second);

        outbox.rotate();

        assertThat(outbox.remove()).isSameAs(second);
        assertThat(outbox.remove()).isSameAs(first);
        assertThat(outbox.bytes()).isZero();
    }

    @Test
    void whatIsTakenOutIsNotCounted() {
        Outbox outbox = new Outbox(100);
        outbox.add(payload(40));

        assertThat(outbox.remove()).isNotNull();
        assertThat(outbox.remove()).isNull();
        assertThat(outbox.head()).isNull();
        assertThat(outbox.bytes()).isZero();
    }
}
