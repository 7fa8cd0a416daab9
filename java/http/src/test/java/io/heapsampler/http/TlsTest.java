// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.heapsampler.support.OwnCertificate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Our server over TLS, and its warning where it should have TLS. */
class TlsTest {

    /** The first bytes of a handshake that never goes on. */
    static final byte[] HALF_A_HELLO = {0x16, 3, 1, 2, 0, 1, 0};

    private static SSLContext context;

    @BeforeAll
    static void makeCertificate(@TempDir Path folder) throws Exception {
        FakeSource.sampled();
        context = OwnCertificate.make(folder);
    }

    private static HeapSamplerServer.Builder builder() {
        return HeapSamplerServer.builder()
                .port(0)
                .options(EndpointOptions.builder().token(Contract.TOKEN).build());
    }

    private static HttpResponse<byte[]> ask(
            HttpClient client, int port, HttpRequest.Builder request)
            throws IOException, InterruptedException {
        URI uri = URI.create("https://localhost:" + port + "/debug/pprof/heap");
        return client.send(
                request.uri(uri).timeout(Duration.ofSeconds(30)).build(),
                HttpResponse.BodyHandlers.ofByteArray());
    }

    private static HttpRequest.Builder withToken() {
        return HttpRequest.newBuilder().header("Authorization", "Bearer " + Contract.TOKEN);
    }

    @Test
    @Timeout(120)
    void servesOverTlsWhoTrustsTheCertificate() throws Exception {
        HttpClient trusting = HttpClient.newBuilder().sslContext(context).build();
        try (HeapSamplerServer server = builder().tls(context).start()) {
            int port = server.address().getPort();

            HttpResponse<byte[]> answer = ask(trusting, port, withToken());

            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.headers().firstValue("Content-Disposition"))
                    .contains("attachment; filename=\"heap\"");
            assertThat(new String(Gzip.read(answer.body()), "ISO-8859-1")).contains("inuse_space");
            assertThat(ask(trusting, port, HttpRequest.newBuilder()).statusCode()).isEqualTo(401);
            assertThatIOException()
                    .isThrownBy(() -> ask(HttpClient.newHttpClient(), port, withToken()))
                    .isInstanceOf(SSLHandshakeException.class);
        }
    }

    @Test
    @Timeout(60)
    void plainRequestAndHalfAHandshakeGetNothing() throws Exception {
        try (HeapSamplerServer server =
                builder().tls(context).readTimeout(Duration.ofMillis(500)).start()) {
            int port = server.address().getPort();
            String plain =
                    RawClient.request(
                            "GET",
                            "/debug/pprof/heap",
                            "",
                            "Authorization: Bearer " + Contract.TOKEN);
            for (byte[] first : new byte[][] {plain.getBytes("US-ASCII"), HALF_A_HELLO}) {
                try (Socket socket = RawClient.connect(port)) {
                    socket.getOutputStream().write(first);
                    assertThat(new String(RawClient.readToTheEnd(socket), "ISO-8859-1"))
                            .doesNotContain("HTTP/1.1 200");
                }
            }
        }
    }

    @Test
    void tokenThatTravelsInTheOpenIsWarnedOf() throws Exception {
        InetAddress everywhere = InetAddress.getByName("0.0.0.0");
        try (Logged log = new Logged()) {
            builder().start().close();
            builder().address(everywhere).tls(context).start().close();
            assertThat(log.lines()).isEmpty();

            builder().address(everywhere).start().close();

            assertThat(log.lines())
                    .containsExactly(
                            "WARNING The server listens on 0.0.0.0 without TLS: anyone who can read"
                                    + " the network can read the token. Call"
                                    + " HeapSamplerServer.Builder.tls(), or listen on the loopback"
                                    + " address behind a proxy that has TLS. null");
        }
    }
}
