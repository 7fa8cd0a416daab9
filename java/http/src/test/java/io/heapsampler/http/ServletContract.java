// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.client.ContentResponse;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http2.client.HTTP2Client;
import org.eclipse.jetty.http2.client.transport.HttpClientTransportOverHTTP2;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What servlet containers have to do besides: HTTP/2, which has no Host header. */
abstract class ServletContract extends WireContract {

    private final HttpClient client =
            new HttpClient(new HttpClientTransportOverHTTP2(new HTTP2Client()));

    /** Every name leads to this machine, as after DNS rebinding. */
    @BeforeAll
    void startClient() throws Exception {
        client.setSocketAddressResolver(
                (host, port, promise) ->
                        promise.succeeded(
                                List.of(
                                        new InetSocketAddress(
                                                InetAddress.getLoopbackAddress(), port))));
        client.start();
    }

    @AfterAll
    void stopClient() throws Exception {
        client.stop();
    }

    private ContentResponse send(String host, String method, String path, String header)
            throws Exception {
        Request request =
                client.newRequest("http://" + host + ":" + port() + path)
                        .method(method)
                        .timeout(120, TimeUnit.SECONDS);
        if (header != null) {
            String[] parts = header.replace("PORT", String.valueOf(port())).split(": ", 2);
            request.headers(headers -> headers.put(parts[0], parts[1]));
        }
        ContentResponse response = request.send();
        assertThat(response.getVersion()).isEqualTo(HttpVersion.HTTP_2);
        return response;
    }

    @ParameterizedTest
    @CsvSource({
        "localhost, /debug/pprof/heap, , 200",
        "127.0.0.1, /debug/pprof/heap, , 200",
        "[::1], /debug/pprof/heap, , 200",
        "evil.example, /debug/pprof/heap, , 403",
        "evil.example, /debug/pprof/heap, X-Forwarded-Host: localhost, 403",
        "localhost, /secure/debug/pprof/heap, , 401",
        "localhost, /secure/debug/pprof/heap, Authorization: Bearer " + Contract.TOKEN + ", 200",
        "evil.example, /secure/debug/pprof/heap, Authorization: Bearer " + Contract.TOKEN + ", 403",
        "localhost, /debug/pprof/delta_heap, Origin: http://localhost:PORT, 200",
        "localhost, /debug/pprof/delta_heap, Origin: http://localhost:1, 403",
    })
    void http2ByPriorKnowledge(String host, String path, String header, int status)
            throws Exception {
        assertThat(send(host, "GET", path, header).getStatus()).isEqualTo(status);
    }

    @Test
    void http2PageCanChangeTheSampler() throws Exception {
        String target = "/debug/heapsampler/gc?allowed=true";

        assertThat(send("localhost", "POST", target, "Origin: http://localhost:PORT").getStatus())
                .isEqualTo(200);
        assertThat(send("localhost", "POST", target, "Origin: http://localhost:1").getStatus())
                .isEqualTo(403);
        assertThat(send("localhost", "POST", target, null).getStatus()).isEqualTo(403);
    }

    /** The first request is one of HTTP/1.1 with a Host header, the others are not. */
    @Test
    void http2ByUpgrade() throws Exception {
        java.net.http.HttpClient jdk =
                java.net.http.HttpClient.newBuilder()
                        .version(java.net.http.HttpClient.Version.HTTP_2)
                        .build();
        URI heap = URI.create("http://localhost:" + port() + "/debug/pprof/heap");
        for (int i = 0; i < 3; i++) {
            HttpResponse<byte[]> response =
                    jdk.send(
                            HttpRequest.newBuilder(heap).build(),
                            HttpResponse.BodyHandlers.ofByteArray());
            assertThat(response.version()).isEqualTo(java.net.http.HttpClient.Version.HTTP_2);
            assertThat(response.statusCode()).isEqualTo(200);
        }
    }
}
