// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.export.internal.LabelChoice;
import io.heapsampler.export.internal.LabelPart;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The labels that texts and JSON list: the most live ones first, and no more than a reader needs.
 */
final class LabelLists {

    private static final int KEYS = 16;
    private static final int VALUES = 20;
    private static final int SETS_OF_SITE = 3;

    private static final Comparator<LabelPart> LARGEST_FIRST =
            Comparator.comparingDouble((LabelPart part) -> part.live().bytes().value())
                    .thenComparingDouble(part -> part.allocated().bytes().value())
                    .reversed();

    private LabelLists() {}

    /** Returns the figures by value, for each key in alphabetical order; empty without labels. */
    static Map<String, List<LabelPart>> byKey(HeapSnapshot snapshot, LabelChoice choice) {
        Map<String, List<LabelPart>> byKey = new LinkedHashMap<>();
        for (String key : snapshot.labelKeys()) {
            List<LabelPart> parts = choice.parts(snapshot.labels(key));
            boolean isShown = parts.stream().anyMatch(part -> !part.labels().values().isEmpty());
            if (isShown && byKey.size() < KEYS) {
                byKey.put(key, largest(parts, VALUES));
            }
        }
        return byKey;
    }

    /** Returns the largest sets of a site; empty if it has no labels. */
    static List<LabelPart> ofSite(HeapSite site, LabelChoice choice) {
        List<LabelPart> parts = choice.parts(site.labels());
        boolean isShown = parts.stream().anyMatch(part -> !part.labels().isNone());
        return isShown ? largest(parts, SETS_OF_SITE) : List.of();
    }

    private static List<LabelPart> largest(List<LabelPart> parts, int most) {
        return parts.stream().sorted(LARGEST_FIRST).limit(most).toList();
    }
}
