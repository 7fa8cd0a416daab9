// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import static io.heapsampler.http.Asking.ask;
import static io.heapsampler.http.Asking.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.heapsampler.http.Asking.Answer;
import io.heapsampler.support.Until;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
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
    void samplesThatWereResetMeanwhileHaveNoDelta() {
        HeapSamplerEndpoint endpoint = endpoint(EndpointOptions.builder());
        try (EndpointResponse response = endpoint.handle(request(HEAP + "?seconds=1"))) {
            FakeSource.sampledAnew();
            assertThatIOException()
                    .isThrownBy(() -> response.writeTo(OutputStream.nullOutputStream()))
                    .withMessage("The sampler was reset meanwhile. Try again.");
        }
        assertThat(endpoint.heldBytes()).isZero();
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

    /** Takes the given number of bytes. */
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

    /** Takes the bytes of the wait, and the rest when the gate opens. */
    private static final class Stalling extends OutputStream {
        private final CountDownLatch isStalled = new CountDownLatch(1);
        private final CountDownLatch gate = new CountDownLatch(1);
        private boolean isOver;

        @Override
        public void write(int b) throws IOException {
            throw new AssertionError("bytes come one by one");
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            if (length > 100 && !isOver) {
                isOver = true;
                isStalled.countDown();
                await(gate);
            }
        }

        private static void await(CountDownLatch latch) throws IOException {
            try {
                if (!latch.await(120, TimeUnit.SECONDS)) {
                    throw new IOException("the test never opened the gate");
                }
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }
    }

    /** Writes as a server does; returns false if the connection would be closed. */
    private static boolean write(
            HeapSamplerHandler handler, EndpointResponse response, OutputStream out) {
        try (response) {
            Deadlines.Deadline writing = handler.begin(response.body());
            try {
                response.writeTo(out);
                return true;
            } catch (IOException e) {
                return false;
            } finally {
                writing.end();
            }
        }
    }

    @Test
    void deltaThatIsNotReadLosesItsThreadToOthers() throws Exception {
        Deadlines deadlines = new Deadlines();
        HeapSamplerHandler handler = new HeapSamplerHandler(open, deadlines);
        Stalling out = new Stalling();
        EndpointResponse response = open.handle(request(HEAP + "?seconds=3"));
        assertThat(response.body().waits()).isEqualTo(Contract.SECOND.multipliedBy(3));
        Future<Boolean> isWritten = others.submit(() -> write(handler, response, out));
        Stalling.await(out.isStalled);

        boolean isEnded =
                Until.within(
                        60,
                        () -> {
                            deadlines.makeRoom(1);
                            return isWritten.isDone();
                        });

        assertThat(isEnded).isTrue();
        assertThat(isWritten.get()).isFalse();
        assertThat(open.heldBytes()).isZero();
        deadlines.close();
    }

    @Test
    void deltaThatIsNotReadFreesItsPlaceAndItsMemory() throws Exception {
        FakeSource.freshlySampled();
        HeapSamplerEndpoint endpoint =
                endpoint(EndpointOptions.builder().maxResponseBytes(512 * 1024));
        for (String target : List.of(HEAP + "?seconds=1", PAGE + "growth.json?seconds=2")) {
            Stalling out = new Stalling();
            EndpointResponse first = endpoint.handle(request(target));
            HeapSamplerHandler handler = new HeapSamplerHandler(endpoint, new Deadlines());
            Future<Boolean> isWritten = others.submit(() -> write(handler, first, out));
            Stalling.await(out.isStalled);

            assertThat(ask(endpoint, "GET", target).status()).as(target).isEqualTo(200);
            assertThat(endpoint.heldBytes()).as(target).isPositive();
            assertThat(Until.within(60, () -> isTaken(endpoint))).as(target).isTrue();

            out.gate.countDown();
            isWritten.get(120, TimeUnit.SECONDS);
            assertThat(endpoint.heldBytes()).isZero();
        }
    }

    /** Requests more than there is. Returns whether an open response has lost its memory. */
    private boolean isTaken(HeapSamplerEndpoint endpoint) {
        List<EndpointResponse> unread = new ArrayList<>();
        try {
            do {
                unread.add(endpoint.handle(request(PAGE + "metrics")));
            } while (unread.get(unread.size() - 1).status() == 200 && unread.size() < 1000);
        } finally {
            unread.forEach(EndpointResponse::close);
        }
        return endpoint.heldBytes() == 0;
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
            assertThat(response.contentLength()).isEmpty();
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
