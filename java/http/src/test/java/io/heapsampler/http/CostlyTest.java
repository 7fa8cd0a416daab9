// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import static io.heapsampler.http.Asking.ask;
import static io.heapsampler.http.Asking.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.heapsampler.http.Asking.Answer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Forced collections and deltas happen once at a time, keep their distance, and end. */
class CostlyTest extends EndpointCase {

    private static int retryAfter(Answer answer) {
        return Integer.parseInt(answer.headers().get("Retry-After"));
    }

    @Test
    void forcedCollectionsKeepTheirDistance() {
        HeapSamplerEndpoint endpoint =
                endpoint(EndpointOptions.builder().gcSpacing(Duration.ofHours(1)));

        assertThat(ask(endpoint, "GET", HEAP + "?gc=1").status()).isEqualTo(200);
        Answer second = ask(endpoint, "GET", HEAP + "?gc=1");
        Answer other = ask(endpoint, "GET", PAGE + "snapshot.json?gc=1");

        assertThat(source.calls).containsExactly("gc");
        assertThat(second.status()).isEqualTo(429);
        assertThat(retryAfter(second)).isBetween(3500, 3600);
        assertThat(second.text())
                .isEqualTo(
                        "A collection was forced a moment ago. Try again later, or without"
                                + " \"gc=1\".\n");
        assertThat(other.status()).isEqualTo(429);
        assertThat(ask(endpoint, "GET", HEAP).status()).isEqualTo(200);
    }

    @Test
    void oneCollectionAtATime() throws Exception {
        HeapSamplerEndpoint endpoint = endpoint(EndpointOptions.builder().gcSpacing(Duration.ZERO));
        source.gate = new CountDownLatch(1);
        Future<Answer> first = others.submit(() -> ask(endpoint, "GET", HEAP + "?gc=1"));
        awaitCalls(1);

        Answer second = ask(endpoint, "GET", HEAP + "?gc=1");
        assertThat(second.status()).isEqualTo(429);
        assertThat(retryAfter(second)).isEqualTo(1);
        source.gate.countDown();
        assertThat(first.get(120, TimeUnit.SECONDS).status()).isEqualTo(200);
        assertThat(ask(endpoint, "GET", HEAP + "?gc=1").status()).isEqualTo(200);
    }

    @Test
    void collectionThatFailsFreesItsPlace() {
        HeapSamplerEndpoint endpoint = endpoint(EndpointOptions.builder().gcSpacing(Duration.ZERO));
        source.failure = new IllegalArgumentException("broken on purpose");
        assertThat(ask(endpoint, "GET", HEAP + "?gc=1").status()).isEqualTo(500);
        source.failure = null;
        assertThat(ask(endpoint, "GET", HEAP + "?gc=1").status()).isEqualTo(200);
        assertThat(endpoint.heldBytes()).isZero();
    }

    @Test
    void collectionsCanBeForbiddenByPost() {
        HeapSamplerEndpoint endpoint = endpoint(EndpointOptions.builder());

        assertThat(post(endpoint, PAGE + "gc", "allowed=false").text())
                .contains("\"gcAllowed\":false");
        Answer refused = ask(endpoint, "GET", HEAP + "?gc=1");
        assertThat(refused.status()).isEqualTo(403);
        assertThat(refused.text())
                .isEqualTo("Forced collections are switched off here. Ask without \"gc=1\".\n");
        assertThat(source.calls).isEmpty();
        assertThat(post(endpoint, PAGE + "gc", "allowed=true").status()).isEqualTo(200);
        assertThat(ask(endpoint, "GET", HEAP + "?gc=1").status()).isEqualTo(200);
    }

    @Test
    void oneDeltaAtATimeOfWhateverKind() {
        HeapSamplerEndpoint endpoint = endpoint(EndpointOptions.builder().maxSeconds(100));
        try (EndpointResponse first = endpoint.handle(request(HEAP + "?seconds=60"))) {
            assertThat(first.status()).isEqualTo(200);
            for (String target :
                    List.of(
                            HEAP + "?seconds=1",
                            "/debug/pprof/allocs?seconds=1",
                            PAGE + "diff.html?seconds=1",
                            PAGE + "growth.json?seconds=2")) {
                Answer second = ask(endpoint, "GET", target);
                assertThat(second.status()).as(target).isEqualTo(429);
                assertThat(retryAfter(second)).isBetween(1, 61);
                assertThat(second.text())
                        .isEqualTo("Another client waits for a delta already. Try again later.\n");
            }
            assertThat(ask(endpoint, "GET", HEAP).status()).isEqualTo(200);
        }
        try (EndpointResponse next = endpoint.handle(request(HEAP + "?seconds=60"))) {
            assertThat(next.status()).isEqualTo(200);
        }
        assertThat(ask(endpoint, "GET", HEAP + "?seconds=101").text())
                .isEqualTo("\"seconds\" is too large: at most 100 are allowed\n");
    }

    @Test
    void clientThatLeavesEndsTheWait() {
        HeapSamplerEndpoint endpoint = endpoint(EndpointOptions.builder());
        try (EndpointResponse response = endpoint.handle(request(HEAP + "?seconds=60"))) {
            assertThatIOException().isThrownBy(() -> response.writeTo(new Leaving(25)));
        }
        assertThat(source.calls).as("not asked again when the wait is over").hasSize(1);
        try (EndpointResponse next = endpoint.handle(request(HEAP + "?seconds=1"))) {
            assertThat(next.status()).isEqualTo(200);
        }
    }

    /** Takes so many bytes. */
    private static final class Leaving extends OutputStream {
        private int left;

        Leaving(int bytes) {
            left = bytes;
        }

        @Override
        public void write(int b) throws IOException {
            left--;
            if (left < 0) {
                throw new IOException("Broken pipe");
            }
        }
    }

    @Test
    void failureBeforeADeltaFreesThePlace() {
        HeapSamplerEndpoint endpoint = endpoint(EndpointOptions.builder());
        source.failure = new IllegalArgumentException("broken on purpose");
        assertThat(ask(endpoint, "GET", HEAP + "?seconds=1").status()).isEqualTo(500);
        assertThat(ask(endpoint, "GET", PAGE + "growth.json?seconds=2").status()).isEqualTo(500);
        source.failure = null;
        assertThat(ask(endpoint, "GET", HEAP + "?seconds=1").status()).isEqualTo(200);
    }

    @Test
    void changeAsAPageBeginsAfterItsBeats() {
        Answer answer =
                ask(endpoint(EndpointOptions.builder()), "GET", PAGE + "diff.html?seconds=2");
        assertThat(answer.text()).startsWith("  <!DOCTYPE html>").contains("export-earlier");
    }

    @Test
    void beatsMakeOneGzip() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        HeapSamplerEndpoint endpoint = endpoint(EndpointOptions.builder());
        try (EndpointResponse response = endpoint.handle(request(HEAP + "?seconds=1"))) {
            assertThat(response.contentLength()).isEqualTo(-1);
            response.writeTo(out);
        }
        assertThat(Gzip.read(out.toByteArray()))
                .contains("alloc_space".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void deltaHeapCountsFromTheLastTime() throws Exception {
        HeapSamplerEndpoint endpoint = endpoint(EndpointOptions.builder());
        byte[] first = Gzip.read(ask(endpoint, "GET", "/debug/pprof/delta_heap").body());
        byte[] second = Gzip.read(ask(endpoint, "GET", "/debug/pprof/delta_heap").body());
        assertThat(first).contains("inuse_space".getBytes(StandardCharsets.UTF_8));
        assertThat(second).contains("inuse_space".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void growthTakesItsSnapshotsInTurn() {
        HeapSamplerEndpoint endpoint = endpoint(EndpointOptions.builder());
        Answer answer = ask(endpoint, "GET", PAGE + "growth.json?seconds=2");

        assertThat(source.calls).containsExactly("snapshot", "snapshot", "snapshot");
        assertThat(answer.text()).contains("\"growing\":[").contains("\"snapshots\":[\"20");
    }

    @Test
    void growthAfterCollectionsCollectsEachTime() {
        HeapSamplerEndpoint endpoint = endpoint(EndpointOptions.builder().gcSpacing(Duration.ZERO));
        assertThat(ask(endpoint, "GET", PAGE + "growth.json?seconds=2&gc=1").status())
                .isEqualTo(200);
        assertThat(source.calls).containsExactly("gc", "gc", "gc");
    }
}
