// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.servlet.context.ServletWebServerApplicationContext;

/** A Spring Boot service on a free port, with a client in the same JVM. */
final class Boot implements AutoCloseable {

    private final ServletWebServerApplicationContext context;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private Boot(ServletWebServerApplicationContext context) {
        this.context = context;
    }

    /** Starts a service made of the given classes. */
    static Boot start(Class<?>... sources) {
        SpringApplication application = new SpringApplication(sources);
        application.setDefaultProperties(
                Map.of(
                        "server.port", "0",
                        "server.address", "127.0.0.1",
                        "spring.main.banner-mode", "off",
                        "spring.freemarker.check-template-location", "false",
                        "spring.groovy.template.check-template-location", "false"));
        return new Boot((ServletWebServerApplicationContext) application.run());
    }

    /** Sends a request and returns the status. */
    int get(String path) throws IOException, InterruptedException {
        URI uri = URI.create("http://127.0.0.1:" + context.getWebServer().getPort() + path);
        return client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString())
                .statusCode();
    }

    @Override
    public void close() {
        context.close();
    }
}
