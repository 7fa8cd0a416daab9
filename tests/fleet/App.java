// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

import io.heapsampler.HeapLabels;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplerOptions;
import io.heapsampler.SnapshotOptions;
import io.heapsampler.push.ProfilePush;
import io.heapsampler.push.PushBuilder;
import io.heapsampler.push.PyroscopePushBuilder;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * An application that allocates, keeps 20 MB of it, and pushes for some seconds to the receivers
 * that are named as arguments: push_v1=URL, ingest=URL, otlp=URL. What it keeps has labels. Then prints all allocated bytes,
 * which must be the sum of the pushes, and the bytes that the receivers have taken.
 */
class App {

    private static final Map<Integer, byte[]> CACHE = new HashMap<>();

    /** A push and its kind. */
    private record Started(String name, ProfilePush push) {}

    public static void main(String[] args) throws Exception {
        // Publishes a process context, which has attributes of the resource.
        System.load(System.getenv("HEAPSAMPLER_CONTEXT"));
        List<Started> pushes = new ArrayList<>();
        for (String arg : args) {
            pushes.add(start(arg.substring(0, arg.indexOf('=')), arg.substring(arg.indexOf('=') + 1)));
        }
        // Later than the pushes, so that all of it belongs to one of their intervals.
        HeapSampler.start(SamplerOptions.builder().interval(64 * 1024).maxOverhead(1).build());
        HeapLabels orders = HeapLabels.of("http.route", "GET /orders").and("tenant", "acme");
        try (HeapLabels.Scope scope = orders.open()) {
            for (int i = 0; i < 20_000; i++) {
                CACHE.put(i, new byte[1000]);
            }
        }
        // Not System.gc(): of two collections in a row a sampler that gets no processor meanwhile
        // notices one, and what is younger than the first waits for the next.
        HeapSampler.snapshot(SnapshotOptions.afterGc());
        work(Duration.ofSeconds(4), pushes);
        HeapSampler.stop();
        for (Started each : pushes) {
            each.push.close();
        }
        HeapSnapshot last = HeapSampler.snapshot();
        System.out.printf("allocated %.0f%n", last.totals().allocated().bytes().value());
        System.out.printf("live %.0f%n", last.totals().live().bytes().value());
        for (Started each : pushes) {
            System.out.println(each.name + " " + each.push.status());
        }
    }

    private static Started start(String kind, String url) {
        URI address = URI.create(url);
        ProfilePush push =
                switch (kind) {
                    case "otlp" -> start(ProfilePush.otlp().endpoint(address));
                    case "ingest" ->
                            start(
                                    ProfilePush.pyroscope(address)
                                            .api(PyroscopePushBuilder.Api.INGEST));
                    default -> start(ProfilePush.pyroscope(address));
                };
        return new Started(kind, push);
    }

    private static <B extends PushBuilder<B>> ProfilePush start(B builder) {
        return builder.serviceName("shop")
                .interval(Duration.ofSeconds(1))
                .timeout(Duration.ofSeconds(30))
                .closeTimeout(Duration.ofSeconds(30))
                .label("region", "eu")
                .bearerToken("secret")
                .start();
    }

    /** For this time, and longer where the machine keeps a push from being its fourth. */
    private static void work(Duration time, List<Started> pushes) throws Exception {
        long end = System.nanoTime() + time.toNanos();
        long latest = end + Duration.ofSeconds(60).toNanos();
        ArrayDeque<String> recent = new ArrayDeque<>();
        while (System.nanoTime() - end < 0
                || (pushes.stream().anyMatch(it -> it.push.status().delivered() < 4)
                        && System.nanoTime() - latest < 0)) {
            for (int i = 0; i < 1000; i++) {
                recent.add("request number " + i);
                if (recent.size() > 10_000) {
                    recent.poll();
                }
            }
            Thread.sleep(1);
        }
    }
}
