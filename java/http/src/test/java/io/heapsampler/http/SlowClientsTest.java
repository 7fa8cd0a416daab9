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
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients that hold a connection as long as they can, and come again, do not hold an honest one up.
 * Of ten honest requests, one after the other, half take less than a second and all less than 4
 * seconds. Because the machine may be busy with other work, this must hold in one of three rounds,
 * and an honest client whose thread does not run for 250 ms may be taken for a slow one: it tries
 * again, twice at most, within its time. Before slow clients lost their threads to others, each
 * request took 15 to 60 seconds.
 */
@Timeout(180)
class SlowClientsTest {

    private static final int HONEST = 10;
    private static final int ROUNDS = 3;
    private static final int TRIES = 3;
    private static final Duration MEDIAN = Duration.ofSeconds(1);
    private static final Duration SLOWEST = Duration.ofSeconds(4);
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
        slow.clear();
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

    private static Swarm swarm(int clients, HeapSamplerServer server, String begin)
            throws IOException {
        return new Swarm(
                clients, server.address().getPort(), begin.getBytes(StandardCharsets.US_ASCII));
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

    /** A machine that is busy with other work may need a second or third try. */
    private static void assertHonestClientIsServed(Callable<Integer> request) throws Exception {
        List<Duration> taken = measure(request);
        for (int round = 1; round < ROUNDS && !isQuick(taken); round++) {
            taken = measure(request);
        }
        assertThat(isQuick(taken)).as(taken.toString()).isTrue();
    }

    private static boolean isQuick(List<Duration> taken) {
        return taken.get(HONEST / 2).compareTo(MEDIAN) < 0
                && taken.get(HONEST - 1).compareTo(SLOWEST) < 0;
    }

    /** Returns how long the requests took, the quickest first. */
    private static List<Duration> measure(Callable<Integer> request) throws Exception {
        List<Duration> taken = new ArrayList<>();
        for (int i = 0; i < HONEST; i++) {
            long begin = System.nanoTime();
            assertThat(status(request)).isEqualTo(200);
            taken.add(Duration.ofNanos(System.nanoTime() - begin));
        }
        taken.sort(null);
        return taken;
    }

    private static int status(Callable<Integer> request) throws Exception {
        for (int i = 1; i < TRIES; i++) {
            try {
                int status = request.call();
                if (status != 0) {
                    return status;
                }
            } catch (IOException e) {
                // It was disconnected.
            }
        }
        return request.call();
    }

    @Test
    void thoseWhoSendHeadersSlowly() throws Exception {
        try (HeapSamplerServer server = server();
                Swarm swarm = swarm(128, server, HEADERS)) {
            assertHonestClientIsServed(server.address().getPort());
            assertThat(Until.within(60, () -> swarm.comeAgain() > 0)).isTrue();
        }
    }

    /** Takes some seconds: each of them is given its grace. */
    @Test
    @EnabledIfEnvironmentVariable(named = "HEAPSAMPLER_LONG", matches = "true")
    void moreOfThemThanCanWait() throws Exception {
        try (HeapSamplerServer server = server()) {
            int port = server.address().getPort();
            send(
                    HeapSamplerServer.Threads.THREADS + HeapSamplerServer.Threads.WAITING + 100,
                    port,
                    HEADERS);
            assertHonestClientIsServed(port);
            assertThat(
                            Thread.getAllStackTraces().keySet().stream()
                                    .filter(t -> t.getName().matches("heapsampler-http-[0-9]+"))
                                    .count())
                    .isLessThanOrEqualTo(HeapSamplerServer.Threads.THREADS);
        }
    }

    @Test
    void thoseWhoSendAFormSlowly() throws Exception {
        try (HeapSamplerServer server = server();
                Swarm swarm = swarm(64, server, post(1000, OWN_PAGE))) {
            assertHonestClientIsServed(server.address().getPort());
            assertThat(Until.within(60, () -> swarm.comeAgain() > 0)).isTrue();
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
        try (HeapSamplerServer server = HeapSamplerServer.builder().port(0).tls(context).start();
                Swarm swarm = new Swarm(128, server.address().getPort(), TlsTest.HALF_A_HELLO)) {
            int port = server.address().getPort();
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
            assertThat(Until.within(60, () -> swarm.comeAgain() > 0)).isTrue();
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
                long before = connectionsThatAreCounted(port);
                send(16, port, post(1000, OTHER_PAGE));
                assertHonestClientIsServed(port, "Authorization: Bearer " + Contract.TOKEN);
                for (Socket socket : slow) {
                    Reply reply = RawClient.parse(RawClient.readToTheEnd(socket), false);
                    assertThat(reply.status()).isEqualTo(401);
                    assertThat(reply.isWhole()).isTrue();
                    assertThat(reply.header("Connection")).isEqualTo("close");
                }
                assertThat(Until.within(60, () -> Connections.count() <= before)).isTrue();
                leave();
            }
        }
    }

    /** Returns how many there are, after some have come and gone. */
    private long connectionsThatAreCounted(int port) throws Exception {
        long before = Connections.count();
        send(16, port, "");
        assertThat(Until.within(60, () -> Connections.count() >= before + 16)).isTrue();
        leave();
        assertThat(Until.within(60, () -> Connections.count() <= before)).isTrue();
        return before;
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
