// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import com.acme.Allocations;
import io.heapsampler.HeapSampler;
import io.heapsampler.http.RawClient.Reply;
import io.heapsampler.support.Until;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The server of our own: its address, clients who are slow, and many of them. */
class ServerTest {

    private static final int CLIENTS = 200;

    private final ExecutorService others = Executors.newCachedThreadPool();

    @BeforeAll
    static void manySites() {
        ManySites.sample();
    }

    @AfterAll
    static void forget() {
        HeapSampler.reset();
    }

    private static HeapSamplerServer server(EndpointOptions.Builder options) throws IOException {
        return HeapSamplerServer.builder().port(0).options(options.build()).start();
    }

    /** An application whose main method returns is to end. */
    @Test
    void noneOfItsThreadsKeepsTheJvmFromEnding() throws Exception {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        try (HeapSamplerServer server = server(EndpointOptions.builder())) {
            RawClient.get(server.address().getPort(), "/debug/pprof/");

            assertThat(Thread.getAllStackTraces().keySet())
                    .filteredOn(thread -> !before.contains(thread))
                    .isNotEmpty()
                    .allMatch(Thread::isDaemon);
        }
    }

    @Test
    void listensOnThisMachineOnly() throws Exception {
        try (HeapSamplerServer server = server(EndpointOptions.builder())) {
            assertThat(server.address().getAddress().isLoopbackAddress()).isTrue();
            assertThat(RawClient.get(server.address().getPort(), "/debug/pprof/").status())
                    .isEqualTo(200);
            assertThatIOException()
                    .isThrownBy(
                            () ->
                                    HeapSamplerServer.builder()
                                            .port(server.address().getPort())
                                            .start())
                    .withMessageStartingWith("Cannot listen on 127.0.0.1, port ")
                    .withMessageEndingWith("Choose another port, or 0 for any that is free.");
        }
    }

    @Test
    void otherAddressWithATokenIsFine() throws Exception {
        try (HeapSamplerServer server =
                HeapSamplerServer.builder()
                        .address(InetAddress.getByName("0.0.0.0"))
                        .port(0)
                        .options(EndpointOptions.builder().token(Contract.TOKEN).build())
                        .start()) {
            int port = server.address().getPort();
            assertThat(RawClient.get(port, "/debug/pprof/heap").status()).isEqualTo(401);
            assertThat(
                            RawClient.get(
                                            port,
                                            "/debug/pprof/heap",
                                            "Authorization: Bearer " + Contract.TOKEN)
                                    .status())
                    .isEqualTo(200);
        }
    }

    @Test
    void closeEndsThreadsAndConnections() throws Exception {
        HeapSamplerServer server = server(EndpointOptions.builder());
        int port = server.address().getPort();
        try (Socket socket = RawClient.connect(port)) {
            send(socket, "GET", "/debug/pprof/heap?seconds=200");
            RawClient.readSome(socket.getInputStream(), 20);
            server.close();
            server.close();
            String rest = new String(RawClient.readToTheEnd(socket), StandardCharsets.ISO_8859_1);
            assertThat(rest).doesNotEndWith("0\r\n\r\n");
        }
        assertThat(Until.within(120, () -> !hasThreads())).isTrue();
    }

    private static boolean hasThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().matches("heapsampler-http-[0-9]+"));
    }

    private static void send(Socket socket, String method, String target) throws IOException {
        socket.getOutputStream()
                .write(RawClient.request(method, target, "").getBytes(StandardCharsets.ISO_8859_1));
    }

    @Test
    @Timeout(300)
    void clientsThatSendSlowlyAreDisconnected() throws Exception {
        try (HeapSamplerServer server =
                HeapSamplerServer.builder().port(0).readTimeout(Duration.ofMillis(500)).start()) {
            int port = server.address().getPort();
            List<Socket> slow = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                Socket socket = RawClient.connect(port);
                socket.getOutputStream()
                        .write(
                                "GET /debug/pprof/heap HTTP/1.1\r\nHost: l"
                                        .getBytes(StandardCharsets.US_ASCII));
                slow.add(socket);
            }
            // More than there are threads, and yet another client is served. It may have to try
            // again where a slow machine makes it a slow client.
            assertThat(Until.within(120, () -> RawClient.isServed(port))).isTrue();
            for (Socket socket : slow) {
                assertThat(RawClient.readToTheEnd(socket)).isEmpty();
                socket.close();
            }
        }
    }

    @Test
    @Timeout(300)
    void clientThatStopsReadingIsDisconnected() throws Exception {
        try (HeapSamplerServer server =
                server(
                        EndpointOptions.builder()
                                .maxResponseBytes(64 << 20)
                                .writeTimeout(Duration.ofMillis(500)))) {
            int port = server.address().getPort();
            try (Socket socket = new Socket()) {
                socket.setReceiveBufferSize(4096);
                socket.setSoTimeout(120_000);
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                send(socket, "GET", "/debug/pprof/heap?debug=1");
                RawClient.readSome(socket.getInputStream(), 20);
                assertHoldsNothing(server);
                assertThat(RawClient.readToTheEnd(socket)).hasSizeLessThan(7 << 20);
            }
        }
        try (HeapSamplerServer patient =
                server(EndpointOptions.builder().maxResponseBytes(64 << 20))) {
            Reply whole = RawClient.get(patient.address().getPort(), "/debug/pprof/heap?debug=1");
            assertThat(whole.isWhole()).isTrue();
            assertThat(whole.body()).hasSizeGreaterThan(7 << 20);
        }
    }

    @Test
    @Timeout(300)
    void manyScrapesWhileAllocatingAtFullSpeed() throws Exception {
        AtomicBoolean isOver = new AtomicBoolean();
        Future<Integer> allocating =
                others.submit(
                        () -> {
                            int bytes = 0;
                            while (!isOver.get()) {
                                bytes += Allocations.bytes(512).length;
                            }
                            return bytes;
                        });
        try (HeapSamplerServer server = server(EndpointOptions.builder())) {
            int port = server.address().getPort();
            List<Future<Long>> scrapes = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                String path = i % 2 == 0 ? "/debug/pprof/heap" : "/debug/heapsampler/metrics";
                scrapes.add(others.submit(() -> scrape(port, path)));
            }
            long most = 0;
            List<Long> millis = new ArrayList<>();
            for (Future<Long> scrape : scrapes) {
                most = Math.max(most, server.endpoint().heldBytes());
                millis.add(scrape.get(60, TimeUnit.SECONDS));
            }
            millis.sort(null);
            System.out.printf(
                    "%d scrapes at once: median %d ms, p99 %d ms, at most %d KiB held%n",
                    CLIENTS, millis.get(CLIENTS / 2), millis.get(CLIENTS * 99 / 100), most / 1024);
            assertThat(most).isLessThan(16 << 20);
            assertHoldsNothing(server);
        } finally {
            isOver.set(true);
            allocating.get(120, TimeUnit.SECONDS);
            others.shutdownNow();
        }
    }

    /** Soon: a client may have all of its answer before the server has given the memory back. */
    private static void assertHoldsNothing(HeapSamplerServer server) throws Exception {
        assertThat(Until.within(120, () -> server.endpoint().heldBytes() == 0)).isTrue();
    }

    private static long scrape(int port, String path) throws IOException {
        long begin = System.nanoTime();
        Reply reply = RawClient.get(port, path);
        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.isWhole()).isTrue();
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
    }
}
