// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.http.RawClient.Reply;
import io.heapsampler.support.Until;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Absurd requests, of which parts are right. Each must get a response soon, and none may be a 500;
 * nothing is held afterwards.
 */
class FuzzTest {

    private static final long SEED = 20261121;
    private static final long MOST_KEPT = 32 * 1024;
    private static final int IN_PROCESS = 10_000;
    private static final int OVER_THE_WIRE = 500;

    /** After that what is made once is made: classes, tables, a snapshot for differences. */
    private static final int WARM_UP = 1_000;

    /** Less than half a KiB for each of the others. */
    private static final long MOST_GROWTH = 4 << 20;

    private static final List<String> METHODS =
            List.of("GET", "GET", "GET", "HEAD", "POST", "PUT", "OPTIONS", "get", "G\u00c9T", "");
    private static final List<String> PATHS =
            List.of(
                    "/debug/pprof/",
                    "/debug/pprof/heap",
                    "/debug/pprof/allocs",
                    "/debug/pprof/delta_heap",
                    "/debug/pprof",
                    "/debug/heapsampler/",
                    "/debug/heapsampler/metrics",
                    "/debug/heapsampler/status.json",
                    "/debug/heapsampler/top.txt",
                    "/debug/heapsampler/start",
                    "/debug/heapsampler/interval",
                    "/debug/heapsampler/gc",
                    "/debug/heapsampler/growth.json",
                    "/secure/debug/pprof/heap",
                    "*",
                    "");
    private static final List<String> QUERIES =
            List.of(
                    "debug=",
                    "gc=",
                    "seconds=",
                    "interval=",
                    "metric=",
                    "allowed=",
                    "&",
                    "=",
                    "a=b");
    private static final List<String> VALUES =
            List.of(
                    "1",
                    "0",
                    "-1",
                    "99999999999999999999",
                    "0x10",
                    "%00",
                    "%",
                    "%zz",
                    "%c0%af",
                    "../../etc/passwd",
                    "<script>",
                    "\u0000",
                    "\u007f",
                    "\u20ac",
                    "true",
                    "inuse_space",
                    "");
    private static final List<String> HEADERS =
            List.of(
                    "Host",
                    "Authorization",
                    "Origin",
                    "Sec-Fetch-Site",
                    "Accept",
                    "Content-Type",
                    "X-Forwarded-For",
                    "Cookie",
                    "Range",
                    "If-None-Match",
                    "Expect");
    private static final List<String> HEADER_VALUES =
            List.of(
                    "localhost",
                    "http://localhost",
                    "same-origin",
                    "Bearer " + Contract.TOKEN,
                    "Bearer",
                    "Basic ====",
                    "Basic Og==",
                    "[::1",
                    "[]",
                    ":",
                    "evil.example:",
                    "text/html",
                    "application/x-www-form-urlencoded; charset=\"",
                    "bytes=0-1",
                    "");

    private final Random random = new Random(SEED);
    private final int[] statuses = new int[600];

    private String any(List<String> all) {
        return all.get(random.nextInt(all.size()));
    }

    private String noise(int most) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(most); i > 0; i--) {
            text.append(
                    (char)
                            (random.nextInt(10) == 0
                                    ? random.nextInt(256)
                                    : ' ' + random.nextInt(95)));
        }
        return text.toString();
    }

    private String path() {
        String path = any(PATHS);
        return switch (random.nextInt(8)) {
            case 0 -> path + noise(20);
            case 1 -> path.replace('/', (char) random.nextInt(256));
            case 2 -> "/" + noise(40);
            default -> path;
        };
    }

    private String query() {
        StringBuilder query = new StringBuilder();
        for (int i = random.nextInt(5); i > 0; i--) {
            query.append(any(QUERIES)).append(random.nextInt(4) == 0 ? noise(30) : any(VALUES));
            query.append(random.nextInt(5) == 0 ? "" : "&");
        }
        // A wait of a second would be right, and is tested elsewhere.
        return query.toString().replaceAll("seconds=[0-9]{1,3}(?![0-9])", "seconds=0");
    }

    /** Any request except for growth over some seconds, which waits however it is made. */
    private EndpointRequest request() {
        EndpointRequest made;
        do {
            EndpointRequest.Builder request =
                    EndpointRequest.builder(any(METHODS), path())
                            .query(random.nextInt(4) == 0 ? null : query())
                            .remoteAddress(InetAddress.getLoopbackAddress());
            if (random.nextInt(10) > 0) {
                request.header("Host", "localhost");
            }
            for (int h = random.nextInt(4); h > 0; h--) {
                request.header(
                        any(HEADERS), random.nextInt(4) == 0 ? noise(60) : any(HEADER_VALUES));
            }
            request.body(new ByteArrayInputStream(query().getBytes(StandardCharsets.UTF_8)));
            made = request.build();
        } while (made.path().endsWith("growth.json")
                && (made.query() == null || !made.query().startsWith("seconds=0")));
        return made;
    }

    private void ask(List<HeapSamplerEndpoint> endpoints, int requests) throws IOException {
        for (int i = 0; i < requests; i++) {
            EndpointRequest made = request();
            try (EndpointResponse response = endpoints.get(i % 2).handle(made)) {
                statuses[response.status()]++;
                assertThat(response.status()).as(made + "?" + made.query()).isBetween(200, 503);
                assertThat(response.status()).as(made + "?" + made.query()).isNotEqualTo(500);
            }
        }
    }

    /** Bytes of the heap that are used after a collection. */
    private static long used() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    @Test
    @Timeout(120)
    void everyRequestGetsAResponseAndNoneFails() throws Exception {
        FakeSource source = new FakeSource();
        FakeSource.freshlySampled();
        List<HeapSamplerEndpoint> endpoints =
                List.of(
                        new HeapSamplerEndpoint(
                                EndpointOptions.builder().gcSpacing(Duration.ZERO).build(), source),
                        new HeapSamplerEndpoint(
                                EndpointOptions.builder().token(Contract.TOKEN).build(), source));
        ask(endpoints, WARM_UP);
        source.calls.clear();
        long before = used();
        ask(endpoints, IN_PROCESS - WARM_UP);
        source.calls.clear();
        assertThat(Arrays.stream(statuses).sum()).isEqualTo(IN_PROCESS);
        // Each keeps one snapshot, of few sites, for the next delta_heap.
        assertThat(endpoints)
                .allSatisfy(e -> assertThat(e.heldBytes()).isLessThanOrEqualTo(MOST_KEPT));
        // More than once: what references hold back, and others of this JVM, may go later.
        assertThat(Until.within(60, () -> used() < before + MOST_GROWTH))
                .as("%d bytes before, %d after", before, used())
                .isTrue();
        for (int status : new int[] {200, 301, 400, 401, 403, 404, 405}) {
            assertThat(statuses[status]).as("requests that met " + status).isPositive();
        }
    }

    @Test
    @Timeout(120)
    void serverAnswersOrHangsUp() throws Exception {
        FakeSource.freshlySampled();
        try (HeapSamplerServer server =
                HeapSamplerServer.builder().port(0).readTimeout(Duration.ofSeconds(1)).start()) {
            int port = server.address().getPort();
            int answered = 0;
            for (int i = 0; i < OVER_THE_WIRE; i++) {
                try (Socket socket = RawClient.connect(port)) {
                    socket.getOutputStream().write(bytes());
                    socket.shutdownOutput();
                    Reply reply = RawClient.parse(socket.getInputStream().readAllBytes(), true);
                    assertThat(reply.status()).isNotEqualTo(500);
                    answered += reply.status() > 0 ? 1 : 0;
                } catch (SocketTimeoutException e) {
                    throw new AssertionError("the server neither answered nor hung up", e);
                } catch (SocketException e) {
                    // It has disconnected, which is also a response.
                }
            }
            assertThat(answered).isGreaterThan(OVER_THE_WIRE / 4);
            assertThat(Until.within(120, () -> RawClient.isServed(port))).isTrue();
        }
    }

    private byte[] bytes() {
        String target =
                (path() + (random.nextBoolean() ? "?" + query() : ""))
                        .replaceAll("growth|gc=", "x");
        String request =
                RawClient.request(
                        any(METHODS), target, "", any(HEADERS) + ": " + any(HEADER_VALUES));
        byte[] bytes = request.getBytes(StandardCharsets.ISO_8859_1);
        if (random.nextInt(3) == 0) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
        }
        return bytes;
    }
}
