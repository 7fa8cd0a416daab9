// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export.internal;

import io.heapsampler.HeapAmount;
import io.heapsampler.LabelTotals;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The figures under one set of labels, as it is written: a part of a site or of a snapshot. */
public record LabelPart(
        WrittenLabels labels, HeapAmount allocated, HeapAmount live, HeapAmount unconfirmed) {

    static LabelPart of(WrittenLabels labels, LabelTotals totals) {
        return new LabelPart(labels, totals.allocated(), totals.live(), totals.unconfirmed());
    }

    /** Adds the figures of another part. */
    public LabelPart plus(LabelPart other) {
        return new LabelPart(
                labels,
                allocated.plus(other.allocated),
                live.plus(other.live),
                unconfirmed.plus(other.unconfirmed));
    }

    /** Returns one part for each set of labels, in the order in which the sets come. */
    public static List<LabelPart> merged(Iterable<LabelPart> parts) {
        Map<WrittenLabels, LabelPart> bySet = new LinkedHashMap<>();
        parts.forEach(part -> bySet.merge(part.labels, part, LabelPart::plus));
        return new ArrayList<>(bySet.values());
    }
}
