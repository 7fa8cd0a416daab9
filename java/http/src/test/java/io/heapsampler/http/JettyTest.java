// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class JettyTest extends WireContract {

    private Server server;

    @BeforeAll
    void start() throws Exception {
        FakeSource.freshlySampled();
        server = new Server();
        ServerConnector connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        ServletContextHandler context = new ServletContextHandler("/");
        context.addServlet(new ServletHolder(new HeapSamplerServlet(Contract.open())), "/debug/*");
        context.addServlet(
                new ServletHolder(new HeapSamplerServlet(Contract.secure())), "/secure/debug/*");
        server.setHandler(context);
        server.start();
    }

    @AfterAll
    void stop() throws Exception {
        server.stop();
    }

    @Override
    int port() {
        return ((ServerConnector) server.getConnectors()[0]).getLocalPort();
    }
}
