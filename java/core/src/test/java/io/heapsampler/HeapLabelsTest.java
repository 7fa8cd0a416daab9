// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heapsampler.internal.shared.AllocatedBytes;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sets of labels, and the scopes in which threads have them. */
@Timeout(60)
@SuppressWarnings("try") // a scope need not be named in its block
class HeapLabelsTest {

    private static final String LONG = "x".repeat(257);

    private final FakeLabelEngine engine = new FakeLabelEngine();
    private final LabelRegistry registry = new LabelRegistry(engine, System::nanoTime);
    private final HeapLabels orders = registry.of("endpoint", "GET /orders");

    private String current() {
        return engine.labelsOf(Thread.currentThread());
    }

    private static void refused(ThrowingCallable call, String message) {
        assertThatIllegalArgumentException().isThrownBy(call).withMessage(message);
    }

    @Test
    void equalLabelsAreOneInstance() {
        HeapLabels acme = orders.and("tenant", "acme");

        assertThat(registry.of("endpoint", "GET /orders")).isSameAs(orders);
        assertThat(registry.of("tenant", "acme").and("endpoint", "GET /orders")).isSameAs(acme);
        assertThat(acme.asMap().keySet()).containsExactly("endpoint", "tenant");
        assertThat(acme.get("tenant")).isEqualTo("acme");
        assertThat(acme.get("user")).isNull();
        assertThat(acme).hasToString("{endpoint=GET /orders, tenant=acme}");
        assertThat(HeapLabels.of("tenant", "acme")).isSameAs(HeapLabels.of("tenant", "acme"));
    }

    @Test
    void anEqualKeyIsReplaced() {
        assertThat(orders.and("endpoint", "GET /carts"))
                .isSameAs(registry.of("endpoint", "GET /carts"));
        assertThat(orders.get("endpoint")).isEqualTo("GET /orders");
    }

    @Test
    void mapsCannotBeChanged() {
        assertThatThrownBy(() -> orders.asMap().put("a", "b"))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThat(orders.asMap()).hasSize(1);
    }

    @Test
    void aScopeGivesItsThreadTheLabelsOfTheSet() {
        try (HeapLabels.Scope scope = orders.and("tenant", "\u00e9").open()) {
            assertThat(current()).isEqualTo("endpoint|GET /orders|tenant|\u00e9|");
            assertThat(scope).hasToString("{endpoint=GET /orders, tenant=\u00e9}, open");
        }
        assertThat(current()).isEmpty();
    }

    @Test
    void anInnerScopeReplacesTheLabelsUntilItIsClosed() {
        try (HeapLabels.Scope outer = orders.open()) {
            try (HeapLabels.Scope inner = registry.of("tenant", "acme").open()) {
                assertThat(current()).isEqualTo("tenant|acme|");
            }
            assertThat(current()).isEqualTo("endpoint|GET /orders|");
        }
    }

    @Test
    void closingAScopeEndsThoseInIt() {
        HeapLabels.Scope outer = orders.open();
        HeapLabels.Scope inner = registry.of("tenant", "acme").open();

        outer.close();
        assertThat(current()).isEmpty();
        inner.close();
        assertThat(current()).isEmpty();
        assertThat(inner).hasToString("{tenant=acme}, closed");
    }

    @Test
    void aSecondCloseDoesNothing() {
        HeapLabels.Scope first = orders.open();
        first.close();
        try (HeapLabels.Scope second = orders.and("tenant", "acme").open()) {
            first.close();
            assertThat(current()).endsWith("|acme|");
        }
    }

    /** There may be no room on the stack for the call. */
    @Test
    void aScopeThatCouldNotBeClosedIsClosedByTheNextCall() {
        HeapLabels.Scope scope = orders.open();
        engine.failure = new StackOverflowError("made up for a test");

        assertThatThrownBy(scope::close).isSameAs(engine.failure);
        assertThat(scope).hasToString("{endpoint=GET /orders}, open");
        engine.failure = null;
        scope.close();
        assertThat(current()).isEmpty();
    }

    /** Threads may get a set through a field that no lock guards. */
    @Test
    void allFieldsOfASetAreFinal() {
        assertThat(HeapLabels.class.getDeclaredFields())
                .filteredOn(field -> !field.isSynthetic())
                .isNotEmpty()
                .allMatch(field -> Modifier.isFinal(field.getModifiers()));
    }

    @Test
    void aScopeIsNotClosedByAnotherThread() {
        HeapLabels.Scope scope = orders.open();
        Thread owner = Thread.currentThread();

        assertThatThrownBy(() -> CompletableFuture.runAsync(scope::close).join())
                .cause()
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith(
                        "The scope of labels {endpoint=GET /orders} was opened by the thread \""
                                + owner.getName()
                                + "\", and \"")
                .hasMessageEndingWith(
                        "\" cannot close it, because labels belong to one thread. Close it where it"
                                + " was opened, and wrap tasks for other threads with"
                                + " HeapLabels.wrap.");
        assertThat(current()).isEqualTo("endpoint|GET /orders|");
        scope.close();
        assertThat(current()).isEmpty();
    }

    @Test
    void tasksRunWithTheLabelsAndLeaveNoneBehind() throws Exception {
        orders.run(() -> assertThat(current()).isEqualTo("endpoint|GET /orders|"));
        assertThat(orders.call(this::current)).isEqualTo("endpoint|GET /orders|");
        assertThat(current()).isEmpty();
        assertThatIllegalStateException()
                .isThrownBy(
                        () ->
                                orders.run(
                                        () -> {
                                            throw new IllegalStateException(current());
                                        }))
                .withMessage("endpoint|GET /orders|");
        assertThatThrownBy(
                        () ->
                                orders.call(
                                        () -> {
                                            throw new IOException(current());
                                        }))
                .isInstanceOf(IOException.class)
                .hasMessage("endpoint|GET /orders|");
        assertThat(current()).isEmpty();
    }

    @Test
    void wrappedTasksHaveTheLabelsInThreadsOfAPool() throws Exception {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        try {
            Runnable none = () -> assertThat(current()).isEmpty();
            Callable<String> labels = this::current;
            String expected = "endpoint|GET /orders|";

            assertThat(pool.submit(orders.wrap(labels)).get()).isEqualTo(expected);
            pool.submit(none).get();
            pool.submit(orders.wrap((Runnable) () -> assertThat(current()).isEqualTo(expected)))
                    .get();
            pool.submit(none).get();
            assertThat(CompletableFuture.supplyAsync(this::current, orders.wrap(pool)).get())
                    .isEqualTo(expected);
            pool.submit(none).get();
        } finally {
            pool.shutdown();
        }
        assertThat(current()).isEmpty();
    }

    @Test
    void virtualThreadsAreDistinguishedFromOthers() throws Exception {
        orders.run(() -> assertThat(engine.lastWasVirtual).isFalse());
        if (Runtime.version().feature() >= 21) {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            Class<?> type = Class.forName("java.lang.Thread$Builder");
            Runnable task = () -> orders.run(() -> {});
            Thread thread = (Thread) type.getMethod("start", Runnable.class).invoke(builder, task);
            thread.join();
            assertThat(engine.lastWasVirtual).isTrue();
        }
    }

    @Test
    void withoutAnEngineNothingIsOpenedOrAllocated() {
        engine.isThere = false;
        open(1_000);
        long before = AllocatedBytes.ofThisThread();
        open(10_000);
        long allocated = AllocatedBytes.ofThisThread() - before;

        assertThat(allocated).isLessThan(1_000);
        assertThat(engine.added).isZero();
        assertThat(engine.opened).isZero();
        assertThat(orders.open())
                .isSameAs(orders.open())
                .hasToString("no labels: HeapSampler was not started");
        HeapLabels.Scope early = orders.open();
        engine.isThere = true;
        try (HeapLabels.Scope scope = orders.open()) {
            early.close();
            assertThat(current()).isEqualTo("endpoint|GET /orders|");
        }
    }

    private void open(int times) {
        for (int i = 0; i < times; i++) {
            orders.open().close();
        }
    }

    @Test
    void nullIsRefused() {
        String remedy =
                " is null, but a label is a pair of texts. Leave the label out, or give it a value"
                        + " such as \"unknown\".";
        assertThatNullPointerException()
                .isThrownBy(() -> HeapLabels.of(null, "v").toString())
                .withMessage("The key of a label" + remedy);
        assertThatNullPointerException()
                .isThrownBy(() -> HeapLabels.of("tenant", null).toString())
                .withMessage("The value of the label \"tenant\"" + remedy);
        assertThatNullPointerException().isThrownBy(() -> orders.and(null, "v").toString());
        assertThatNullPointerException().isThrownBy(() -> orders.and("k", null).toString());
        assertThatNullPointerException().isThrownBy(() -> orders.run(null)).withMessage("task");
    }

    @Test
    void emptyTextsAreRefused() {
        refused(
                () -> HeapLabels.of("", "v").toString(),
                "The key of a label is empty, so no report could show it. Use a short name, such as"
                        + " \"endpoint\".");
        refused(
                () -> orders.and("tenant", "").toString(),
                "The value of the label \"tenant\" is empty, so no report could show it. Values are"
                        + " few and known beforehand, such as the name of an endpoint. Ids do not"
                        + " belong in labels.");
    }

    @Test
    void longTextsAreRefused() {
        refused(
                () -> HeapLabels.of(LONG.substring(192), "v").toString(),
                "The key of a label has 65 characters, and 64 is the maximum, because each table of"
                        + " labels is bounded. Use a short name, such as \"endpoint\".");
        refused(
                () -> HeapLabels.of("path", LONG).toString(),
                "The value of the label \"path\" has 257 characters, and 256 is the maximum,"
                        + " because each table of labels is bounded. Values are few and known"
                        + " beforehand, such as the name of an endpoint. Ids do not belong in"
                        + " labels.");
        assertThat(HeapLabels.of(LONG.substring(193), LONG.substring(1)).asMap()).hasSize(1);
    }

    @Test
    void controlCharactersAreRefused() {
        String remedy = ", which reports could not show. Remove it, or replace it with a space.";
        refused(
                () -> HeapLabels.of("a\nb", "v").toString(),
                "The key of a label has the control character U+000A at position 1" + remedy);
        refused(
                () -> HeapLabels.of("k", "\u0000").toString(),
                "The value of the label \"k\" has the control character U+0000 at position 0"
                        + remedy);
        refused(
                () -> orders.and("k", "ab\u009f").toString(),
                "The value of the label \"k\" has the control character U+009F at position 2"
                        + remedy);
    }

    @Test
    void moreThanSixteenKeysAreRefused() {
        HeapLabels sixteen = orders;
        for (int i = 1; i < 16; i++) {
            sixteen = sixteen.and("k" + i, "v");
        }
        HeapLabels most = sixteen;

        assertThat(most.and("k3", "other").asMap()).hasSize(16);
        refused(
                () -> most.and("k16", "v").toString(),
                "A set of labels has 16 keys at most, and this would be number 17. Each combination"
                        + " of values needs room of its own. Leave out keys that no report"
                        + " needs.");
    }
}
