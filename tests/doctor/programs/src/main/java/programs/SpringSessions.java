// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * A Spring Boot service whose sessions never end: it runs out of memory. Arguments: seconds, logins
 * per second.
 */
final class SpringSessions {

    private SpringSessions() {}

    /** The service. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @RestController
    static class Service {

        @GetMapping("/login")
        String login(@RequestParam("user") String user) {
            return SessionStore.open(user);
        }

        @GetMapping("/report")
        String report() {
            return Garbage.text(4_000);
        }
    }

    /** Remembers who is logged in. */
    static final class SessionStore {

        private static final Map<String, String> SESSIONS = new ConcurrentHashMap<>();

        private SessionStore() {}

        static String open(String user) {
            String id = "session-" + user + "-" + System.nanoTime();
            SESSIONS.put(id, "profile of " + user + ": " + Garbage.text(40_000));
            return id;
        }
    }

    public static void main(String... args) {
        try (Boot boot = Boot.start(Service.class)) {
            Pace.of(args)
                    .at(
                            Double.parseDouble(args[1]),
                            number -> {
                                request(boot, "/login?user=" + number);
                                request(boot, "/report");
                            });
        }
    }

    /** Ends as a client does whose service has run out of memory. */
    private static void request(Boot boot, String path) throws InterruptedException {
        try {
            int status = boot.get(path);
            if (status == 500) {
                throw new OutOfMemoryError("status " + status);
            }
        } catch (IOException e) {
            throw new OutOfMemoryError(e.toString());
        }
    }
}
