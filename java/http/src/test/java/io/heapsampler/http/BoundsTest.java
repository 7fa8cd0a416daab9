// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import static io.heapsampler.http.Asking.ask;
import static io.heapsampler.http.Asking.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.heapsampler.http.Asking.Answer;
import io.heapsampler.support.Until;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Responses have bounds, and so have requests and options. */
class BoundsTest extends EndpointCase {

    @Test
    void lackOfMemoryIsReportedAndHoldsNothing() {
        HeapSamplerEndpoint endpoint = endpoint(EndpointOptions.builder().gcSpacing(Duration.ZERO));
        source.error = new OutOfMemoryError("made up");
        for (String target : List.of(HEAP, HEAP + "?gc=1", HEAP + "?seconds=1")) {
            Answer answer = ask(endpoint, "GET", target);
            assertThat(answer.status()).as(target).isEqualTo(503);
            assertThat(answer.headers()).containsEntry("Retry-After", "10");
            assertThat(answer.text())
                    .isEqualTo("There is no memory for this answer. Try again later.\n");
        }
        assertThat(endpoint.heldBytes()).isZero();
        source.error = null;
        assertThat(ask(endpoint, "GET", HEAP + "?seconds=1").status()).isEqualTo(200);
    }

    @Test
    void clientsThatRequestTheSameGetTheSame() throws Exception {
        HeapSamplerEndpoint endpoint = endpoint(EndpointOptions.builder());
        source.gate = new CountDownLatch(1);
        List<Future<Answer>> answers = Collections.synchronizedList(new ArrayList<>());
        for (int i = 0; i < 50; i++) {
            answers.add(others.submit(() -> ask(endpoint, "GET", HEAP)));
        }
        awaitCalls(1);
        source.gate.countDown();
        for (Future<Answer> answer : answers) {
            assertThat(answer.get(120, TimeUnit.SECONDS).status()).isEqualTo(200);
        }
        // Those who came late may have been a second group or a third.
        assertThat(source.calls).hasSizeLessThan(50);
        assertThat(endpoint.heldBytes()).isZero();
    }

    @Test
    void responseThatIsTooLargeIsRefused() {
        HeapSamplerEndpoint endpoint = endpoint(EndpointOptions.builder().maxResponseBytes(1000));
        Answer answer = ask(endpoint, "GET", PAGE + "snapshot.json");

        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.text())
                .isEqualTo(
                        "The response would be larger than allowed. Lower"
                                + " EndpointOptions.maxSites() or raise maxResponseBytes().\n");
        assertThat(endpoint.heldBytes()).isZero();
    }

    @Test
    void clientsWhoDoNotReadHoldNoMoreThanTheBudget() {
        HeapSamplerEndpoint endpoint =
                endpoint(EndpointOptions.builder().maxResponseBytes(64 * 1024));
        List<EndpointResponse> unread = new ArrayList<>();
        try {
            EndpointResponse last;
            do {
                last = endpoint.handle(request(PAGE + "metrics"));
                unread.add(last);
            } while (last.status() == 200 && unread.size() < 1000);
            assertThat(last.status()).isEqualTo(503);
            assertThat(last.headers()).containsEntry("Retry-After", "1");
            assertThat(endpoint.heldBytes()).isLessThanOrEqualTo(2 * 64 * 1024);
        } finally {
            unread.forEach(EndpointResponse::close);
            unread.forEach(EndpointResponse::close);
        }
        assertThat(endpoint.heldBytes()).isZero();
        assertThat(ask(endpoint, "GET", PAGE + "metrics").status()).isEqualTo(200);
    }

    @Test
    void responseThatIsNeitherReadNorClosedGivesItsMemoryToOthers() throws Exception {
        HeapSamplerEndpoint endpoint =
                endpoint(EndpointOptions.builder().maxResponseBytes(64 * 1024));
        List<EndpointResponse> forgotten = new ArrayList<>();
        do {
            forgotten.add(endpoint.handle(request(PAGE + "metrics")));
        } while (forgotten.get(forgotten.size() - 1).status() == 200 && forgotten.size() < 1000);

        assertThat(Until.within(60, () -> ask(endpoint, "GET", PAGE + "metrics").status() == 200))
                .isTrue();

        assertThatIOException()
                .isThrownBy(() -> forgotten.get(0).writeTo(OutputStream.nullOutputStream()))
                .withMessage(
                        "nothing was read of the response for a while, and others needed its"
                                + " memory");
        forgotten.forEach(EndpointResponse::close);
        assertThat(endpoint.heldBytes()).isZero();
    }

    @Test
    void indexWaitsForItsTurn() throws Exception {
        HeapSamplerEndpoint endpoint = endpoint(EndpointOptions.builder());
        source.gate = new CountDownLatch(1);
        List<Future<Answer>> answers = new ArrayList<>();
        answers.add(others.submit(() -> ask(endpoint, "GET", HEAP)));
        awaitCalls(1);
        answers.add(others.submit(() -> ask(endpoint, "GET", HEAP + "?debug=1")));
        awaitCalls(2);
        Thread index = new Thread(() -> ask(endpoint, "GET", "/debug/pprof/"));
        index.start();
        assertThat(Until.within(120, () -> index.getState() == Thread.State.TIMED_WAITING))
                .isTrue();

        assertThat(source.calls).hasSize(2);

        source.gate.countDown();
        index.join();
        for (Future<Answer> answer : answers) {
            assertThat(answer.get(120, TimeUnit.SECONDS).status()).isEqualTo(200);
        }
        assertThat(endpoint.heldBytes()).isZero();
    }

    @Test
    void snapshotsThatWaitForALaterOneCountToo() {
        HeapSamplerEndpoint endpoint = endpoint(EndpointOptions.builder());
        for (String target :
                List.of(
                        HEAP + "?seconds=2",
                        PAGE + "growth.json?seconds=2",
                        PAGE + "diff.html?seconds=2")) {
            try (EndpointResponse response = endpoint.handle(request(target))) {
                assertThat(response.status()).as(target).isEqualTo(200);
                assertThat(endpoint.heldBytes()).as(target).isPositive();
            }
            assertThat(ask(endpoint, "GET", target).status()).isEqualTo(200);
            assertThat(endpoint.heldBytes()).as(target).isZero();
        }
        ask(endpoint, "GET", "/debug/pprof/delta_heap");
        long kept = endpoint.heldBytes();
        assertThat(kept).isPositive();
        assertThat(ask(endpoint, "GET", "/debug/pprof/delta_heap").status()).isEqualTo(200);
        assertThat(endpoint.heldBytes()).isBetween(kept / 2, kept * 2);
    }

    @Test
    void snapshotThatIsTooLargeToKeepIsRefused() {
        HeapSamplerEndpoint endpoint = endpoint(EndpointOptions.builder().maxResponseBytes(100));
        for (String target :
                List.of(
                        "/debug/pprof/delta_heap",
                        HEAP + "?seconds=2",
                        PAGE + "growth.json?seconds=2")) {
            assertThat(ask(endpoint, "GET", target).status()).as(target).isEqualTo(503);
        }
        assertThat(endpoint.heldBytes()).isZero();
        assertThat(ask(open, "GET", HEAP + "?seconds=1").status()).isEqualTo(200);
    }

    @Test
    void clientThatReadsTooSlowlyIsBrokenOff() {
        HeapSamplerEndpoint endpoint =
                endpoint(EndpointOptions.builder().writeTimeout(Duration.ofMillis(50)));
        try (EndpointResponse response = endpoint.handle(request(PAGE + "flame.html"))) {
            assertThat(response.contentLength().orElseThrow()).isGreaterThan(100_000);
            assertThatIOException()
                    .isThrownBy(() -> response.writeTo(new Slow()))
                    .withMessage("the client reads too slowly");
        }
        assertThat(endpoint.heldBytes()).isZero();
    }

    /** Takes 20 ms for whatever it gets. */
    private static final class Slow extends OutputStream {
        @Override
        public void write(int b) {
            throw new AssertionError("bytes come one by one");
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            try {
                Thread.sleep(20);
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }
    }

    @Test
    void neverStartedIsNotEmpty() {
        HeapSamplerEndpoint endpoint = endpoint(EndpointOptions.builder());
        source.wasStarted = false;
        for (String target :
                List.of(
                        HEAP,
                        HEAP + "?seconds=1",
                        HEAP + "?gc=1",
                        PAGE + "top.txt",
                        PAGE + "top.json",
                        PAGE + "flame.html")) {
            Answer answer = ask(endpoint, "GET", target);
            assertThat(answer.status()).as(target).isEqualTo(503);
            assertThat(answer.text())
                    .isEqualTo(
                            "The sampler has never been started. Call HeapSampler.start() in the"
                                    + " application, or POST to /debug/heapsampler/start.\n");
        }
        for (String target :
                List.of("/debug/pprof/", PAGE, PAGE + "metrics", PAGE + "status.json")) {
            assertThat(ask(endpoint, "GET", target).status()).as(target).isEqualTo(200);
        }
    }

    @Test
    void changesReachTheSampler() {
        HeapSamplerEndpoint endpoint = endpoint(EndpointOptions.builder());
        post(endpoint, PAGE + "start", "interval=65536");
        post(endpoint, PAGE + "start", "");
        post(endpoint, PAGE + "interval", "interval=8192");
        post(endpoint, PAGE + "stop", "");
        post(endpoint, PAGE + "reset", "");
        assertThat(source.calls)
                .containsExactly(
                        "interval 65536", "start", "start", "interval 8192", "stop", "reset");
        assertThat(post(endpoint, PAGE + "start", "interval=1").text())
                .isEqualTo(
                        "invalid value for \"interval\" - must be from 8192 to 2147483647 bytes\n");
    }

    @Test
    void formAndQueryHaveBounds() {
        HeapSamplerEndpoint endpoint = endpoint(EndpointOptions.builder());
        assertThat(post(endpoint, PAGE + "start", "a=" + "x".repeat(4096)).status()).isEqualTo(413);
        assertThat(ask(endpoint, "GET", HEAP + "?a=" + "x".repeat(2048)).status()).isEqualTo(414);
        assertThat(ask(endpoint, "GET", HEAP + "?a=%4").status()).isEqualTo(400);
        EndpointRequest json =
                Asking.request("POST", PAGE + "start")
                        .header("Host", "localhost")
                        .header("Origin", "http://localhost")
                        .header("Content-Type", "text/plain")
                        .body(
                                new ByteArrayInputStream(
                                        "interval=65536".getBytes(StandardCharsets.UTF_8)))
                        .build();
        assertThat(Asking.answer(endpoint, json).status()).isEqualTo(415);
        assertThat(source.calls).isEmpty();
    }

    @Test
    void nonsenseInTheOptionsIsRefused() {
        EndpointOptions.Builder builder = EndpointOptions.builder();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.prefix("admin/"))
                .withMessage("A prefix begins with a slash and does not end with one: admin/");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.maxSeconds(0))
                .withMessage("maxSeconds must be 1 or more: 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.gcSpacing(Duration.ofSeconds(-1)))
                .withMessage("gcSpacing must be 0 or more: PT-1S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.minInterval(-1))
                .withMessage("minInterval must be 0 or more: -1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HeapSamplerServer.builder().port(65_536))
                .withMessage("port must be from 0 to 65535: 65536");
    }

    @Test
    void hostIsAName() {
        EndpointOptions.Builder builder = EndpointOptions.builder();
        for (String host :
                List.of(
                        "",
                        "http://shop.internal",
                        "shop.internal/",
                        "user@shop.internal",
                        "shop internal",
                        "shop.internal:8080",
                        "[::1]:8080",
                        "shop.internal.",
                        ".internal",
                        "shop..internal")) {
            assertThatIllegalArgumentException()
                    .as(host)
                    .isThrownBy(() -> builder.host("other", host))
                    .withMessage(
                            "A host is a name without scheme, port and trailing dot, such as"
                                    + " shop.internal: "
                                    + host);
        }
        builder.host("Shop.internal", "xn--shp-una", "my_host-1", "[2001:DB8::1]", "192.0.2.1");
        assertThat(builder.build().hosts)
                .containsExactlyInAnyOrder(
                        "shop.internal", "xn--shp-una", "my_host-1", "[2001:db8::1]", "192.0.2.1");
    }
}
