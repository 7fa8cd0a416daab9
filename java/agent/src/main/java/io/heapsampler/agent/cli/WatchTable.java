// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import io.heapsampler.ByteSize;
import io.heapsampler.Estimate;
import io.heapsampler.HeapFrame;
import io.heapsampler.HeapGrowth;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SiteDelta;
import io.heapsampler.SiteGrowth;
import io.heapsampler.internal.shared.JsonText;
import io.heapsampler.internal.shared.LibraryCode;
import io.heapsampler.internal.shared.PrintableText;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The table of {@code watch}, computed from the last snapshots. */
final class WatchTable {

    /** The maximum number of snapshots that growth is computed from; the minimum is three. */
    private static final int KEPT = 30;

    private static final int LEAST_FOR_GROWTH = 3;
    private static final int CLASS_COLUMNS = 28;

    /** The figure that ranks the sites. */
    enum Order {
        LIVE,
        GROWTH,
        ALLOCATED
    }

    /**
     * A line of the table.
     *
     * @param site the largest of the added sites
     * @param growth bytes per second; null if the growth is not significant
     * @param recent bytes allocated since the first snapshot; null if there is only one
     */
    private record Row(
            HeapSite site,
            Estimate live,
            Estimate allocated,
            @Nullable Estimate growth,
            @Nullable Estimate recent) {

        Row plus(Row other) {
            boolean isLarger = other.site.live().bytes().value() > site.live().bytes().value();
            return new Row(
                    isLarger ? other.site : site,
                    live.plus(other.live),
                    allocated.plus(other.allocated),
                    growth,
                    recent);
        }
    }

    /** Identifies a site in any snapshot: by methods, as {@link HeapGrowth} does. */
    private static List<String> key(String className, List<HeapFrame> stack) {
        return Stream.concat(Stream.of(className), stack.stream().map(WatchTable::method)).toList();
    }

    private static String method(HeapFrame frame) {
        return frame.className() + "." + frame.methodName() + frame.descriptor();
    }

    private final String pid;
    private final Order order;
    private final Deque<HeapSnapshot> snapshots = new ArrayDeque<>();

    WatchTable(String pid, Order order) {
        this.pid = pid;
        this.order = order;
    }

    void add(HeapSnapshot snapshot) {
        HeapSnapshot last = snapshots.peekLast();
        boolean isAnother = last != null && !last.startedAt().equals(snapshot.startedAt());
        if (isAnother || (last != null && !snapshot.takenAt().isAfter(last.takenAt()))) {
            snapshots.clear(); // The sampler or the clock was reset.
        }
        snapshots.add(snapshot);
        if (snapshots.size() > KEPT) {
            snapshots.remove();
        }
    }

    /**
     * Returns the table.
     *
     * @param rows the maximum number of sites
     * @param columns the maximum width
     */
    List<String> lines(int rows, int columns) {
        HeapSnapshot now = snapshots.getLast();
        List<String> lines = new ArrayList<>();
        lines.add(
                "process %s, sampled for %s, %s, %s collections of %s"
                        .formatted(
                                pid,
                                Printing.clock(now.duration()),
                                Printing.strategy(now),
                                now.collections(),
                                now.collector()));
        lines.add(
                "live %s, not yet confirmed %s, allocated %s"
                        .formatted(
                                figure(now.totals().live().bytes()),
                                ByteSize.format(now.totals().unconfirmed().bytes().value()),
                                figure(now.totals().allocated().bytes())));
        lines.add(progress(now));
        lines.add("");
        lines.add(
                "      LIVE   ±%   GROWTH/s   ±%    ALLOC/s   ±%  CLASS                        AT");
        double seconds = Math.max(span().toMillis() / 1000.0, 0.001);
        sorted(now).stream().limit(rows).forEach(row -> lines.add(line(row, seconds)));
        return lines.stream().map(line -> cut(PrintableText.of(line), columns)).toList();
    }

    /**
     * Completes a document with the same rows.
     *
     * @param json the document, open
     * @param rows the maximum number of sites
     */
    JsonText json(JsonText json, int rows) {
        HeapSnapshot now = snapshots.getLast();
        Printing.json(json, "snapshot", now, null);
        json.name("snapshots").value(snapshots.size()).name("spanMillis").value(span().toMillis());
        Printing.json(json, "live", now.totals().live().bytes());
        Printing.json(json, "unconfirmed", now.totals().unconfirmed().bytes());
        Printing.json(json, "allocated", now.totals().allocated().bytes());
        json.name("rows").begin('[');
        for (Row row : sorted(now).stream().limit(rows).toList()) {
            json.begin('{');
            Printing.json(json, row.site.className(), row.site.stack(), Integer.MAX_VALUE);
            Printing.json(json, "live", row.live);
            Printing.json(json, "allocated", row.allocated);
            Printing.json(json, "allocatedInSpan", row.recent);
            Printing.json(json, "growthPerSecond", row.growth);
            json.end('}');
        }
        return json.end(']').end('}');
    }

    private String progress(HeapSnapshot now) {
        if (now.collections() == 0) {
            return "Live objects are known after the first collection (--gc forces one).";
        }
        if (snapshots.size() < LEAST_FOR_GROWTH) {
            return "Growth is shown from the third snapshot on (%s of %s)."
                    .formatted(snapshots.size(), LEAST_FOR_GROWTH);
        }
        return """
        Growth and allocation over %s snapshots in %s; growth that may be chance is not shown.\
        """
                .formatted(snapshots.size(), Printing.clock(span()));
    }

    /** The time between the first and the last snapshot. */
    private Duration span() {
        return Duration.between(snapshots.getFirst().takenAt(), snapshots.getLast().takenAt());
    }

    private List<Row> sorted(HeapSnapshot now) {
        Map<List<String>, Estimate> growths = new HashMap<>();
        if (snapshots.size() >= LEAST_FOR_GROWTH) {
            for (SiteGrowth growth : HeapGrowth.of(List.copyOf(snapshots)).growing()) {
                growths.put(key(growth.className(), growth.stack()), growth.bytesPerSecond());
            }
        }
        Map<List<String>, Estimate> recent = recentlyAllocated(now);
        Map<List<String>, Row> rows = new LinkedHashMap<>();
        for (HeapSite site : now.sites()) {
            List<String> key = key(site.className(), site.stack());
            Row row =
                    new Row(
                            site,
                            site.live().bytes(),
                            site.allocated().bytes(),
                            growths.get(key),
                            recent.get(key));
            rows.merge(key, row, Row::plus);
        }
        return rows.values().stream().sorted(comparator()).toList();
    }

    private Comparator<Row> comparator() {
        Comparator<Row> byLive = Comparator.comparingDouble(row -> -row.live.value());
        Comparator<Row> byAllocated = Comparator.comparingDouble(row -> -row.allocated.value());
        Comparator<Row> byGrowth =
                Comparator.comparingDouble(row -> row.growth == null ? 0 : -row.growth.low());
        return switch (order) {
            case LIVE -> byLive.thenComparing(byAllocated);
            case GROWTH -> byGrowth.thenComparing(byLive);
            case ALLOCATED -> byAllocated;
        };
    }

    /** Returns the bytes allocated since the first snapshot. */
    private Map<List<String>, Estimate> recentlyAllocated(HeapSnapshot now) {
        Map<List<String>, Estimate> recent = new HashMap<>();
        if (snapshots.size() > 1) {
            for (SiteDelta delta : now.diff(snapshots.getFirst()).deltas()) {
                recent.merge(
                        key(delta.className(), delta.stack()),
                        delta.allocated().bytes(),
                        Estimate::plus);
            }
        }
        return recent;
    }

    private static String line(Row row, double seconds) {
        return String.format(
                Locale.ROOT,
                "%10s %4s %10s %4s %10s %4s  %-28s %s",
                ByteSize.format(row.live.value()),
                percent(row.live),
                rate(row.growth, 1),
                percent(row.growth),
                rate(row.recent, seconds),
                percent(row.recent),
                cut(row.site.className(), CLASS_COLUMNS),
                place(row.site.stack()));
    }

    private static String rate(@Nullable Estimate bytes, double seconds) {
        return bytes == null || bytes.value() <= 0 ? "" : ByteSize.format(bytes.value() / seconds);
    }

    private static String figure(Estimate estimate) {
        String percent = percent(estimate);
        return ByteSize.format(estimate.value())
                + (percent.isEmpty() ? "" : " ± " + percent + " %");
    }

    /** Half of the 95 % interval in percent; a question mark where there are too few samples. */
    private static String percent(@Nullable Estimate estimate) {
        if (estimate == null || estimate.value() <= 0) {
            return "";
        }
        return estimate.hasTooFewSamples() ? "?" : "" + Math.round(Printing.percent(estimate));
    }

    /** Returns the first frame outside the JDK, or else the first. */
    private static String place(List<HeapFrame> stack) {
        return stack.stream()
                .filter(frame -> !LibraryCode.isOfJdk(frame.className()))
                .findFirst()
                .or(() -> stack.stream().findFirst())
                .map(HeapFrame::toString)
                .orElse("");
    }

    private static String cut(String text, int columns) {
        return text.length() <= columns ? text : text.substring(0, Math.max(columns - 1, 0)) + "…";
    }
}
