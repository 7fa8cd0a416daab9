// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heapsampler.support.OwnCertificate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Receivers behind TLS, with a certificate that no public authority has signed. */
@Timeout(60)
class PusherTlsTest extends PusherCase {

    private static final String PATH = "/v1development/profiles";

    private static final String AWAY = " cannot be reached: ";
    private static final String IS_IT_THERE = " Is the receiver running, and is this its address?";

    private static Path keys;
    private static SSLContext context;
    private static FakeReceiver secured;

    @BeforeAll
    static void listen(@TempDir Path folder) throws Exception {
        keys = folder;
        context = OwnCertificate.make(folder);
        secured = new FakeReceiver(context);
    }

    @AfterAll
    static void end() {
        secured.close();
    }

    @Test
    void pyroscopeIsReachedByWhoTrustsItsCertificate() throws Exception {
        for (PyroscopePushBuilder.Api api : PyroscopePushBuilder.Api.values()) {
            try (ProfilePush push =
                    pyroscope(secured.address(), TICK).sslContext(context).api(api).start()) {
                await("delivered", () -> push.status().delivered() > 0);

                assertThat(push.status().lastError()).isNull();
            }
        }
        assertThat(warnings.texts()).isEmpty();
    }

    @Test
    void aCollectorIsReachedByWhoTrustsItsCertificate() throws Exception {
        try (ProfilePush push = otlp(secured.address(), TICK).sslContext(context).start()) {
            await("delivered", () -> push.status().delivered() > 0);

            assertThat(push.status().lastError()).isNull();
        }
        assertThat(warnings.texts()).isEmpty();
    }

    @Test
    void aCollectorIsReachedWithTheCertificateOfTheVariable(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("ca.pem"), OwnCertificate.pem(keys));
        FakeReceiver open = FakeReceiver.forAll(context);
        Map<String, String> variables =
                Map.of("OTEL_EXPORTER_OTLP_PROFILES_CERTIFICATE", file.toString());
        try (ProfilePush push = otlp(open.address(), TICK).environment(variables::get).start()) {
            await("delivered", () -> push.status().delivered() > 0);

            assertThat(push.status().lastError()).isNull();
        } finally {
            open.close();
        }
        assertThat(warnings.texts()).isEmpty();
    }

    @Test
    void aCollectorThatRequiresACertificateIsReachedWithTheVariables(@TempDir Path folder)
            throws Exception {
        Path ca = Files.writeString(folder.resolve("ca.pem"), OwnCertificate.pem(keys));
        Path key = Files.writeString(folder.resolve("key.pem"), OwnCertificate.keyPem(keys));
        Map<String, String> variables =
                Map.of(
                        "OTEL_EXPORTER_OTLP_CERTIFICATE", ca.toString(),
                        "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", "none.pem",
                        "OTEL_EXPORTER_OTLP_PROFILES_CLIENT_CERTIFICATE", ca.toString(),
                        "OTEL_EXPORTER_OTLP_CLIENT_KEY", key.toString());
        try (ProfilePush push = otlp(secured.address(), TICK).environment(variables::get).start()) {
            await("delivered", () -> push.status().delivered() > 0);

            assertThat(push.status().lastError()).isNull();
        }
        assertThat(warnings.texts()).isEmpty();
    }

    @Test
    void withoutTrustNothingIsSentAndTheMessageSaysWhatHelps() throws Exception {
        assertThat(failure(secured.address())).matches(tlsFailed(secured.address()));
    }

    /**
     * About once in a hundred times the JDK's client reports that the connection ended and not why;
     * it does not happen three times in a row.
     */
    @Test
    void aServerWithoutTlsIsNoMissingServer() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            new Thread(() -> answerWithoutTls(socket)).start();
            URI address = URI.create("https://127.0.0.1:" + socket.getLocalPort());
            String failure = failure(address);
            for (int i = 1; i < 3 && !failure.matches(tlsFailed(address)); i++) {
                assertThat(failure)
                        .startsWith(address + PATH + AWAY)
                        .endsWith(
                                " Is the receiver running, is this its address, and does it speak"
                                        + " TLS?");
                failure = failure(address);
            }
            assertThat(failure).matches(tlsFailed(address));
        }
    }

    /** A missing server cannot lack TLS. */
    @Test
    void theMessageOfAClosedPortHasNoTls() throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        URI address = URI.create("https://127.0.0.1:" + port);

        assertThat(failure(address)).startsWith(address + PATH + AWAY).endsWith(IS_IT_THERE);
    }

    /** One whose backlog is full answers no connection. */
    @Test
    void theMessageOfAConnectTimeoutHasNoTls() throws Exception {
        List<Socket> waiting = new ArrayList<>();
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            URI address = URI.create("https://127.0.0.1:" + full.getLocalPort());
            fill(full, waiting);
            HttpClient client =
                    HttpClient.newBuilder().connectTimeout(Duration.ofMillis(300)).build();
            OtlpPushBuilder options =
                    otlp(address, TICK).closeTimeout(Duration.ZERO).httpClient(client);

            assertThat(failure(options))
                    .startsWith(address + PATH + AWAY)
                    .contains("timed out")
                    .endsWith(IS_IT_THERE);
        } finally {
            for (Socket each : waiting) {
                each.close();
            }
        }
    }

    /** Connects until the server accepts no more connections. */
    private static void fill(ServerSocket server, List<Socket> waiting) throws IOException {
        try {
            while (waiting.size() < 64) {
                Socket socket = new Socket();
                waiting.add(socket);
                socket.connect(server.getLocalSocketAddress(), 500);
            }
        } catch (SocketTimeoutException e) {
            return;
        }
        throw new IOException("a backlog of 1 takes 64 connections");
    }

    private String failure(URI address) throws Exception {
        return failure(otlp(address, TICK).closeTimeout(Duration.ZERO));
    }

    private String failure(OtlpPushBuilder options) throws Exception {
        try (ProfilePush push = options.start()) {
            await("failed", () -> push.status().lastError() != null);

            assertThat(push.status().delivered()).isZero();
            return push.status().lastError();
        }
    }

    private static String tlsFailed(URI address) {
        return Pattern.quote("TLS with " + address + PATH + " failed: ")
                + ".+"
                + Pattern.quote(
                        ". Profiles are kept and sent again. If the receiver's certificate is"
                                + " self-signed or signed by a private authority, give"
                                + " PushBuilder.sslContext() a context that trusts it.");
    }

    private static void answerWithoutTls(ServerSocket socket) {
        try {
            while (true) {
                try (Socket client = socket.accept()) {
                    client.getOutputStream()
                            .write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(US_ASCII));
                    // Not closed before the client has: else it may see the end before the answer.
                    client.getInputStream().readAllBytes();
                }
            }
        } catch (IOException e) {
            // The test is over.
        }
    }

    @Test
    void aClientHasItsOwnTrust() {
        PyroscopePushBuilder both =
                pyroscope(TICK).httpClient(HttpClient.newHttpClient()).sslContext(context);

        assertThatThrownBy(both::start)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "httpClient and sslContext are both given, but a client has a context of"
                                + " its own and this one would not be used. Give it to the client:"
                                + " HttpClient.newBuilder().sslContext(...).");
    }
}
