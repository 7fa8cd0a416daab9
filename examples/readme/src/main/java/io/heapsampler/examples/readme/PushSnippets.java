// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.examples.readme;

import com.sun.net.httpserver.HttpServer;
import io.heapsampler.HeapSampler;
import io.heapsampler.push.ProfilePush;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;

/** The README's pieces about pushing. */
public final class PushSnippets {

    private PushSnippets() {}

    public static void push() throws IOException {
        HttpServer receiver = receiver();
        URI pyroscope = address(receiver);
        // readme: push
        HeapSampler.start();
        ProfilePush push =
                ProfilePush.pyroscope(pyroscope) // http://pyroscope:4040, say
                        .serviceName("shop")
                        .label("region", "eu")
                        .start();
        // end
        push.close();
        receiver.stop(0);
    }

    public static void otlp() throws IOException {
        HttpServer receiver = receiver();
        URI collector = address(receiver);
        // readme: otlp
        ProfilePush push =
                ProfilePush.otlp()
                        .endpoint(collector) // http://collector:4318, say
                        .serviceName("shop")
                        .start();
        // end
        push.close();
        receiver.stop(0);
    }

    /** Takes everything. */
    private static HttpServer receiver() throws IOException {
        HttpServer receiver =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receiver.createContext(
                "/",
                exchange -> {
                    exchange.getRequestBody().readAllBytes();
                    exchange.sendResponseHeaders(200, -1);
                    exchange.close();
                });
        receiver.start();
        return receiver;
    }

    private static URI address(HttpServer receiver) {
        return URI.create("http://127.0.0.1:" + receiver.getAddress().getPort());
    }
}
