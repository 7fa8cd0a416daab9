// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.opentelemetry;

import io.heapsampler.ApiStatus;
import io.heapsampler.HeapLabels;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextStorage;
import io.opentelemetry.context.Scope;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Gives the running thread labels for as long as a context of OpenTelemetry is its current one, so
 * that samples are known by tenant, endpoint or other values of the context.
 *
 * <pre>{@code
 * public static void main(String[] args) {
 *     HeapLabelsContextStorage.install("tenant"); // before OpenTelemetry is used
 *     HeapSampler.start();
 *     ...
 * }
 * }</pre>
 *
 * <p>{@link HeapLabels} are opened when a context is made current and closed when its {@link Scope}
 * is. Executors that pass contexts on therefore pass labels on as well. A context without labels
 * changes nothing: the labels of the context around it stay in force. Trace and span ids are not
 * labels, since each request has others.
 *
 * <p><b>When.</b> Call {@code install} once, at the beginning of {@code main}. OpenTelemetry
 * ignores wrappers of its storage after the first use of a context. The Java agent of OpenTelemetry
 * has copies of these classes: contexts that only the agent makes current are not seen.
 *
 * <p><b>Errors.</b> No exception reaches the application. Values that {@link HeapLabels} would
 * refuse are cut or replaced. If the function throws, the context has no labels, and a warning is
 * logged once. A scope that another thread closes leaves the labels of its own thread as they are.
 *
 * <p>Safe for use by many threads.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
public final class HeapLabelsContextStorage implements ContextStorage {

    private final ContextStorage storage;
    private final LabelSource source;

    HeapLabelsContextStorage(ContextStorage storage, LabelSource source) {
        this.storage = storage;
        this.source = source;
    }

    /**
     * Labels samples with some keys of the baggage.
     *
     * @param baggageKeys the keys, which are those of the labels as well; use few, and none whose
     *     values are ids
     * @throws IllegalArgumentException if there is no key, or if one cannot be the key of a label;
     *     see {@link HeapLabels#of}
     */
    public static void install(String... baggageKeys) {
        install(new BaggageLabels(baggageKeys));
    }

    /**
     * Labels samples with what a function makes of their context.
     *
     * @param labels called by each thread that makes a context current; returns null for no labels.
     *     It should return one of a few sets that it keeps, and it must not make contexts current
     */
    public static void install(Function<Context, @Nullable HeapLabels> labels) {
        Objects.requireNonNull(labels, "labels");
        LabelSource source = new LabelSource(labels);
        ContextStorage.addWrapper(storage -> new HeapLabelsContextStorage(storage, source));
    }

    /**
     * Makes a context current, and opens its labels.
     *
     * @param toAttach the context
     * @return closes the labels, then what the storage below has opened
     */
    @Override
    @SuppressWarnings("MustBeClosedChecker") // the caller closes what this returns
    public Scope attach(Context toAttach) {
        HeapLabels labels = storage.current() == toAttach ? null : source.labelsOf(toAttach);
        Scope scope = storage.attach(toAttach);
        return labels == null ? scope : new LabelScope(scope, labels.open());
    }

    @Override
    public @Nullable Context current() {
        return storage.current();
    }

    @Override
    public Context root() {
        return storage.root();
    }

    @Override
    public String toString() {
        return "HeapLabelsContextStorage[" + storage + "]";
    }

    /** For the thread that opened it; others leave its labels alone. */
    private static final class LabelScope implements Scope {

        private final Scope scope;
        private final HeapLabels.Scope labels;
        private final Thread owner = Thread.currentThread();

        LabelScope(Scope scope, HeapLabels.Scope labels) {
            this.scope = scope;
            this.labels = labels;
        }

        @Override
        public void close() {
            if (Thread.currentThread() == owner) {
                labels.close();
            }
            scope.close();
        }
    }
}
