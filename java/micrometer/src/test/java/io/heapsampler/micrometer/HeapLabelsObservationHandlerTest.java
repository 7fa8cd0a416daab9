// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.micrometer;

import static io.heapsampler.work.LabelledWork.allocate;
import static io.heapsampler.work.LabelledWork.during;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heapsampler.work.LabelledWork;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** With Micrometer's own observations, and with samples of a real recording. */
@SuppressWarnings("try") // a scope need not be named in its block
class HeapLabelsObservationHandlerTest {

    private final ExecutorService pool = Executors.newSingleThreadExecutor();

    @AfterEach
    void endPool() {
        pool.shutdownNow();
    }

    private static ObservationRegistry registry(HeapLabelsObservationHandler handler) {
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(handler);
        return registry;
    }

    private static Observation of(ObservationRegistry registry, String tenant) {
        return Observation.createNotStarted("request", registry)
                .lowCardinalityKeyValue("tenant", tenant);
    }

    @Test
    void lowCardinalityKeyValuesAreLabels() throws Exception {
        ObservationRegistry registry = registry(HeapLabelsObservationHandler.ofAllKeys());
        LabelledWork.Code work =
                () -> {
                    allocate(1);
                    of(registry, "acme")
                            .highCardinalityKeyValue("user", "id-1")
                            .observe(() -> allocate(2));
                    allocate(4);
                };
        assertThat(during("tenant", work)).isEqualTo(Map.of("(none)", 5L, "acme", 2L));
        assertThat(during("user", work)).isEqualTo(Map.of("(none)", 7L));
    }

    @Test
    void onlyChosenKeysAreLabels() throws Exception {
        ObservationRegistry registry = registry(HeapLabelsObservationHandler.ofKeys("tenant"));
        LabelledWork.Code work =
                () ->
                        of(registry, "acme")
                                .lowCardinalityKeyValue("status", "200")
                                .observe(() -> allocate(2));
        assertThat(during("tenant", work)).isEqualTo(Map.of("acme", 2L));
        assertThat(during("status", work)).isEqualTo(Map.of("(none)", 2L));
    }

    @Test
    void aFunctionChoosesTheValueOfOneLabel() throws Exception {
        ObservationRegistry registry =
                registry(
                        HeapLabelsObservationHandler.ofValue(
                                "endpoint",
                                context -> "request".equals(context.getName()) ? "GET /a" : null));
        LabelledWork.Code work =
                () -> {
                    allocate(1);
                    of(registry, "acme")
                            .observe(
                                    () -> {
                                        allocate(2);
                                        Observation.createNotStarted("query", registry)
                                                .observe(() -> allocate(4));
                                    });
                };
        assertThat(during("endpoint", work)).isEqualTo(Map.of("(none)", 1L, "GET /a", 6L));
        assertThat(during("tenant", work)).isEqualTo(Map.of("(none)", 7L));
        assertThatThrownBy(() -> HeapLabelsObservationHandler.ofValue("", context -> null))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void innerObservationsHaveTheLabelsOfOuterOnesToo() throws Exception {
        ObservationRegistry registry = registry(HeapLabelsObservationHandler.ofAllKeys());
        Runnable query =
                () ->
                        Observation.createNotStarted("query", registry)
                                .lowCardinalityKeyValue("table", "orders")
                                .observe(() -> allocate(2));
        Runnable request =
                () -> {
                    query.run();
                    of(registry, "globex").observe(() -> allocate(4));
                    Observation.createNotStarted("plain", registry).observe(() -> allocate(8));
                    allocate(16);
                };
        assertThat(during("tenant", () -> of(registry, "acme").observe(request)))
                .isEqualTo(Map.of("acme", 26L, "globex", 4L));
        assertThat(during("table", () -> of(registry, "acme").observe(request)))
                .isEqualTo(Map.of("(none)", 28L, "orders", 2L));
    }

    @Test
    void scopesOfOneObservationMayBeNested() throws Exception {
        ObservationRegistry registry = registry(HeapLabelsObservationHandler.ofAllKeys());
        Observation acme = of(registry, "acme").start();
        Map<String, Long> tenants =
                during(
                        "tenant",
                        () -> {
                            try (Observation.Scope outer = acme.openScope()) {
                                try (Observation.Scope inner = acme.openScope()) {
                                    allocate(1);
                                }
                                allocate(2);
                            }
                            allocate(4);
                        });
        acme.stop();
        assertThat(tenants).isEqualTo(Map.of("acme", 3L, "(none)", 4L));
    }

    @Test
    void anErrorEndsTheLabels() throws Exception {
        ObservationRegistry registry = registry(HeapLabelsObservationHandler.ofAllKeys());
        Runnable fails =
                () -> {
                    allocate(1);
                    throw new IllegalStateException("the work fails");
                };
        Map<String, Long> tenants =
                during(
                        "tenant",
                        () -> {
                            assertThatThrownBy(() -> of(registry, "acme").observe(fails))
                                    .hasMessage("the work fails");
                            allocate(2);
                        });
        assertThat(tenants).isEqualTo(Map.of("(none)", 2L, "acme", 1L));
    }

    @Test
    void aResetEndsTheLabelsOfAllScopesAndTheyComeBack() throws Exception {
        ObservationRegistry registry = registry(HeapLabelsObservationHandler.ofAllKeys());
        Observation acme = of(registry, "acme").start();
        Observation globex = of(registry, "globex").start();
        Map<String, Long> tenants =
                during(
                        "tenant",
                        () -> {
                            Observation.Scope outer = acme.openScope();
                            Observation.Scope inner = globex.openScope();
                            inner.reset();
                            allocate(1);
                            inner.makeCurrent();
                            allocate(2);
                            inner.close();
                            allocate(4);
                            outer.close();
                            allocate(8);
                        });
        assertThat(tenants).isEqualTo(Map.of("(none)", 9L, "globex", 2L, "acme", 4L));
    }

    @Test
    void anOuterScopeThatIsClosedFirstEndsTheInnerOnes() throws Exception {
        ObservationRegistry registry = registry(HeapLabelsObservationHandler.ofAllKeys());
        Observation acme = of(registry, "acme").start();
        Observation globex = of(registry, "globex").start();
        Map<String, Long> tenants =
                during(
                        "tenant",
                        () -> {
                            Observation.Scope outer = acme.openScope();
                            Observation.Scope inner = globex.openScope();
                            outer.close();
                            allocate(1);
                            inner.close();
                            allocate(2);
                            of(registry, "initech").observe(() -> allocate(4));
                        });
        assertThat(tenants).isEqualTo(Map.of("(none)", 3L, "initech", 4L));
    }

    @Test
    void aScopeOfAnotherThreadHasItsOwnLabels() throws Exception {
        ObservationRegistry registry = registry(HeapLabelsObservationHandler.ofAllKeys());
        Observation acme = of(registry, "acme").start();
        Runnable inPool =
                () -> {
                    allocate(1);
                    acme.scoped(() -> allocate(2));
                    allocate(4);
                };
        Map<String, Long> tenants =
                during(
                        "tenant",
                        () -> {
                            pool.submit(LabelledWork::passOldSamplePoint).get();
                            acme.scoped(
                                    () -> {
                                        try {
                                            pool.submit(inPool).get();
                                        } catch (Exception e) {
                                            throw new IllegalStateException(e);
                                        }
                                        allocate(8);
                                    });
                        });
        acme.stop();
        assertThat(tenants).isEqualTo(Map.of("(none)", 5L, "acme", 10L));
    }

    /** As reactive code does that opens a scope in one thread and closes it in another. */
    @Test
    void scopesThatAnotherThreadClosesAreForgotten() throws Exception {
        ObservationRegistry registry = registry(HeapLabelsObservationHandler.ofAllKeys());
        Map<String, Long> tenants =
                during(
                        "tenant",
                        () -> {
                            for (int i = 0; i < 100; i++) {
                                Observation acme = of(registry, "acme").start();
                                Observation.Scope scope = acme.openScope();
                                pool.submit(scope::close).get();
                                acme.stop();
                            }
                            Observation plain = Observation.start("plain", registry);
                            plain.scoped(() -> allocate(1));
                            allocate(2);
                        });
        assertThat(tenants).isEqualTo(Map.of("(none)", 3L));
    }

    /** No observation stops, so the depth is the only bound. */
    @Test
    void scopesThatAreNeverClosedAreBounded() throws Exception {
        ObservationRegistry registry = registry(HeapLabelsObservationHandler.ofAllKeys());
        Map<String, Long> tenants =
                during(
                        "tenant",
                        () -> {
                            for (int i = 0; i < 10_000; i++) {
                                of(registry, "t" + i % 7).start().openScope();
                            }
                            of(registry, "last").observe(() -> allocate(1));
                            registry.getCurrentObservationScope().reset();
                            allocate(2);
                        });
        assertThat(tenants).isEqualTo(Map.of("(none)", 2L, "last", 1L));
    }

    @Test
    void keysAndValuesThatNoLabelCanHaveDoNotFail() throws Exception {
        ObservationRegistry registry = registry(HeapLabelsObservationHandler.ofAllKeys());
        Observation odd = Observation.createNotStarted("odd", registry);
        odd.lowCardinalityKeyValue("tenant", "x".repeat(300));
        odd.lowCardinalityKeyValue("empty", "");
        odd.lowCardinalityKeyValue("k".repeat(65), "a\nb");
        for (int i = 0; i < 20; i++) {
            odd.lowCardinalityKeyValue("z" + i, "v");
        }
        assertThat(during("tenant", () -> odd.observe(() -> allocate(2))))
                .isEqualTo(Map.of("x".repeat(256), 2L));
    }

    @Test
    void keysThatNoLabelCanHaveAreRefused() {
        assertThatThrownBy(() -> HeapLabelsObservationHandler.ofKeys())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("No key is named");
        assertThatThrownBy(() -> HeapLabelsObservationHandler.ofKeys("k".repeat(65)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("65 characters");
        assertThat(HeapLabelsObservationHandler.ofKeys("tenant")).hasToString("labels of [tenant]");
    }
}
