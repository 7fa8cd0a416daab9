// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.opentelemetry;

import io.heapsampler.HeapLabels;
import io.opentelemetry.context.Context;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Calls a function of the application; no exception of it passes. Safe for use by many threads. */
final class LabelSource {

    private static final System.Logger LOG = System.getLogger(LabelSource.class.getName());

    private final Function<Context, @Nullable HeapLabels> function;
    private final AtomicBoolean hasFailed = new AtomicBoolean();

    LabelSource(Function<Context, @Nullable HeapLabels> function) {
        this.function = function;
    }

    /** Returns the labels of a context; null if it has none, or if the function throws. */
    @Nullable HeapLabels labelsOf(Context context) {
        try {
            return function.apply(context);
        } catch (RuntimeException e) {
            if (!hasFailed.getAndSet(true)) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "The function that was given to HeapLabelsContextStorage.install failed."
                                + " Samples in such contexts have no labels of their own. Further"
                                + " failures of it are not logged.",
                        e);
            }
            return null;
        }
    }
}
