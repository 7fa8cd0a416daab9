// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package com.acme.shop;

import io.heapsampler.HeapSampler;
import io.heapsampler.LabelTotals;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** A service as users write it, for Spring MVC or WebFlux. It has no code about HeapSampler. */
@SpringBootApplication(proxyBeanMethods = false)
@EnableScheduling
public class ShopApplication {

    /** A length that the interval makes samples of, every time. */
    private static final int LENGTH = 1 << 20;

    /** Starts it. */
    public static void main(String[] args) {
        SpringApplication.run(ShopApplication.class, args);
    }

    /** Allocates where the label shall be seen. */
    @RestController
    static class Pages {

        @GetMapping("/goods/{id}")
        public int goods(@PathVariable("id") String id) {
            return new byte[LENGTH].length + id.length();
        }

        /** Spring calls it in another thread. */
        @GetMapping("/later")
        public Callable<Integer> later() {
            return () -> new byte[LENGTH].length;
        }

        /** The bytes allocated for each endpoint. */
        @GetMapping("/labels")
        public Map<String, Double> labels() {
            Map<String, Double> bytes = new TreeMap<>();
            List<LabelTotals> totals = HeapSampler.snapshot().labels("endpoint");
            totals.forEach(each -> bytes.put(each.value(), each.allocated().bytes().value()));
            return bytes;
        }

        @Scheduled(fixedDelay = 100)
        void tidy() {
            byte[] unused = new byte[LENGTH];
        }
    }
}
