// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpRequest;
import org.junit.jupiter.api.Test;

class OutboxTest {

    private static HttpRequest request(int bytes) {
        return HttpRequest.newBuilder(URI.create("http://localhost"))
                .POST(HttpRequest.BodyPublishers.ofByteArray(new byte[bytes]))
                .build();
    }

    @Test
    void theOldestGoesForTheNewest() {
        Outbox outbox = new Outbox(100);
        HttpRequest second = request(40);

        assertThat(outbox.add(request(40))).isZero();
        assertThat(outbox.add(second)).isZero();
        assertThat(outbox.bytes()).isEqualTo(80);
        assertThat(outbox.add(request(60))).isEqualTo(1);
        assertThat(outbox.head()).isSameAs(second);
        assertThat(outbox.bytes()).isEqualTo(100);
        assertThat(outbox.add(request(100))).isEqualTo(2);
        assertThat(outbox.size()).isEqualTo(1);
    }

    @Test
    void theFirstCanBePutBehindTheOthers() {
        Outbox outbox = new Outbox(100);
        HttpRequest first = request(10);
        HttpRequest second = request(20);
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
        outbox.add(request(40));

        assertThat(outbox.remove()).isNotNull();
        assertThat(outbox.remove()).isNull();
        assertThat(outbox.head()).isNull();
        assertThat(outbox.bytes()).isZero();
    }
}
