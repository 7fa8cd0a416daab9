// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.examples.tenants;

import io.heapsampler.HeapSampler;
import io.heapsampler.SamplerOptions;
import io.heapsampler.http.HeapSamplerServer;
import java.io.IOException;
import java.time.Duration;

/** The same two tenants in a service that goes on, and shows its profiles over HTTP. */
public final class ServedTenants {

    private static final int HOURS = 24;

    private ServedTenants() {}

    /**
     * Serves requests of both tenants.
     *
     * @param args port (6060) and seconds (3,600)
     * @throws IOException if the port is taken
     * @throws InterruptedException if the thread is interrupted
     */
    public static void main(String[] args) throws IOException, InterruptedException {
        int port = args.length > 0 ? Integer.parseInt(args[0]) : 6060;
        Duration time = Duration.ofSeconds(args.length > 1 ? Integer.parseInt(args[1]) : 3600);
        HeapSampler.start(SamplerOptions.builder().interval(64 * 1024).build());
        try (HeapSamplerServer server = HeapSamplerServer.builder().port(port).start()) {
            int bound = server.address().getPort();
            System.out.println("http://localhost:" + bound + "/debug/heapsampler/");
            System.out.println("http://localhost:" + bound + "/debug/pprof/heap");
            serve(time);
        }
    }

    private static void serve(Duration time) throws InterruptedException {
        ReportService service = new ReportService();
        long begin = System.nanoTime();
        for (int until = 0; System.nanoTime() - begin < time.toNanos(); until++) {
            service.answer("acme", until % HOURS);
            service.answer("globex", until);
            Thread.sleep(1);
        }
    }
}
