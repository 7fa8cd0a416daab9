// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplerOptions;
import io.heapsampler.SnapshotOptions;
import io.heapsampler.push.OtlpProfilesPush;
import io.heapsampler.push.PushOptions;
import io.heapsampler.push.PyroscopePush;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * An application that allocates, keeps 20 MB of it, and pushes for some seconds to the receivers
 * that are named as arguments: push_v1=URL, ingest=URL, otlp=URL. Then prints the bytes allocated
 * in all, which is what the pushes must add up to, and what the receivers have taken.
 */
class App {

    private static final Map<Integer, byte[]> CACHE = new HashMap<>();

    /** The settings of each kind of push. */
    private record Started(
            String name,
            AutoCloseable push,
            java.util.function.Supplier<?> status,
            java.util.function.LongSupplier delivered) {}

    public static void main(String[] args) throws Exception {
        List<Started> pushes = new ArrayList<>();
        for (String arg : args) {
            pushes.add(start(arg.substring(0, arg.indexOf('=')), arg.substring(arg.indexOf('=') + 1)));
        }
        // Later than the pushes, so that all of it belongs to one of their intervals.
        HeapSampler.start(SamplerOptions.builder().interval(64 * 1024).maxOverhead(1).build());
        for (int i = 0; i < 20_000; i++) {
            CACHE.put(i, new byte[1000]);
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
            System.out.println(each.name + " " + each.status.get());
        }
    }

    private static Started start(String kind, String url) {
        PushOptions options =
                PushOptions.builder("shop")
                        .interval(Duration.ofSeconds(1))
                        .timeout(Duration.ofSeconds(30))
                        .closeTimeout(Duration.ofSeconds(30))
                        .label("region", "eu")
                        .bearerToken("secret")
                        .build();
        URI address = URI.create(url);
        if (kind.equals("otlp")) {
            OtlpProfilesPush push = OtlpProfilesPush.start(address, options);
            return new Started(kind, push, push::status, () -> push.status().delivered());
        }
        PyroscopePush.Api api =
                kind.equals("ingest") ? PyroscopePush.Api.INGEST : PyroscopePush.Api.PUSH_V1;
        PyroscopePush push = PyroscopePush.start(address, options, api);
        return new Started(kind, push, push::status, () -> push.status().delivered());
    }

    /** For this time, and longer where the machine keeps a push from being its fourth. */
    private static void work(Duration time, List<Started> pushes) throws Exception {
        long end = System.nanoTime() + time.toNanos();
        long latest = end + Duration.ofSeconds(60).toNanos();
        ArrayDeque<String> recent = new ArrayDeque<>();
        while (System.nanoTime() - end < 0
                || (pushes.stream().anyMatch(it -> it.delivered.getAsLong() < 4)
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
