// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.web.servlet.context.ServletWebServerApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** A Spring Boot service with a database and a cache, and a client that sends requests. */
final class SpringWork implements Workload {

    private static final int ACCOUNTS = 10_000;
    private static final int REQUESTS = 100;

    /** The service. */
    @SpringBootApplication
    @RestController
    public static class Service {

        private final Map<Integer, List<Map<String, Object>>> cache = new ConcurrentHashMap<>();
        private final JdbcTemplate jdbc;

        /** Fills the database. */
        public Service(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
            jdbc.execute(
                    "create table account as select x as id, 'owner ' || x as owner, x * 7 as balance"
                            + " from system_range(1, "
                            + ACCOUNTS
                            + ")");
        }

        /** Returns some accounts as JSON. */
        @GetMapping("/accounts")
        public List<Map<String, Object>> accounts(@RequestParam("from") int from) {
            return cache.computeIfAbsent(
                    from / 100,
                    page ->
                            jdbc.queryForList(
                                    "select * from account where id >= ? limit 20", page * 100));
        }
    }

    private final ServletWebServerApplicationContext context;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private int next;

    SpringWork() {
        SpringApplication application = new SpringApplication(Service.class);
        application.setDefaultProperties(
                Map.of(
                        "server.port", "0",
                        "server.address", "127.0.0.1",
                        "spring.main.banner-mode", "off",
                        "spring.datasource.url", "jdbc:h2:mem:accounts",
                        "logging.level.root", "warn"));
        context = (ServletWebServerApplicationContext) application.run();
    }

    @Override
    public void work() throws Exception {
        for (int i = 0; i < REQUESTS; i++) {
            next = (next + 97) % ACCOUNTS;
            URI uri =
                    URI.create(
                            "http://127.0.0.1:"
                                    + context.getWebServer().getPort()
                                    + "/accounts?from="
                                    + next);
            HttpResponse<String> response =
                    client.send(
                            HttpRequest.newBuilder(uri).build(),
                            HttpResponse.BodyHandlers.ofString());
            Workload.check(response.statusCode() == 200, uri + ": " + response.statusCode());
        }
    }

    @Override
    public void end() {
        context.close();
    }
}
