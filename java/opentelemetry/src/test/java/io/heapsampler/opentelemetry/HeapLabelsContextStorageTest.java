// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.opentelemetry;

import static io.heapsampler.work.LabelledWork.allocate;
import static io.heapsampler.work.LabelledWork.during;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heapsampler.HeapLabels;
import io.heapsampler.work.LabelledWork;
import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextKey;
import io.opentelemetry.context.ContextStorage;
import io.opentelemetry.context.Scope;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** With OpenTelemetry's own storage, and with samples of a real recording. */
@SuppressWarnings("try") // a scope need not be named in its block
class HeapLabelsContextStorageTest {

    private static final ContextKey<String> ROUTE = ContextKey.named("route");

    /** All tests share one storage, since wrappers count only before the first use of a context. */
    @BeforeAll
    static void install() {
        HeapLabelsContextStorage.install("tenant", "region");
        HeapLabelsContextStorage.install(HeapLabelsContextStorageTest::ofRoute);
    }

    private static HeapLabels ofRoute(Context context) {
        String route = context.get(ROUTE);
        if ("fail".equals(route)) {
            throw new IllegalStateException("a function that fails");
        }
        return route == null ? null : HeapLabels.of("route", route);
    }

    private static Context with(String key, String value) {
        return Context.current().with(Baggage.current().toBuilder().put(key, value).build());
    }

    @Test
    void chosenKeysOfTheBaggageAreLabels() throws Exception {
        Map<String, Long> tenants =
                during(
                        "tenant",
                        () -> {
                            allocate(1);
                            Context acme = with("tenant", "acme");
                            try (Scope scope = acme.makeCurrent()) {
                                allocate(2);
                            }
                            try (Scope scope = with("user", "id-1").makeCurrent()) {
                                allocate(4);
                            }
                        });
        assertThat(tenants).isEqualTo(Map.of("(none)", 5L, "acme", 2L));
    }

    @Test
    void innerContextsHaveTheirOwnLabelsUntilTheyEnd() throws Exception {
        Map<String, Long> tenants =
                during(
                        "tenant",
                        () -> {
                            try (Scope outer = with("tenant", "acme").makeCurrent()) {
                                allocate(1);
                                try (Scope inner = with("tenant", "globex").makeCurrent()) {
                                    allocate(2);
                                }
                                try (Scope same = Context.current().makeCurrent()) {
                                    allocate(4);
                                }
                                try (Scope both = with("region", "eu").makeCurrent()) {
                                    allocate(8);
                                }
                                allocate(16);
                            }
                            allocate(32);
                        });
        assertThat(tenants).isEqualTo(Map.of("(none)", 32L, "acme", 29L, "globex", 2L));
    }

    @Test
    void executorsThatPassContextsPassLabels() throws Exception {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        Map<String, Long> tenants =
                during(
                        "tenant",
                        () -> {
                            pool.submit(LabelledWork::passOldSamplePoint).get();
                            Context acme = with("tenant", "acme");
                            pool.submit(acme.wrap(() -> allocate(2))).get();
                            pool.submit(() -> allocate(4)).get();
                        });
        pool.shutdown();
        assertThat(tenants).isEqualTo(Map.of("(none)", 4L, "acme", 2L));
    }

    @Test
    void anotherThreadThatClosesAScopeChangesNoLabels() throws Exception {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        Map<String, Long> tenants =
                during(
                        "tenant",
                        () -> {
                            try (Scope outer = with("tenant", "acme").makeCurrent()) {
                                Scope inner = with("tenant", "globex").makeCurrent();
                                pool.submit(inner::close).get();
                                allocate(2);
                                inner.close();
                                allocate(4);
                            }
                            allocate(8);
                        });
        pool.shutdown();
        assertThat(pool.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
        assertThat(tenants).isEqualTo(Map.of("(none)", 8L, "acme", 4L, "globex", 2L));
    }

    @Test
    void aFunctionGivesLabelsAndMayFail() throws Exception {
        Map<String, Long> routes =
                during(
                        "route",
                        () -> {
                            Context orders = Context.current().with(ROUTE, "GET /orders");
                            Context fails = Context.current().with(ROUTE, "fail");
                            try (Scope scope = orders.makeCurrent()) {
                                allocate(1);
                                try (Scope inner = fails.makeCurrent()) {
                                    assertThat(Context.current()).isSameAs(fails);
                                    allocate(2);
                                }
                                assertThat(Context.current()).isSameAs(orders);
                            }
                            allocate(4);
                        });
        assertThat(routes).isEqualTo(Map.of("(none)", 4L, "GET /orders", 3L));
    }

    @Test
    void anExceptionEndsTheLabels() throws Exception {
        Map<String, Long> tenants =
                during(
                        "tenant",
                        () -> {
                            Runnable work =
                                    () -> {
                                        allocate(1);
                                        throw new IllegalStateException();
                                    };
                            Runnable fails = with("tenant", "acme").wrap(work);
                            assertThatThrownBy(fails::run)
                                    .isInstanceOf(IllegalStateException.class);
                            allocate(2);
                        });
        assertThat(tenants).isEqualTo(Map.of("(none)", 2L, "acme", 1L));
    }

    @Test
    void valuesThatNoLabelCanHaveAreCut() throws Exception {
        String name = "n".repeat(1_000);
        Map<String, Long> tenants =
                during(
                        "tenant",
                        () -> {
                            try (Scope scope = with("tenant", name).makeCurrent()) {
                                allocate(1);
                            }
                            try (Scope scope = with("tenant", "").makeCurrent()) {
                                allocate(2);
                            }
                            try (Scope scope = with("tenant", "a\nb").makeCurrent()) {
                                allocate(4);
                            }
                        });
        assertThat(tenants).isEqualTo(Map.of("n".repeat(256), 1L, "(empty)", 2L, "a b", 4L));
    }

    @Test
    void keysThatNoLabelCanHaveAreRefused() {
        assertThatThrownBy(() -> HeapLabelsContextStorage.install(new String[0]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("No key of the baggage is named");
        assertThatThrownBy(() -> HeapLabelsContextStorage.install("tenant", ""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("empty");
    }

    @Test
    void theStorageBelowIsUsed() {
        assertThat(ContextStorage.get().toString())
                .startsWith("HeapLabelsContextStorage[HeapLabelsContextStorage[");
        assertThat(Context.root()).isSameAs(ContextStorage.defaultStorage().root());
    }
}
