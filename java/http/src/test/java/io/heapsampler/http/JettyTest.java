// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class JettyTest extends ServletContract {

    private Server server;

    @BeforeAll
    void start() throws Exception {
        FakeSource.freshlySampled();
        server = new Server();
        HttpConfiguration http = new HttpConfiguration();
        ServerConnector connector =
                new ServerConnector(
                        server,
                        new HttpConnectionFactory(http),
                        new HTTP2CServerConnectionFactory(http));
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
