// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;

/**
 * Times each request with the user as a tag, so that each user makes a new timer. Arguments:
 * seconds, users per second.
 */
final class MeterLeak {

    private static final MeterRegistry REGISTRY = new SimpleMeterRegistry();

    private MeterLeak() {}

    public static void main(String... args) {
        Pace.of(args)
                .at(
                        Double.parseDouble(args[1]),
                        number -> {
                            Garbage.make(16);
                            handle("user-" + number);
                        });
        System.out.println("meters: " + REGISTRY.getMeters().size());
    }

    private static void handle(String user) {
        Timer.builder("request.time")
                .tag("user", user)
                .publishPercentileHistogram(false)
                .register(REGISTRY)
                .record(Duration.ofMillis(5));
    }
}
