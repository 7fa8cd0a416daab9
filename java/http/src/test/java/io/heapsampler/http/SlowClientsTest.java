// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.heapsampler.HeapSampler;
import io.heapsampler.http.RawClient.Reply;
import io.heapsampler.support.OwnCertificate;
import io.heapsampler.support.Until;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.management.ObjectName;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients that hold a connection as long as they can do not hold an honest one up. The limits of
 * time: of five honest requests, the quickest takes less than a second, and none takes as long as
 * the 10 seconds of a slow client. Before there were such limits, the first took 18 to 60 seconds.
 */
@Timeout(180)
class SlowClientsTest {

    private static final int HONEST = 5;
    private static final Duration QUICK = Duration.ofSeconds(1);
    private static final Duration AS_SLOW_AS_THE_OTHERS = Duration.ofSeconds(8);
    private static final String HEADERS = "GET /debug/pprof/ HTTP/1.1\r\nHost: localhost\r\nX-A: ";
    private static final String OWN_PAGE = "Origin: http://localhost";
    private static final String OTHER_PAGE = "Origin: http://evil.example";

    private final List<Socket> slow = new ArrayList<>();

    @BeforeAll
    static void sample() {
        ManySites.sample();
    }

    @AfterAll
    static void forget() {
        HeapSampler.reset();
    }

    @AfterEach
    void leave() throws IOException {
        for (Socket socket : slow) {
            socket.close();
        }
    }

    private static HeapSamplerServer server() throws IOException {
        return HeapSamplerServer.builder().port(0).start();
    }

    /** Sends the beginning of a request and no more. */
    private Socket send(int port, byte[] bytes) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(4096);
        socket.setSoTimeout(120_000);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        slow.add(socket);
        socket.getOutputStream().write(bytes);
        return socket;
    }

    private void send(int clients, int port, String begin) throws IOException {
        for (int i = 0; i < clients; i++) {
            send(port, begin.getBytes(StandardCharsets.US_ASCII));
        }
    }

    /** The headers of a POST, of whose form only the first byte is sent. */
    private static String post(int length, String... headers) {
        String whole =
                RawClient.request("POST", "/debug/heapsampler/gc", "a".repeat(length), headers);
        return whole.substring(0, whole.indexOf("\r\n\r\n") + 5);
    }

    private static void assertHonestClientIsServed(int port, String... headers) throws Exception {
        assertHonestClientIsServed(
                () -> RawClient.get(port, "/debug/heapsampler/status.json", headers).status());
    }

    private static void assertHonestClientIsServed(Callable<Integer> request) throws Exception {
        Duration quickest = Duration.ofDays(1);
        for (int i = 0; i < HONEST; i++) {
            long begin = System.nanoTime();
            assertThat(request.call()).isEqualTo(200);
            Duration taken = Duration.ofNanos(System.nanoTime() - begin);
            assertThat(taken).isLessThan(AS_SLOW_AS_THE_OTHERS);
            quickest = taken.compareTo(quickest) < 0 ? taken : quickest;
        }
        assertThat(quickest).isLessThan(QUICK);
    }

    @Test
    void thoseWhoSendHeadersSlowly() throws Exception {
        try (HeapSamplerServer server = server()) {
            int port = server.address().getPort();
            send(128, port, HEADERS);
            assertHonestClientIsServed(port);
        }
    }

    /** Takes some seconds: each of them is given its grace. */
    @Test
    @EnabledIfEnvironmentVariable(named = "HEAPSAMPLER_LONG", matches = "true")
    void moreOfThemThanCanWait() throws Exception {
        try (HeapSamplerServer server = server()) {
            int port = server.address().getPort();
            send(ServerThreads.THREADS + ServerThreads.WAITING + 100, port, HEADERS);
            assertHonestClientIsServed(port);
            assertThat(
                            Thread.getAllStackTraces().keySet().stream()
                                    .filter(t -> t.getName().matches("heapsampler-http-[0-9]+"))
                                    .count())
                    .isLessThanOrEqualTo(ServerThreads.THREADS);
        }
    }

    @Test
    void thoseWhoSendAFormSlowly() throws Exception {
        try (HeapSamplerServer server = server()) {
            int port = server.address().getPort();
            send(64, port, post(1000, OWN_PAGE));
            assertHonestClientIsServed(port);
        }
    }

    @Test
    void thoseWhoDoNotRead() throws Exception {
        try (HeapSamplerServer server = server()) {
            int port = server.address().getPort();
            send(80, port, RawClient.request("GET", "/debug/pprof/heap?debug=1", ""));
            for (Socket socket : slow.subList(0, 40)) {
                RawClient.readSome(socket.getInputStream(), 20);
            }
            assertHonestClientIsServed(port);
        }
    }

    @Test
    void thoseWhoShakeHandsSlowly(@TempDir Path folder) throws Exception {
        SSLContext context = OwnCertificate.make(folder);
        try (HeapSamplerServer server = HeapSamplerServer.builder().port(0).tls(context).start()) {
            int port = server.address().getPort();
            for (int i = 0; i < 128; i++) {
                send(port, TlsTest.HALF_A_HELLO);
            }
            assertHonestClientIsServed(
                    () -> {
                        try (Socket socket =
                                context.getSocketFactory()
                                        .createSocket(InetAddress.getLoopbackAddress(), port)) {
                            String request =
                                    RawClient.request("GET", "/debug/heapsampler/status.json", "");
                            socket.getOutputStream()
                                    .write(request.getBytes(StandardCharsets.US_ASCII));
                            byte[] answer = socket.getInputStream().readAllBytes();
                            return RawClient.parse(answer, false).status();
                        }
                    });
        }
    }

    /** A server of the application, with few threads. */
    private static final class Mounted implements AutoCloseable {
        private final ExecutorService threads = Executors.newFixedThreadPool(2);
        private final HttpServer server;

        Mounted(EndpointOptions options) throws IOException {
            InetAddress local = InetAddress.getLoopbackAddress();
            server = HttpServer.create(new InetSocketAddress(local, 0), 0);
            server.createContext("/debug", new HeapSamplerHandler(options));
            server.setExecutor(threads);
            server.start();
        }

        int port() {
            return server.getAddress().getPort();
        }

        @Override
        public void close() {
            threads.shutdownNow();
            server.stop(0);
        }
    }

    @Test
    void formOfAStrangerIsNotWaitedFor() throws Exception {
        try (Mounted mounted =
                        new Mounted(EndpointOptions.builder().token(Contract.TOKEN).build());
                HeapSamplerServer server =
                        HeapSamplerServer.builder()
                                .port(0)
                                .options(EndpointOptions.builder().token(Contract.TOKEN).build())
                                .start()) {
            for (int port : new int[] {mounted.port(), server.address().getPort()}) {
                send(16, port, post(1000, OTHER_PAGE));
                assertHonestClientIsServed(port, "Authorization: Bearer " + Contract.TOKEN);
                for (Socket socket : slow) {
                    Reply reply = RawClient.parse(RawClient.readToTheEnd(socket), false);
                    assertThat(reply.status()).isEqualTo(401);
                    assertThat(reply.isWhole()).isTrue();
                    assertThat(reply.header("Connection")).isEqualTo("close");
                }
                leave();
                slow.clear();
                assertThat(Until.within(60, () -> connections() < 16)).isTrue();
            }
        }
    }

    /** Connections that the JDK's servers of this JVM have not forgotten. */
    private static long connections() throws Exception {
        Object histogram =
                ManagementFactory.getPlatformMBeanServer()
                        .invoke(
                                new ObjectName("com.sun.management:type=DiagnosticCommand"),
                                "gcClassHistogram",
                                new Object[] {new String[0]},
                                new String[] {String[].class.getName()});
        return histogram
                .toString()
                .lines()
                .filter(line -> line.contains("sun.net.httpserver.HttpConnection "))
                .mapToLong(line -> Long.parseLong(line.trim().split(" +")[1]))
                .sum();
    }

    @Test
    void bodyOfAGetIsNotWaitedFor() throws Exception {
        try (Mounted mounted =
                new Mounted(EndpointOptions.builder().allowUnauthenticated().build())) {
            for (String method : new String[] {"GET", "HEAD"}) {
                String head = method + " /debug/pprof/ HTTP/1.1\r\nHost: localhost\r\n";
                send(16, mounted.port(), head + "Content-Length: 1000\r\n\r\n");
            }
            assertHonestClientIsServed(mounted.port());
        }
    }

    @Test
    void clientThatSendsTooLongAFormLearnsIt() throws Exception {
        try (Mounted mounted =
                        new Mounted(EndpointOptions.builder().allowUnauthenticated().build());
                HeapSamplerServer server = server()) {
            String form = "a=" + "x".repeat(10_000_000);
            for (int port : new int[] {mounted.port(), server.address().getPort()}) {
                Reply reply = RawClient.send(port, "POST", "/debug/heapsampler/gc", form, OWN_PAGE);
                assertThat(reply.status()).isEqualTo(413);
                assertThat(reply.isWhole()).isTrue();
            }
        }
    }

    @Test
    void connectionIsKeptForTheNextRequest() throws Exception {
        try (Mounted mounted =
                        new Mounted(EndpointOptions.builder().token(Contract.TOKEN).build());
                Socket socket = RawClient.connect(mounted.port())) {
            String post = RawClient.request("POST", "/debug/heapsampler/gc", "allowed=true");
            String get = RawClient.request("GET", "/debug/pprof/", "");
            OutputStream out = socket.getOutputStream();
            out.write(
                    (post.replace("Connection: close\r\n", "") + get)
                            .getBytes(StandardCharsets.US_ASCII));
            String answers =
                    new String(RawClient.readToTheEnd(socket), StandardCharsets.ISO_8859_1);
            assertThat(answers.split("HTTP/1.1 401", -1)).hasSize(3);
        }
    }
}
