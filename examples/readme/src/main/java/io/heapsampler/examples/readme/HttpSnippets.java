// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.examples.readme;

import com.sun.net.httpserver.HttpServer;
import io.heapsampler.HeapSampler;
import io.heapsampler.http.EndpointOptions;
import io.heapsampler.http.HeapSamplerHandler;
import io.heapsampler.http.HeapSamplerServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** The README's pieces about HTTP. */
public final class HttpSnippets {

    private HttpSnippets() {}

    public static void serve() throws IOException {
        int port = 0; // any that is free
        // readme: serve
        HeapSampler.start();
        HeapSamplerServer server = HeapSamplerServer.builder().port(port).start(); // 6060, say
        // end
        server.close();
    }

    public static void mount() throws IOException {
        String token = "not-a-secret-at-all";
        HttpServer httpServer =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        // readme: mount
        EndpointOptions options =
                EndpointOptions.builder()
                        .token(token) // 16 or more characters, required from every client
                        .host("shop.internal") // a further name of this host
                        .threadNames(name -> "") // names and labels may tell about users
                        .labels((key, value) -> key.equals("tenant") ? null : value)
                        .traces(false) // ids of traces lead to requests of users
                        .metricsLabel("endpoint") // live bytes by endpoint
                        .build();
        httpServer.createContext("/debug/", new HeapSamplerHandler(options));
        // end
    }
}
