// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.HeapAmount;
import io.heapsampler.HeapDiff;
import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SiteDelta;
import io.heapsampler.export.internal.LabelChoice;
import io.heapsampler.export.internal.LabelPart;
import io.heapsampler.export.internal.WrittenLabels;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How the figures of sites have changed between two snapshots, by set of labels. Sites are the same
 * as in {@link HeapDiff#byLine()}. Nothing is kept if neither snapshot has labels to write.
 */
final class LabelChanges {

    /** What sites have in common that are one in a difference by line. */
    private record Key(String className, List<HeapFrame> stack) {}

    private final Map<Key, Map<WrittenLabels, LabelPart>> before;
    private final Map<Key, Map<WrittenLabels, LabelPart>> after;

    private LabelChanges(
            Map<Key, Map<WrittenLabels, LabelPart>> before,
            Map<Key, Map<WrittenLabels, LabelPart>> after) {
        this.before = before;
        this.after = after;
    }

    static LabelChanges of(HeapDiff diff, LabelChoice labels) {
        boolean isSeen = labels.isSeenIn(diff.earlier()) || labels.isSeenIn(diff.later());
        return isSeen
                ? new LabelChanges(parts(diff.earlier(), labels), parts(diff.later(), labels))
                : new LabelChanges(Map.of(), Map.of());
    }

    private static Map<Key, Map<WrittenLabels, LabelPart>> parts(
            HeapSnapshot snapshot, LabelChoice labels) {
        Map<Key, Map<WrittenLabels, LabelPart>> all = new HashMap<>();
        for (HeapSite site : snapshot.sites()) {
            Map<WrittenLabels, LabelPart> ofSite =
                    all.computeIfAbsent(
                            new Key(site.className(), site.stack()), any -> new LinkedHashMap<>());
            for (LabelPart part : labels.parts(site.labels())) {
                ofSite.merge(part.labels(), part, LabelPart::plus);
            }
        }
        return all;
    }

    /**
     * Returns the parts of a site that have figures, those of the later snapshot first.
     *
     * @param isChange true for the change of the live objects, false for those at the end
     */
    List<LabelPart> parts(SiteDelta delta, boolean isChange) {
        Key key = new Key(delta.className(), delta.stack());
        Map<WrittenLabels, LabelPart> old = before.getOrDefault(key, Map.of());
        Map<WrittenLabels, LabelPart> now = after.getOrDefault(key, Map.of());
        Map<WrittenLabels, LabelPart> all = new LinkedHashMap<>(now);
        old.forEach(all::putIfAbsent);
        List<LabelPart> parts = new ArrayList<>();
        for (WrittenLabels labels : all.keySet()) {
            LabelPart from = old.getOrDefault(labels, nothing(labels));
            LabelPart to = now.getOrDefault(labels, nothing(labels));
            HeapAmount allocated = to.allocated().minus(from.allocated());
            HeapAmount live = isChange ? to.live().minus(from.live()) : to.live();
            if (SiteRow.hasFigures(allocated, live)) {
                parts.add(new LabelPart(labels, allocated, live, SiteRow.NOTHING));
            }
        }
        return parts;
    }

    private static LabelPart nothing(WrittenLabels labels) {
        return new LabelPart(labels, SiteRow.NOTHING, SiteRow.NOTHING, SiteRow.NOTHING);
    }
}
