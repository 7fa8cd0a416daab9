// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import java.util.List;
import java.util.Map;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * A healthy shop: Spring Boot, JDBC and H2. Arguments: seconds, requests per second; 0 for a
 * service without a request.
 */
final class SpringShop {

    private static final int PRODUCTS = 2_000;

    private SpringShop() {}

    /** The service. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @RestController
    static class Service {

        private final JdbcTemplate jdbc;

        Service(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Bean
        static ApplicationRunner products(JdbcTemplate jdbc) {
            return args -> {
                jdbc.execute(
                        "create table product(id int primary key, name varchar, text varchar)");
                for (int i = 0; i < PRODUCTS; i++) {
                    jdbc.update(
                            "insert into product values(?, ?, ?)",
                            i,
                            "product" + i,
                            Garbage.text(500));
                }
            };
        }

        @GetMapping("/products")
        List<Map<String, Object>> products(@RequestParam("from") int from) {
            return jdbc.queryForList(
                    "select * from product where id between ? and ?", from, from + 20);
        }
    }

    public static void main(String... args) {
        try (Boot boot = Boot.start(Service.class)) {
            double rate = Double.parseDouble(args[1]);
            Pace.of(args)
                    .at(
                            rate == 0 ? 1 : rate,
                            number -> {
                                if (rate > 0) {
                                    boot.get("/products?from=" + number % PRODUCTS);
                                }
                            });
        }
    }
}
