// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class JdkServerTest extends WireContract {

    private HttpServer server;
    private ExecutorService executor;

    @BeforeAll
    void start() throws Exception {
        FakeSource.freshlySampled();
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/debug", new HeapSamplerHandler(Contract.open()));
        server.createContext("/secure/", new HeapSamplerHandler(Contract.secure()));
        executor = Executors.newFixedThreadPool(8);
        server.setExecutor(executor);
        server.start();
    }

    @AfterAll
    void stop() {
        server.stop(0);
        executor.shutdownNow();
    }

    @Override
    int port() {
        return server.getAddress().getPort();
    }
}
