// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.LabelTotals;
import io.heapsampler.SampleFilter;
import io.heapsampler.internal.shared.OnlyLabel;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The samples that a request chooses, by a label as it is shown. */
final class ChosenSamples {

    private ChosenSamples() {}

    /** Returns the samples of a label; all samples for null. */
    static HeapSnapshot of(HeapSnapshot all, @Nullable OnlyLabel only, EndpointOptions options) {
        if (only == null) {
            return all;
        }
        return all.filter(
                options.hasLabelsAsTheyAre() ? only.filter() : shownAs(only, all, options));
    }

    /** A request that names a value behind a replaced one must not find out that it exists. */
    private static SampleFilter shownAs(OnlyLabel only, HeapSnapshot all, EndpointOptions options) {
        List<SampleFilter> matching = new ArrayList<>();
        for (LabelTotals each : all.labels(only.key())) {
            String shown = each.isNone() ? null : options.labels.apply(only.key(), each.value());
            if (!each.isOther() && only.value().equals(shown == null ? "" : shown)) {
                String value = each.isNone() ? "" : each.value();
                matching.add(new OnlyLabel(only.key(), value).filter());
            }
        }
        return SampleFilter.anyOf(matching);
    }
}
