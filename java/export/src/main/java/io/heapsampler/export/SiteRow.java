// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.Estimate;
import io.heapsampler.HeapAmount;
import io.heapsampler.HeapDiff;
import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSample;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SiteDelta;
import io.heapsampler.export.internal.LabelChoice;
import io.heapsampler.export.internal.LabelPart;
import io.heapsampler.export.internal.WrittenLabels;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A site as it is written: one of the snapshot, or all those that are beyond the limit.
 *
 * @param site null for those beyond the limit, and for a difference
 * @param numbered the site whose frames have the same numbers in the snapshot that is written; null
 *     for those beyond the limit, and for what is no more in that snapshot
 * @param unconfirmedThere what is unconfirmed where there is no site
 * @param labelled the parts by set of labels; empty if no label is written in the export
 */
record SiteRow(
        String className,
        List<HeapFrame> stack,
        HeapAmount allocated,
        HeapAmount live,
        @Nullable HeapSite site,
        @Nullable HeapSite numbered,
        HeapAmount unconfirmedThere,
        List<LabelPart> labelled) {

    static final String OTHER = "(other)";

    /** Replaces a stack that the JVM did not give, or that found no room. */
    private static final String NO_STACK = "(no stack)";

    /** Replaces the frames beyond the maximum depth, at the root. */
    private static final String TRUNCATED = "(truncated)";

    static final HeapAmount NOTHING =
            HeapAmount.of(Estimate.of(0, 0, 0, 0), Estimate.of(0, 0, 0, 0), 0, 0);

    private static SiteRow of(HeapSite site, List<LabelPart> labelled) {
        return new SiteRow(
                site.className(),
                site.stack(),
                site.allocated(),
                site.live(),
                site,
                site,
                NOTHING,
                labelled);
    }

    private static SiteRow of(SiteDelta delta, HeapAmount live, List<LabelPart> labelled) {
        HeapSite later = delta.laterSite();
        return new SiteRow(
                delta.className(),
                delta.stack(),
                delta.allocated(),
                live,
                null,
                later,
                NOTHING,
                labelled);
    }

    /**
     * Returns the sites to write without their labels: the largest first, in the same order each
     * time.
     */
    static List<SiteRow> of(HeapSnapshot snapshot, ExportOptions options) {
        return largest(snapshot.sites().stream().map(site -> of(site, List.of())), options);
    }

    /** Returns the sites to write, in the same order. */
    static List<SiteRow> of(HeapSnapshot snapshot, ExportOptions options, LabelChoice labels) {
        if (!labels.isSeenIn(snapshot)) {
            return of(snapshot, options);
        }
        return largest(
                snapshot.sites().stream().map(site -> of(site, labels.parts(site.labels()))),
                options);
    }

    /**
     * Returns the changes to write, by line as those of a snapshot: the largest first, be they
     * growth or not.
     */
    static List<SiteRow> of(HeapDiff diff, ExportOptions options, LabelChoice labels) {
        LabelChanges changes = LabelChanges.of(diff, labels);
        return largest(
                diff.byLine().deltas().stream()
                        .map(delta -> of(delta, delta.live(), changes.parts(delta, true))),
                options);
    }

    /**
     * Returns the allocations between two snapshots, with the live objects in the later one,
     * without the sites that have neither, by line. A site is as large as the larger of both: what
     * lives for a moment is to be seen as well as what stays.
     */
    static List<SiteRow> deltaHeap(HeapDiff diff, ExportOptions options, LabelChoice labels) {
        LabelChanges changes = LabelChanges.of(diff, labels);
        return largest(
                diff.byLine().deltas().stream()
                        .map(delta -> of(delta, delta.laterLive(), changes.parts(delta, false)))
                        .filter(SiteRow::hasFigures),
                row ->
                        Math.max(
                                row.value(HeapMetric.ALLOCATED_BYTES),
                                row.value(HeapMetric.LIVE_BYTES)),
                options);
    }

    private static List<SiteRow> largest(Stream<SiteRow> all, ExportOptions options) {
        return largest(all, row -> Math.abs(row.value(options.metric())), options);
    }

    private static List<SiteRow> largest(
            Stream<SiteRow> all, ToDoubleFunction<SiteRow> size, ExportOptions options) {
        // Stable: equals stay in the order in which they come.
        Comparator<SiteRow> bySize = Comparator.comparingDouble(row -> -size.applyAsDouble(row));
        List<SiteRow> rows = all.sorted(bySize).toList();
        int limit = options.maxSites();
        if (rows.size() <= limit) {
            return rows;
        }
        List<SiteRow> kept = new ArrayList<>(rows.subList(0, limit - 1));
        List<SiteRow> rest = rows.subList(limit - 1, rows.size());
        List<LabelPart> labelled =
                LabelPart.merged(rest.stream().flatMap(row -> row.labelled.stream()).toList());
        rest.stream().reduce((a, b) -> a.plus(b, labelled)).ifPresent(kept::add);
        return kept;
    }

    private SiteRow plus(SiteRow other, List<LabelPart> sumOfLabelled) {
        return new SiteRow(
                OTHER,
                List.of(),
                allocated.plus(other.allocated),
                live.plus(other.live),
                null,
                null,
                unconfirmed().plus(other.unconfirmed()),
                sumOfLabelled);
    }

    /** Returns the figures by set of labels: one or more, whose sums are the figures of the row. */
    List<LabelPart> parts() {
        return labelled.isEmpty()
                ? List.of(new LabelPart(WrittenLabels.NONE, allocated, live, unconfirmed()))
                : labelled;
    }

    /**
     * Returns the name at the far end of the stack that replaces frames; null if the stack is
     * whole.
     */
    @Nullable String ending() {
        if (site != null && site.isTruncated()) {
            return TRUNCATED;
        }
        if (!stack.isEmpty()) {
            return null;
        }
        return className.equals(OTHER) ? OTHER : NO_STACK;
    }

    /** The same where the class is the leaf, which says "(other)" already. */
    @Nullable String endingUnderClass() {
        String ending = ending();
        return className.equals(ending) ? null : ending;
    }

    /**
     * Returns the stack, leaf first, below the class as the leaf: frames, and strings without one.
     */
    List<Object> frames() {
        List<Object> frames = new ArrayList<>(stack.size() + 2);
        frames.add(className);
        frames.addAll(stack);
        String ending = endingUnderClass();
        if (ending != null) {
            frames.add(ending);
        }
        return frames;
    }

    /** Returns the name of an element of {@link #frames()}, such as {@code java.util.List.of}. */
    static String name(Object frame) {
        return frame instanceof HeapFrame method
                ? method.className() + "." + method.methodName()
                : frame.toString();
    }

    List<HeapSample> samples() {
        return site == null ? List.of() : site.samples();
    }

    /** Created on request: profiles have no place for it. */
    HeapAmount unconfirmed() {
        return site == null ? unconfirmedThere : site.unconfirmed();
    }

    private boolean hasFigures() {
        return hasFigures(allocated, live);
    }

    /** Returns whether anything is left of amounts when they are rounded. */
    static boolean hasFigures(HeapAmount allocated, HeapAmount live) {
        return Stream.of(HeapMetric.values())
                .anyMatch(metric -> Math.round(metric.of(allocated, live).value()) != 0);
    }

    /** The value of a figure. */
    double value(HeapMetric metric) {
        return metric.of(allocated, live).value();
    }
}
