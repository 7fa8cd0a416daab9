// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.nio.file.Path;
import org.apache.catalina.Context;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.apache.catalina.util.ServerInfo;
import org.apache.coyote.http2.Http2Protocol;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs with Tomcat 10.1, and again with 10.0, which has Servlet 5, and 11 in its place: see the
 * POM.
 */
class TomcatTest extends ServletContract {

    private final Tomcat tomcat = new Tomcat();
    private Context context;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        FakeSource.freshlySampled();
        tomcat.setBaseDir(folder.toString());
        tomcat.setSilent(true);
        Connector connector = new Connector();
        connector.setPort(0);
        connector.setProperty("address", InetAddress.getLoopbackAddress().getHostAddress());
        connector.addUpgradeProtocol(new Http2Protocol());
        tomcat.setConnector(connector);
        context = tomcat.addContext("", folder.toString());
        mount("open", "/debug/*", Contract.open());
        mount("secure", "/secure/debug/*", Contract.secure());
        tomcat.start();
    }

    private void mount(String name, String pattern, EndpointOptions options) {
        Tomcat.addServlet(context, name, new HeapSamplerServlet(options));
        context.addServletMappingDecoded(pattern, name);
    }

    @AfterAll
    void stop() throws Exception {
        tomcat.stop();
        tomcat.destroy();
    }

    @Override
    int port() {
        return tomcat.getConnector().getLocalPort();
    }

    @Test
    void thisIsTheTomcatThatTheBuildMeans() {
        assertThat(ServerInfo.getServerNumber())
                .startsWith(System.getProperty("http.tomcat", "10.1") + ".");
        assertThat(context.getServletContext().getMajorVersion())
                .isEqualTo(Integer.getInteger("http.servlet", 6));
    }
}
