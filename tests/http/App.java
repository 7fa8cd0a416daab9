// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

import io.heapsampler.HeapSampler;
import io.heapsampler.SamplerOptions;
import io.heapsampler.SnapshotOptions;
import io.heapsampler.http.EndpointOptions;
import io.heapsampler.http.HeapSamplerServer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/** An application that allocates, keeps some of it, and can be asked. Prints its port. */
class App {

    private static final int KEPT = 20_000;

    private static final Map<Integer, byte[]> CACHE = new HashMap<>();

    public static void main(String[] args) throws Exception {
        HeapSampler.start(SamplerOptions.builder().interval(64 * 1024).build());
        EndpointOptions options =
                EndpointOptions.builder().gcSpacing(Duration.ZERO).build();
        for (int i = 0; i < KEPT; i++) {
            CACHE.put(i, new byte[1000]);
        }
        // Not System.gc(), as in tests/fleet/App.java.
        HeapSampler.snapshot(SnapshotOptions.afterGc());
        try (HeapSamplerServer server =
                HeapSamplerServer.builder().port(0).options(options).start()) {
            System.out.println(server.address().getPort());
            work();
        }
    }

    /** Until the standard input ends. */
    private static void work() throws Exception {
        ArrayDeque<String> recent = new ArrayDeque<>();
        while (System.in.available() == 0) {
            for (int i = 0; i < 1000; i++) {
                recent.add("request number " + i);
                if (recent.size() > 10_000) {
                    recent.poll();
                }
            }
            Thread.sleep(1); // It allocates at a pace, and leaves the processors to those who ask.
        }
    }
}
