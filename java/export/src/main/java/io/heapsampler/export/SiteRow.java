// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.Amount;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.StackFrame;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A site as it is written: one of the snapshot, or all those that are beyond the limit.
 *
 * @param site null for those beyond the limit
 */
record SiteRow(
        String className,
        List<StackFrame> stack,
        Amount allocated,
        Amount live,
        Amount unconfirmed,
        @Nullable HeapSite site) {

    private static final String OTHER = "(other)";

    private static SiteRow of(HeapSite site) {
        return new SiteRow(
                site.className(),
                site.stack(),
                site.allocated(),
                site.live(),
                site.unconfirmed(),
                site);
    }

    /** Returns the sites to write: the largest first, in the same order each time. */
    static List<SiteRow> of(HeapSnapshot snapshot, ExportOptions options) {
        List<SiteRow> rows = new ArrayList<>(snapshot.sites().size());
        snapshot.sites().forEach(site -> rows.add(of(site)));
        // Stable: equals stay in the order of the snapshot.
        rows.sort(Comparator.comparingDouble((SiteRow row) -> -row.value(options.metric())));
        int limit = options.maxSites();
        if (rows.size() <= limit) {
            return rows;
        }
        List<SiteRow> kept = new ArrayList<>(rows.subList(0, limit - 1));
        rows.subList(limit - 1, rows.size()).stream().reduce(SiteRow::plus).ifPresent(kept::add);
        return kept;
    }

    private SiteRow plus(SiteRow other) {
        return new SiteRow(
                OTHER,
                List.of(),
                allocated.plus(other.allocated),
                live.plus(other.live),
                unconfirmed.plus(other.unconfirmed),
                null);
    }

    /** The value of a figure. */
    double value(Metric metric) {
        return metric.of(allocated, live).value();
    }
}
