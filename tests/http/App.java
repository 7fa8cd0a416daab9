// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

import io.heapsampler.HeapLabels;
import io.heapsampler.HeapSampler;
import io.heapsampler.SamplerOptions;
import io.heapsampler.SnapshotOptions;
import com.sun.net.httpserver.HttpServer;
import io.heapsampler.http.EndpointOptions;
import io.heapsampler.http.HeapSamplerHandler;
import io.heapsampler.http.HeapSamplerServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * An application that allocates, keeps some of it, and serves its profiles. Prints three ports: of a
 * HeapSamplerServer with the defaults, of one with a token, and of a server of its own that has the
 * endpoint with the token.
 */
class App {

    private static final int KEPT = 20_000;

    private static final Map<Integer, byte[]> CACHE = new HashMap<>();

    public static void main(String[] args) throws Exception {
        HeapSampler.start(SamplerOptions.builder().interval(64 * 1024).maxOverhead(1).build());
        EndpointOptions options =
                EndpointOptions.builder().gcSpacing(Duration.ZERO).metricsLabel("endpoint").build();
        HeapLabels orders = HeapLabels.of("endpoint", "GET /\"orders\"").and("tenant", "acme");
        try (HeapLabels.Scope scope = orders.open()) {
            for (int i = 0; i < KEPT; i++) {
                CACHE.put(i, new byte[1000]);
            }
        }
        // Not System.gc(), as in tests/fleet/App.java.
        HeapSampler.snapshot(SnapshotOptions.afterGc());
        EndpointOptions closed = EndpointOptions.builder().token(args[0]).build();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        HttpServer mounted =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        mounted.createContext("/debug/", new HeapSamplerHandler(closed));
        mounted.setExecutor(threads);
        mounted.start();
        try (HeapSamplerServer server =
                        HeapSamplerServer.builder().port(0).options(options).start();
                HeapSamplerServer secured =
                        HeapSamplerServer.builder().port(0).options(closed).start()) {
            System.out.printf(
                    "%d %d %d%n",
                    server.address().getPort(),
                    secured.address().getPort(),
                    mounted.getAddress().getPort());
            work();
        } finally {
            mounted.stop(0);
            threads.shutdownNow();
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
