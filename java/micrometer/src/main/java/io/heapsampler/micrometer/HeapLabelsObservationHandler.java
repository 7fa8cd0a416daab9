// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.micrometer;

import io.heapsampler.ApiStatus;
import io.heapsampler.HeapLabels;
import io.heapsampler.internal.shared.FittingLabels;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Gives the running thread labels for as long as a scope of an observation is open, so that samples
 * are known by the low-cardinality key values of observations. High-cardinality ones are never
 * labels.
 *
 * <pre>{@code
 * registry.observationConfig()
 *         .observationHandler(HeapLabelsObservationHandler.ofKeys("tenant", "job"));
 * }</pre>
 *
 * <p><b>Nested observations.</b> An inner observation has the labels of the outer one as well.
 * Where both have a key, the value of the inner one counts until its scope is closed. Each
 * combination takes one of the about 4,000 sets of labels that the sampler knows: choose keys.
 *
 * <p><b>When.</b> Only values known when the scope opens count. A web framework that finds the
 * route of a request or its status later has a substitute until then, such as {@code UNKNOWN}.
 *
 * <p><b>Errors.</b> No exception reaches the application. Keys and values that {@link HeapLabels}
 * would refuse are cut or replaced, and labels after the 16th are left out. A scope that another
 * thread closes leaves the labels of its own thread as they are.
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
public final class HeapLabelsObservationHandler implements ObservationHandler<Observation.Context> {

    private final Choice choice;
    private final String text;

    /** What this handler has opened in each thread. */
    private final OpenScopes open = new OpenScopes();

    /** Returns the labels in an observation; the outer ones are null if there are none. */
    private interface Choice {
        @Nullable HeapLabels labels(@Nullable HeapLabels outer, Observation.Context context);
    }

    private HeapLabelsObservationHandler(Choice choice, String text) {
        this.choice = choice;
        this.text = text;
    }

    /**
     * Returns a handler that uses all low-cardinality key values, 16 at most.
     *
     * @return the handler
     */
    public static HeapLabelsObservationHandler ofAllKeys() {
        return new HeapLabelsObservationHandler(
                (outer, context) -> lowCardinality(outer, context, Set.of()),
                "all low-cardinality key values");
    }

    /**
     * Returns a handler that uses some low-cardinality key values.
     *
     * @param keys the keys, which are those of the labels as well
     * @return the handler
     * @throws IllegalArgumentException if there is no key, if one is named twice or cannot be the
     *     key of a label, or if there are more than 16; see {@link HeapLabels#of}
     */
    public static HeapLabelsObservationHandler ofKeys(String... keys) {
        if (keys.length == 0) {
            throw new IllegalArgumentException(
                    "No key is named, so no sample would have a label. Name some, or use"
                            + " ofAllKeys().");
        }
        Set<String> chosen = Set.of(keys);
        FittingLabels.checkKeys(chosen);
        return new HeapLabelsObservationHandler(
                (outer, context) -> lowCardinality(outer, context, chosen), chosen.toString());
    }

    /**
     * Returns a handler that gives one label, whose value a function finds in the observation.
     *
     * @param key the key of the label
     * @param value returns the value, one of few; null to keep the label of the outer observation;
     *     called by many threads when a scope is opened, and must not throw
     * @return the handler
     * @throws IllegalArgumentException if this cannot be the key of a label; see {@link
     *     HeapLabels#of}
     */
    public static HeapLabelsObservationHandler ofValue(
            String key, Function<Observation.Context, @Nullable String> value) {
        FittingLabels.checkKeys(Set.of(key));
        Objects.requireNonNull(value, "value");
        return new HeapLabelsObservationHandler(
                (outer, context) -> {
                    String found = value.apply(context);
                    return found == null ? outer : FittingLabels.and(outer, key, found);
                },
                key);
    }

    private static @Nullable HeapLabels lowCardinality(
            @Nullable HeapLabels outer, Observation.Context context, Set<String> keys) {
        HeapLabels labels = outer;
        for (KeyValue each : context.getLowCardinalityKeyValues()) {
            if (keys.isEmpty() || keys.contains(each.getKey())) {
                labels = FittingLabels.and(labels, each.getKey(), each.getValue());
            }
        }
        return labels;
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
        return true;
    }

    @Override
    public void onScopeOpened(Observation.Context context) {
        open.open(context, choice.labels(open.labels(), context));
    }

    @Override
    public void onScopeClosed(Observation.Context context) {
        open.close(context);
    }

    /** All scopes of the thread end here; those that go on are opened again. */
    @Override
    public void onScopeReset(Observation.Context context) {
        open.closeAll();
    }

    @Override
    public void onStop(Observation.Context context) {
        open.stop(context);
    }

    /** {@return the keys, in words} */
    @Override
    public String toString() {
        return "labels of " + text;
    }
}
