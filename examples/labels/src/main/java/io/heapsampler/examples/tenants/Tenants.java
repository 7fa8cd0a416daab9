// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.examples.tenants;

import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplerOptions;
import io.heapsampler.SnapshotOptions;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Serves the reports of two tenants, looks at the heap twice, and prints which tenant's objects
 * grow. Both tenants run the same code, so no stack tells them apart: their labels do.
 */
public final class Tenants {

    private static final int REQUESTS = 20_000;
    private static final int THREADS = 4;
    private static final int HOURS = 24;

    private Tenants() {}

    /**
     * Runs the service for a while, and prints what grew in the second half.
     *
     * @param args none
     * @throws InterruptedException if the thread is interrupted while it waits for requests
     */
    public static void main(String[] args) throws InterruptedException {
        HeapSampler.start(SamplerOptions.builder().interval(64 * 1024).build());
        ReportService service = new ReportService();
        serve(service, 0, REQUESTS / 2);
        HeapSnapshot earlier = HeapSampler.snapshot(SnapshotOptions.afterGc());
        serve(service, REQUESTS / 2, REQUESTS);
        HeapSnapshot later = HeapSampler.snapshot(SnapshotOptions.afterGc());
        HeapSampler.stop();
        Growth.byTenant(earlier, later).forEach(System.out::println);
        System.out.println(
                service.charactersSent()
                        + " characters were sent, and "
                        + service.cached()
                        + " reports are in the cache.");
    }

    /** Serves as many requests of each tenant, by a pool of threads. */
    private static void serve(ReportService service, int from, int to) throws InterruptedException {
        ExecutorService pool = Executors.newFixedThreadPool(THREADS);
        for (int i = from; i < to; i++) {
            int time = i;
            pool.execute(() -> service.answer("acme", time % HOURS)); // the same again and again
            pool.execute(() -> service.answer("globex", time)); // until now: always another
        }
        pool.shutdown();
        if (!pool.awaitTermination(1, TimeUnit.MINUTES)) {
            throw new IllegalStateException("The requests were not served within a minute.");
        }
    }
}
