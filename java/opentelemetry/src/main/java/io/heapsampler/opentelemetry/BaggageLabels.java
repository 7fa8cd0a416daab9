// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.opentelemetry;

import io.heapsampler.HeapLabels;
import io.heapsampler.internal.shared.FittingLabels;
import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.context.Context;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Some keys of the baggage of a context as labels. Immutable. */
final class BaggageLabels implements Function<Context, @Nullable HeapLabels> {

    private final List<String> keys;

    BaggageLabels(String... keys) {
        this.keys = List.of(keys);
        if (this.keys.isEmpty()) {
            throw new IllegalArgumentException(
                    "No key of the baggage is named, so no sample would have a label. Name those"
                            + " with few values, such as \"tenant\".");
        }
        FittingLabels.checkKeys(this.keys);
    }

    @Override
    public @Nullable HeapLabels apply(Context context) {
        Baggage baggage = Baggage.fromContextOrNull(context);
        if (baggage == null) {
            return null;
        }
        HeapLabels labels = null;
        for (String key : keys) {
            labels = FittingLabels.and(labels, key, baggage.getEntryValue(key));
        }
        return labels;
    }
}
