// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.examples.readme;

import io.heapsampler.HeapLabels;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.LabelTotals;
import io.heapsampler.SampleFilter;
import io.heapsampler.TraceExample;
import io.heapsampler.micrometer.HeapLabelsObservationHandler;
import io.heapsampler.opentelemetry.HeapLabelsContextStorage;
import io.micrometer.observation.ObservationRegistry;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The README's pieces about labels. */
public final class LabelSnippets {

    private LabelSnippets() {}

    public static void label() {
        HeapSampler.start();
        // readme: label
        HeapLabels orders = HeapLabels.of("endpoint", "GET /orders");
        orders.run(Work::handleRequest);
        for (LabelTotals endpoint : HeapSampler.snapshot().labels("endpoint")) {
            System.out.println(endpoint.value() + " allocated " + endpoint.allocated().bytes());
        }
        // end
        HeapSampler.stop();
    }

    @SuppressWarnings("try") // a scope need not be named in its block
    public static void nested() {
        HeapLabels orders = HeapLabels.of("endpoint", "GET /orders");
        ExecutorService pool = Executors.newSingleThreadExecutor();
        // readme: labelScope
        try (HeapLabels.Scope scope = orders.open()) {
            Work.handleRequest();
            try (HeapLabels.Scope inner = orders.and("tenant", "acme").open()) {
                Work.handleRequest(); // endpoint and tenant
            }
        }
        CompletableFuture.runAsync(Work::handleRequest, orders.wrap(pool)).join();
        // end
        pool.shutdown();
    }

    public static void filter() {
        HeapSnapshot snapshot = HeapSampler.snapshot();
        // readme: labelFilter
        HeapSnapshot orders = snapshot.filter(SampleFilter.label("endpoint", "GET /orders"));
        orders.topByLive(5).forEach(System.out::println);
        // end
    }

    public static void traces() {
        HeapSampler.start();
        Work.handleRequest();
        for (HeapSite site : HeapSampler.snapshot().sites()) {
            // readme: labelTraces
            for (TraceExample example : site.examples()) {
                System.out.println(
                        example.traceId() + " " + example.spanId() + " " + example.labels());
            }
            // end
        }
        HeapSampler.stop();
    }

    public static void openTelemetry() {
        // readme: labelBaggage
        HeapLabelsContextStorage.install("tenant", "plan"); // keys of the baggage
        // end
    }

    public static void micrometer() {
        ObservationRegistry registry = ObservationRegistry.create();
        // readme: labelObservation
        registry.observationConfig()
                .observationHandler(HeapLabelsObservationHandler.ofKeys("tenant", "job"));
        // end
    }
}
