// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When the engine gets to know sets of labels, and when it forgets them. */
@Timeout(60)
class LabelRegistryTest {

    private final FakeLabelEngine engine = new FakeLabelEngine();
    private final AtomicLong now = new AtomicLong(-5);
    private final LabelRegistry registry = new LabelRegistry(engine, now::get);

    private static void collectUntil(BooleanSupplier isDone) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!isDone.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            System.gc();
        }
    }

    private String inForce(HeapLabels labels) throws Exception {
        return labels.call(() -> engine.labelsOf(Thread.currentThread()));
    }

    @Test
    void aSetIsAddedOnceWhenItIsFirstOpened() {
        HeapLabels labels = registry.of("k", "v");
        assertThat(engine.added).isZero();
        for (int i = 0; i < 3; i++) {
            labels.open().close();
        }
        assertThat(engine.added).isEqualTo(1);
    }

    @Test
    void deadSetsAreForgotten() {
        for (int i = 0; i < 1_000; i++) {
            registry.of("k", "v" + i).open().close();
        }
        HeapLabels kept = registry.of("k", "kept");
        kept.open().close();

        collectUntil(
                () -> {
                    registry.of("k", "kept").open().close();
                    return registry.size() == 1;
                });

        assertThat(engine.size()).isEqualTo(1);
        assertThat(registry.of("k", "kept")).isSameAs(kept);
    }

    /** One request must not wait until all sets of an hour are removed. */
    @Test
    void oneCallRemovesSomeOfManyDeadSets() {
        for (int i = 0; i < 10 * LabelRegistry.MOST_AT_ONCE; i++) {
            registry.of("k", "v" + i);
        }
        HeapLabels kept = registry.of("k", "kept");
        collectUntil(
                () -> {
                    int before = registry.size();
                    assertThat(registry.of("k", "kept")).isSameAs(kept);
                    assertThat(before - registry.size())
                            .isLessThanOrEqualTo(LabelRegistry.MOST_AT_ONCE);
                    return registry.size() == 1;
                });
    }

    @Test
    void anOpenScopeKeepsItsSet() {
        HeapLabels.Scope scope = registry.of("k", "open").open();
        WeakReference<Object> other = new WeakReference<>(registry.of("k", "closed"));
        registry.of("k", "closed").open().close();

        collectUntil(
                () -> {
                    boolean isForgotten = other.get() == null;
                    registry.of("k", "any").open().close();
                    return isForgotten && engine.size() <= 2;
                });

        assertThat(engine.labelsOf(Thread.currentThread())).isEqualTo("k|open|");
        Reference.reachabilityFence(scope);
        scope.close();
    }

    @Test
    void aSetWithoutRoomIsOtherAndIsTriedAgainOnceASecond() throws Exception {
        engine.room = 1;
        HeapLabels first = registry.of("k", "first");
        HeapLabels second = registry.of("k", "second");
        HeapLabels third = registry.of("k", "third");
        assertThat(inForce(first)).isEqualTo("k|first|");

        for (int i = 0; i < 100; i++) {
            assertThat(inForce(second)).isEqualTo("(other)");
            assertThat(inForce(third)).isEqualTo("(other)");
        }
        assertThat(engine.added).isEqualTo(2);
        assertThat(inForce(first)).isEqualTo("k|first|");

        now.addAndGet(TimeUnit.SECONDS.toNanos(1) + 1);
        assertThat(inForce(third)).isEqualTo("(other)");
        assertThat(inForce(second)).isEqualTo("(other)");
        assertThat(engine.added).isEqualTo(3);

        engine.room = 3;
        assertThat(inForce(second)).isEqualTo("(other)");
        now.addAndGet(TimeUnit.SECONDS.toNanos(1) + 1);
        assertThat(inForce(second)).isEqualTo("k|second|");
        assertThat(inForce(third)).isEqualTo("k|third|");
        assertThat(engine.added).isEqualTo(5);
    }

    @Test
    void roomOfDeadSetsIsUsedAgain() throws Exception {
        engine.room = 1;
        assertThat(inForce(registry.of("k", "first"))).isEqualTo("k|first|");
        HeapLabels second = registry.of("k", "second");

        collectUntil(
                () -> {
                    now.addAndGet(TimeUnit.SECONDS.toNanos(2));
                    try {
                        return inForce(second).equals("k|second|");
                    } catch (Exception e) {
                        throw new AssertionError(e);
                    }
                });
    }

    @Test
    void manyThreadsAddASetOnce() throws Exception {
        HeapLabels labels = registry.of("k", "v");
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            threads.add(new Thread(() -> labels.run(() -> {})));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(engine.added).isEqualTo(1);
    }
}
