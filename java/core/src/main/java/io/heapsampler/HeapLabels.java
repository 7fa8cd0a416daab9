// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.internal.LabelEngine;
import io.heapsampler.internal.LabelText;
import io.heapsampler.internal.NativeLabels;
import io.heapsampler.internal.VirtualThreads;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Labels for samples: for whose request, tenant or job code allocates. While a scope is open,
 * samples of its thread get these labels and keep them, so that {@link HeapSnapshot#labels(String)}
 * reports allocated and live bytes by label.
 *
 * <pre>{@code
 * private static final HeapLabels ORDERS = HeapLabels.of("endpoint", "GET /orders");
 *
 * Response orders(Request request) {
 *     try (HeapLabels.Scope scope = ORDERS.open()) {
 *         return answer(request);
 *     }
 * }
 * }</pre>
 *
 * <p><b>Values.</b> Use labels with few values that are known beforehand: endpoints, tenants, kinds
 * of jobs. Ids of users, requests or sessions do not belong in labels. The engine knows about 4,000
 * sets at a time. Samples of further sets are counted at {@code (other)}, see {@link
 * DropCause#LABELS_FULL}.
 *
 * <p><b>Nested scopes.</b> The labels of the inner scope replace those of the outer one, until it
 * is closed. {@link #and} makes a set that has the outer labels as well. Labels belong to one
 * thread: a thread that it starts, or a task that it submits, has none unless the task is
 * {@linkplain #wrap(Runnable) wrapped}. Virtual threads keep theirs when they change carriers.
 *
 * <p><b>Cost.</b> {@link #of} looks up one set for equal labels; keep it in a constant where you
 * can. Opening and closing a scope sets a number in the thread. While the library is not loaded,
 * which {@link HeapSampler#start()} does, scopes do nothing, allocate nothing and load nothing.
 *
 * <p>Immutable and safe for use by many threads. One instance for each content; it is collected
 * when nothing refers to it any more.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
@CheckReturnValue
public final class HeapLabels {

    private static final LabelRegistry REGISTRY =
            new LabelRegistry(new NativeLabels(), System::nanoTime);

    private final LabelRegistry registry;
    private final SortedMap<String, String> labels;

    /** Final as all fields are: a thread may get this object through a field without any lock. */
    private final LabelRegistry.Entry entry;

    /** Takes over the map; the text is that of {@link LabelText}. */
    HeapLabels(
            LabelRegistry registry,
            SortedMap<String, String> labels,
            String text,
            ReferenceQueue<HeapLabels> dead) {
        this.registry = registry;
        this.labels = labels;
        this.entry = new LabelRegistry.Entry(this, text, dead);
    }

    LabelRegistry.Entry entry() {
        return entry;
    }

    static SortedMap<String, String> copyOf(String key, String value) {
        SortedMap<String, String> labels = new TreeMap<>();
        labels.put(key, value);
        return labels;
    }

    /**
     * Returns the set of one label.
     *
     * @param key what the label says, such as {@code endpoint}: 1 to 64 characters, without control
     *     characters
     * @param value such as {@code GET /orders}: 1 to 256 characters, without control characters
     * @return the same instance for the same label, for as long as it is in use
     * @throws NullPointerException if the key or the value is null
     * @throws IllegalArgumentException if the key or the value is empty, too long, or has a control
     *     character; the message says which, why, and what to do
     */
    public static HeapLabels of(String key, String value) {
        LabelText.check(key, value);
        return REGISTRY.of(key, value);
    }

    /**
     * Returns a set with one more label.
     *
     * @param key of the label; if this set has it, the new set has the new value in its place
     * @param value of the label
     * @return this set with the label; the same instance for equal labels
     * @throws NullPointerException as {@link #of} does
     * @throws IllegalArgumentException as {@link #of} does, and if the set would have more than 16
     *     keys
     */
    public HeapLabels and(String key, String value) {
        LabelText.check(key, value);
        SortedMap<String, String> more = new TreeMap<>(labels);
        more.put(key, value);
        LabelText.checkCount(more.size());
        return registry.of(more);
    }

    /** {@return the labels, values by key, sorted by key; unmodifiable} */
    public Map<String, String> asMap() {
        return Collections.unmodifiableSortedMap(labels);
    }

    /**
     * Returns the value of a key.
     *
     * @param key the key
     * @return the value; null if this set does not have the key
     */
    public @Nullable String get(String key) {
        return labels.get(key);
    }

    /**
     * Gives the calling thread these labels until the scope is closed. Works in every {@linkplain
     * SamplerState state}: a sampler that is started later finds the labels of open scopes, if the
     * library was loaded when they were opened.
     *
     * @return the scope, to be closed by the same thread
     */
    public Scope open() {
        LabelEngine engine = registry.engine();
        if (!engine.isThere()) {
            return Scope.NOTHING;
        }
        long word = registry.word(entry);
        Thread current = Thread.currentThread();
        boolean isVirtual = VirtualThreads.isVirtual(current);
        return new Scope(this, current, isVirtual, engine.open(current, isVirtual, word));
    }

    /**
     * Runs a task with these labels.
     *
     * @param task what to run; an exception of it passes through
     */
    public void run(Runnable task) {
        Objects.requireNonNull(task, "task");
        Scope scope = open();
        try {
            task.run();
        } finally {
            scope.close();
        }
    }

    /**
     * Calls a task with these labels.
     *
     * @param <T> what the task returns
     * @param task what to call
     * @return what the task returned
     * @throws Exception if the task throws it
     */
    @CanIgnoreReturnValue
    public <T extends @Nullable Object> T call(Callable<T> task) throws Exception {
        Objects.requireNonNull(task, "task");
        Scope scope = open();
        try {
            return task.call();
        } finally {
            scope.close();
        }
    }

    /**
     * Returns a task that runs another one with these labels, in any thread.
     *
     * @param task the other task
     * @return a task, for any number of runs
     */
    public Runnable wrap(Runnable task) {
        Objects.requireNonNull(task, "task");
        return () -> run(task);
    }

    /**
     * Returns a task that calls another one with these labels, in any thread.
     *
     * @param <T> what the task returns
     * @param task the other task
     * @return a task, for any number of calls
     */
    public <T extends @Nullable Object> Callable<T> wrap(Callable<T> task) {
        Objects.requireNonNull(task, "task");
        return () -> call(task);
    }

    /**
     * Returns an executor that runs its tasks in another one with these labels.
     *
     * @param executor the other executor, which stays as it is
     * @return an executor, for example for {@code CompletableFuture.supplyAsync}
     */
    public Executor wrap(Executor executor) {
        Objects.requireNonNull(executor, "executor");
        return task -> executor.execute(wrap(task));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof HeapLabels that && labels.equals(that.labels);
    }

    @Override
    public int hashCode() {
        return labels.hashCode();
    }

    /** {@return the labels, such as <code>{endpoint=GET /orders, tenant=acme}</code>} */
    @Override
    public String toString() {
        return labels.toString();
    }

    /**
     * The time in which a thread has labels: from {@link HeapLabels#open()} to {@link #close()}.
     *
     * <p>For the thread that opened it.
     *
     * @since 0.1
     */
    @ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
    public static final class Scope implements AutoCloseable {

        /** While there is no library. */
        private static final Scope NOTHING = new Scope(null, null, false, 0);

        /** Held so that the engine keeps the set while it is open. */
        private final @Nullable HeapLabels labels;

        private final @Nullable Thread owner;
        private final boolean isVirtual;
        private final long previous;
        private boolean isClosed;

        private Scope(
                @Nullable HeapLabels labels,
                @Nullable Thread owner,
                boolean isVirtual,
                long previous) {
            this.labels = labels;
            this.owner = owner;
            this.isVirtual = isVirtual;
            this.previous = previous;
        }

        /**
         * Gives the thread the labels again that it had before. Scopes that were opened inside of
         * this one and are still open end with it. Closing them later does nothing, unless the
         * thread has more scopes open by then than it had when they were opened: then that ends the
         * newer ones as well. A second call does nothing.
         *
         * @throws IllegalStateException if another thread opened this scope; nothing is changed
         */
        @Override
        public void close() {
            HeapLabels opened = labels;
            Thread thread = owner;
            if (opened == null || thread == null) {
                return;
            }
            if (thread != Thread.currentThread()) {
                throw new IllegalStateException(
                        "The scope of labels "
                                + opened
                                + " was opened by the thread \""
                                + thread.getName()
                                + "\", and \""
                                + Thread.currentThread().getName()
                                + "\" cannot close it, because labels belong to one thread. Close"
                                + " it where it was opened, and wrap tasks for other threads with"
                                + " HeapLabels.wrap.");
            }
            if (!isClosed) {
                try {
                    opened.registry.engine().close(thread, isVirtual, previous);
                    isClosed = true; // Not before: with a full stack the call may have failed.
                } finally {
                    Reference.reachabilityFence(opened); // its set was in force until now
                }
            }
        }

        /** {@return the labels, and whether the scope is open} */
        @Override
        public String toString() {
            return labels == null
                    ? "no labels: HeapSampler was not started"
                    : labels + (isClosed ? ", closed" : ", open");
        }
    }
}
