// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.http.Contract.Row;
import io.heapsampler.http.RawClient.Reply;
import io.heapsampler.support.Until;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What every server has to do with the endpoint, over a real connection. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class WireContract {

    /** Returns where the server listens. */
    abstract int port();

    static List<Row> rows() {
        return Contract.rows();
    }

    @ParameterizedTest
    @MethodSource("rows")
    void eachAddressAnswersAsTheTableSays(Row row) throws Exception {
        Reply reply =
                RawClient.send(
                        port(),
                        row.method(),
                        row.target(),
                        "",
                        row.headers().toArray(String[]::new));

        assertThat(reply.status()).as(reply.text()).isEqualTo(row.status());
        assertThat(reply.isWhole()).isTrue();
        assertThat(reply.header("Content-Type").replace("; ", ";"))
                .isEqualToIgnoringCase(row.contentType().replace("; ", ";"));
        assertThat(reply.header("X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(reply.header("X-Go-Pprof")).isEqualTo(row.goPprof());
        assertThat(reply.header("Content-Disposition")).isEqualTo(row.disposition());
        assertThat(reply.text()).contains(row.body());
        assertThat(reply.headers().keySet()).noneMatch(name -> name.startsWith("access-control"));
        if (row.method().equals("HEAD")) {
            assertThat(reply.body()).isEmpty();
        }
    }

    /** Some servers refuse such a request themselves, as one that contradicts itself. */
    @ParameterizedTest
    @ValueSource(strings = {"http://evil.example", "http://evil.example:80", "//evil.example"})
    void foreignNameInTheTargetIsRefused(String prefix) throws Exception {
        assertThat(RawClient.get(port(), prefix + "/debug/pprof/heap").status())
                .isIn(400, 403, 404);
        String own = "http://localhost:" + port();
        String host = "Host: localhost:" + port();
        assertThat(RawClient.get(port(), own + "/debug/pprof/heap", host).status()).isEqualTo(200);
    }

    @Test
    void deltaIsOneProfileAfterItsSeconds() throws Exception {
        long begin = System.nanoTime();
        Reply reply = RawClient.get(port(), "/debug/pprof/allocs?seconds=5");

        assertThat(Duration.ofNanos(System.nanoTime() - begin))
                .isGreaterThanOrEqualTo(Contract.SECOND.multipliedBy(5));
        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.isWhole()).isTrue();
        assertThat(reply.header("Content-Disposition"))
                .isEqualTo("attachment; filename=\"allocs-delta\"");
        assertThat(Gzip.read(reply.body()))
                .contains("alloc_space".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void clientThatLeavesFreesItsPlace() throws Exception {
        try (Socket socket = RawClient.connect(port())) {
            socket.getOutputStream()
                    .write(
                            RawClient.request("GET", "/debug/pprof/heap?seconds=200", "")
                                    .getBytes(StandardCharsets.ISO_8859_1));
            InputStream in = socket.getInputStream();
            RawClient.readSome(in, 20);
            Reply other = RawClient.get(port(), "/debug/pprof/heap?seconds=1");
            assertThat(other.status()).isEqualTo(429);
            assertThat(Integer.parseInt(other.header("Retry-After"))).isBetween(100, 201);
        }
        AtomicReference<Reply> reply = new AtomicReference<>();
        boolean isFree =
                Until.within(
                        120,
                        () -> {
                            reply.set(RawClient.get(port(), "/debug/pprof/heap?seconds=1"));
                            return reply.get().status() != 429;
                        });
        assertThat(isFree).isTrue();
        assertThat(reply.get().status()).isEqualTo(200);
        assertThat(reply.get().isWhole()).isTrue();
    }

    @Test
    void deltaAcrossAResetIsBrokenOff() throws Exception {
        try (Socket socket = RawClient.connect(port())) {
            socket.getOutputStream()
                    .write(
                            RawClient.request("GET", "/debug/pprof/heap?seconds=30", "")
                                    // Else an end may be no more than that of the connection.
                                    .replace("Connection: close\r\n", "")
                                    .getBytes(StandardCharsets.ISO_8859_1));
            InputStream in = socket.getInputStream();
            byte[] first = in.readNBytes(20);
            Reply reset =
                    RawClient.send(
                            port(),
                            "POST",
                            "/debug/heapsampler/reset",
                            "",
                            "Origin: http://localhost");
            assertThat(reset.status()).isEqualTo(200);
            byte[] all = concat(first, RawClient.readToTheEnd(socket));
            assertThat(RawClient.parse(all, false).isWhole()).isFalse();
        } finally {
            FakeSource.freshlySampled();
        }
    }

    private static byte[] concat(byte[] a, byte[] b) {
        byte[] all = Arrays.copyOf(a, a.length + b.length);
        System.arraycopy(b, 0, all, a.length, b.length);
        return all;
    }
}
