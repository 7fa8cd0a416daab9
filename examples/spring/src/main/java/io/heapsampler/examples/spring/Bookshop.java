// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.examples.spring;

import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** A small service. Nothing in its code is about HeapSampler. */
@SpringBootApplication
@RestController
public class Bookshop {

    private final Sessions sessions;

    Bookshop(Sessions sessions) {
        this.sessions = sessions;
    }

    public static void main(String[] args) {
        SpringApplication.run(Bookshop.class, args);
    }

    @GetMapping("/books/{isbn}")
    public Map<String, String> book(@PathVariable String isbn) {
        return Map.of("isbn", isbn, "text", "Once upon a time. ".repeat(100));
    }

    @GetMapping("/login/{user}")
    public Map<String, Object> login(@PathVariable String user) {
        return Map.of("user", user, "session", sessions.open(user));
    }
}
