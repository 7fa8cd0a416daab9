// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heapsampler.http.RawClient.Reply;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import org.apache.catalina.Context;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.apache.catalina.valves.RemoteIpValve;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.ForwardedRequestCustomizer;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An endpoint in a server of the application is closed until the application decides. */
class MountedTest {

    private static final String UNDECIDED =
            "The endpoint is for a server of the application, and its options do not decide which"
                + " clients are served. Choose one of three: EndpointOptions.token() for clients"
                + " that know a secret, authenticator() to let the application decide, or"
                + " allowUnauthenticated() to serve every client that reaches the server. There is"
                + " no default for clients on the same machine: behind a reverse proxy on this"
                + " machine every client looks local.";

    private static final EndpointOptions OPEN =
            EndpointOptions.builder().allowUnauthenticated().host("shop.internal").build();

    /** Headers with which a client could try to look local. */
    private static final List<String> FORGED =
            List.of(
                    "X-Forwarded-For: 127.0.0.1",
                    "X-Forwarded-For: 127.0.0.1, 10.1.2.3",
                    "X-Forwarded-For: ::1",
                    "X-Real-IP: 127.0.0.1",
                    "Forwarded: for=127.0.0.1;host=localhost",
                    "X-Forwarded-Host: localhost",
                    "X-Forwarded-Proto: https");

    @BeforeAll
    static void sample() {
        FakeSource.freshlySampled();
    }

    @Test
    void constructionWithoutADecisionFails() {
        List<Function<EndpointOptions, Object>> all =
                List.of(HeapSamplerEndpoint::new, HeapSamplerHandler::new, HeapSamplerServlet::new);
        for (Function<EndpointOptions, Object> mount : all) {
            for (EndpointOptions undecided :
                    List.of(
                            EndpointOptions.defaults(),
                            EndpointOptions.builder().readOnly().host("shop.internal").build())) {
                assertThatThrownBy(() -> mount.apply(undecided))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessage(UNDECIDED);
            }
            assertThat(mount.apply(EndpointOptions.builder().token(Contract.TOKEN).build()))
                    .isNotNull();
            assertThat(mount.apply(EndpointOptions.builder().authenticator(r -> false).build()))
                    .isNotNull();
            assertThat(mount.apply(EndpointOptions.builder().allowUnauthenticated().build()))
                    .isNotNull();
        }
    }

    @Test
    void tomcatThatBelievesForwardedHeadersIsClosedWithoutTheToken(@TempDir Path folder)
            throws Exception {
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(folder.toString());
        tomcat.setSilent(true);
        Connector connector = new Connector();
        connector.setPort(0);
        connector.setProperty("address", "127.0.0.1");
        tomcat.setConnector(connector);
        RemoteIpValve valve = new RemoteIpValve();
        valve.setHostHeader("X-Forwarded-Host");
        tomcat.getEngine().getPipeline().addValve(valve);
        Context context = tomcat.addContext("", folder.toString());
        Tomcat.addServlet(context, "secure", new HeapSamplerServlet(Contract.secure()));
        context.addServletMappingDecoded("/secure/debug/*", "secure");
        Tomcat.addServlet(context, "open", new HeapSamplerServlet(OPEN));
        context.addServletMappingDecoded("/debug/*", "open");
        tomcat.start();
        try {
            assertClosedWithoutTheToken(connector.getLocalPort());
        } finally {
            tomcat.stop();
            tomcat.destroy();
        }
    }

    @Test
    void jettyThatBelievesForwardedHeadersIsClosedWithoutTheToken() throws Exception {
        Server server = new Server();
        HttpConfiguration http = new HttpConfiguration();
        http.addCustomizer(new ForwardedRequestCustomizer());
        ServerConnector connector = new ServerConnector(server, new HttpConnectionFactory(http));
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        ServletContextHandler context = new ServletContextHandler("/");
        context.addServlet(
                new ServletHolder(new HeapSamplerServlet(Contract.secure())), "/secure/debug/*");
        context.addServlet(new ServletHolder(new HeapSamplerServlet(OPEN)), "/debug/*");
        server.setHandler(context);
        server.start();
        try {
            assertClosedWithoutTheToken(connector.getLocalPort());
        } finally {
            server.stop();
        }
    }

    private static void assertClosedWithoutTheToken(int port) throws Exception {
        String token = "Authorization: Bearer " + Contract.TOKEN;
        String own = "Sec-Fetch-Site: same-origin";
        for (String header : FORGED) {
            Reply read = RawClient.get(port, "/secure/debug/pprof/heap", header);
            assertThat(read.status()).as(header).isEqualTo(401);
            Reply change =
                    RawClient.send(port, "POST", "/secure/debug/heapsampler/stop", "", header, own);
            assertThat(change.status()).as(header).isEqualTo(401);
            assertThat(RawClient.get(port, "/secure/debug/pprof/heap", header, token).status())
                    .as(header)
                    .isEqualTo(200);
        }
        // DNS rebinding: a page of a foreign name cannot make its name known with a header.
        for (String header : FORGED) {
            assertThat(
                            RawClient.get(port, "/debug/pprof/heap", header, "Host: evil.example")
                                    .status())
                    .as(header)
                    .isEqualTo(403);
        }
        assertThat(RawClient.get(port, "/debug/pprof/heap").status()).isEqualTo(200);
        String shop = "X-Forwarded-Host: shop.internal";
        assertThat(RawClient.get(port, "/debug/pprof/heap", shop, "Host: shop.internal").status())
                .isEqualTo(200);
    }
}
