// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.jmh;

import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.jmh.SiteRow.Place;
import io.heapsampler.jmh.SiteRow.Sum;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.Aggregator;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ResultRole;
import org.openjdk.jmh.results.ScalarDerivativeResult;

/**
 * The allocation sites of a benchmark as a result of JMH: of an iteration at first, and the sum of
 * all iterations of all forks at the end. A fork sends it to the JVM that prints it.
 *
 * <p>Sampled figures are multiplied by the ratio of the counted bytes to the sampled ones. So they
 * add up to the counted bytes, and the error of a site is that of its share. Immutable.
 */
final class SiteTable extends Result<SiteTable> {

    static final String LABEL = "heap.sites";
    static final String SURVIVING = "heap.surviving.norm";

    private static final long serialVersionUID = 1;

    /** Rows of an iteration: many more than are shown, since each iteration orders them anew. */
    private static final int MOST_ROWS = 1000;

    private static final int ENOUGH_SAMPLES = 10;

    /** Rows with a smaller share, or fewer bytes per operation, are shown as one. */
    private static final double LEAST = 0.001;

    private static final String ROW = "%8s %-9s %14s %-12s %11s %15s %-11s %9s  %s";

    private static final String NO_SURVIVORS =
            "Surviving bytes are unknown: that takes two iterations and a collector.";

    private final int shown;
    private final Runs runs;

    /** In the order of their bytes. */
    private final ArrayList<SiteRow> rows;

    private final ArrayList<String> remarks;

    /**
     * The measured iterations.
     *
     * @param opsOfSurvivors operations of those iterations whose survivors are known
     * @param counted all bytes, as the JVM counts them; negative if it does not
     */
    private record Runs(int iterations, long ops, long opsOfSurvivors, long counted)
            implements Serializable {

        static final Runs NONE = new Runs(0, 0, 0, 0);

        Runs plus(Runs other) {
            return new Runs(
                    iterations + other.iterations,
                    ops + other.ops,
                    opsOfSurvivors + other.opsOfSurvivors,
                    counted + other.counted);
        }
    }

    private SiteTable(int shown, Runs runs, Collection<SiteRow> rows, Collection<String> remarks) {
        super(ResultRole.SECONDARY, LABEL, of(Double.NaN), "---", AggregationPolicy.AVG);
        this.shown = shown;
        this.runs = runs;
        this.rows = sorted(rows);
        this.remarks = new ArrayList<>(remarks);
    }

    /**
     * Returns the table of an iteration.
     *
     * @param snapshot the samples of this iteration, after a collection
     * @param isLast whether JMH has dropped the states of the benchmark, so that survivors are
     *     unknown
     */
    static SiteTable of(
            HeapSnapshot snapshot,
            ProfilerOptions options,
            long ops,
            long counted,
            boolean isLast) {
        boolean hasSurvivors = snapshot.isAfterGc() && !isLast;
        Map<Place, SiteRow> rows = new LinkedHashMap<>();
        for (HeapSite site : snapshot.sites()) {
            SiteRow row = SiteRow.of(site, options.depth());
            if (row != null) {
                SiteRow known = hasSurvivors ? row : row.withoutSurvivors();
                rows.merge(row.place(), known, SiteRow::plus);
            }
        }
        Runs run = new Runs(1, ops, hasSurvivors ? ops : 0, counted);
        return new SiteTable(options.sites(), run, rows.values(), List.of());
    }

    /** Returns this table with more lines below it. */
    SiteTable with(List<String> lines) {
        return new SiteTable(shown, runs, rows, lines);
    }

    /** Returns a table of no iteration, which says only why there are no sites. */
    static SiteTable without(String reason) {
        return new SiteTable(0, Runs.NONE, List.of(), List.of(reason));
    }

    @SuppressWarnings("NonApiType") // a field of this result, which is serialized
    private static ArrayList<SiteRow> sorted(Collection<SiteRow> all) {
        ArrayList<SiteRow> rows = new ArrayList<>(all);
        rows.sort(Comparator.comparingDouble((SiteRow row) -> row.bytes().value()).reversed());
        List<SiteRow> beyond = rows.subList(Math.min(MOST_ROWS, rows.size()), rows.size());
        SiteRow others = sum(beyond, SiteRow.OTHERS);
        beyond.clear();
        if (others != null) {
            rows.add(others);
        }
        return rows;
    }

    private static @Nullable SiteRow sum(List<SiteRow> rows, Place place) {
        return rows.stream().map(row -> row.at(place)).reduce(SiteRow::plus).orElse(null);
    }

    // ---- Figures ----

    private Sum allBytes() {
        return rows.stream().map(SiteRow::bytes).reduce(Sum.ZERO, Sum::plus);
    }

    private Stream<SiteRow> ofBenchmark() {
        return rows.stream().filter(row -> !row.place().equals(SiteRow.OF_JMH));
    }

    /** Returns by how much sampled figures are multiplied; 1 if nothing was left to chance. */
    private double scale() {
        Sum all = allBytes();
        return runs.counted < 0 || all.variance() == 0 ? 1 : runs.counted / all.value();
    }

    private double perOp(Sum sum) {
        return sum.value() * scale() / runs.ops;
    }

    private double survivingPerOp(double bytes) {
        return bytes * scale() / runs.opsOfSurvivors;
    }

    /** Returns the objects that the benchmark allocated per operation. */
    double objectsPerOp() {
        return perOp(ofBenchmark().map(SiteRow::objects).reduce(Sum.ZERO, Sum::plus));
    }

    boolean isMeasured() {
        return runs.iterations > 0;
    }

    private boolean hasSurvivors() {
        return runs.opsOfSurvivors > 0;
    }

    // ---- Text ----

    @Override
    public String toString() {
        return "(text only)";
    }

    @Override
    public String extendedInfo() {
        StringBuilder text = new StringBuilder();
        if (isMeasured()) {
            long samples = allBytes().samples();
            appendLine(
                    text, "HeapSampler: %,d samples in %d iterations.", samples, runs.iterations);
            appendLine(text, "Scores were measured with sampling on.");
            appendRows(text);
        }
        remarks.forEach(line -> appendLine(text, "%s", line));
        return text.toString();
    }

    private void appendRows(StringBuilder text) {
        appendLine(text, "Errors are at 95 %%; ? means fewer than %d samples.%n", ENOUGH_SAMPLES);
        appendLine(
                text,
                ROW,
                "share",
                "",
                "B/op",
                "",
                "objects/op",
                "surviving B/op",
                "",
                "samples",
                "");
        List<SiteRow> main = rows.stream().filter(this::isMain).limit(shown).toList();
        main.forEach(row -> appendRow(text, row));
        List<SiteRow> left = new ArrayList<>(rows);
        left.removeAll(main);
        SiteRow others = sum(left, new Place("(" + left.size() + " more)", List.of()));
        if (others != null) {
            appendRow(text, others);
        }
        appendLine(text, hasSurvivors() ? "" : NO_SURVIVORS);
    }

    private boolean isMain(SiteRow row) {
        double share = row.bytes().value() / allBytes().value();
        return Math.min(share, perOp(row.bytes())) >= LEAST;
    }

    private void appendRow(StringBuilder text, SiteRow row) {
        Sum all = allBytes();
        Sum bytes = row.bytes();
        double share = bytes.value() / all.value();
        double error = bytes.errorOfShare(all);
        boolean isKnown = bytes.samples() >= ENOUGH_SAMPLES || bytes.variance() == 0;
        appendLine(
                text,
                ROW,
                percent(share),
                isKnown ? "± " + percent(error) : "?",
                figure(perOp(bytes)),
                isKnown ? "± " + figure(error * perOp(all)) : "?",
                figure(perOp(row.objects())),
                hasSurvivors() ? figure(survivingPerOp(row.surviving().value())) : "-",
                hasSurvivors() ? "± " + figure(survivingPerOp(row.surviving().error())) : "",
                String.format(Locale.ROOT, "%,d", bytes.samples()),
                row.place().className());
        row.place().frames().forEach(frame -> appendLine(text, "%14sat %s", "", frame));
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.1f %%", 100 * share);
    }

    private static String figure(double value) {
        return String.format(Locale.ROOT, "%,.3f", value);
    }

    private static void appendLine(StringBuilder text, String format, Object... values) {
        text.append(String.format(Locale.ROOT, "  " + format + "%n", values));
    }

    // ---- For JMH ----

    @Override
    protected Aggregator<SiteTable> getThreadAggregator() {
        return tables -> tables.stream().reduce(SiteTable::plus).orElseThrow();
    }

    @Override
    protected Aggregator<SiteTable> getIterationAggregator() {
        return getThreadAggregator();
    }

    /**
     * Returns the surviving bytes. JMH derives them from the sum of the tables. It would take those
     * of the last iteration, which are unknown, for 0 if they were a result of their own.
     */
    @Override
    @SuppressWarnings("rawtypes") // JMH's signature
    protected Collection<? extends Result> getDerivativeResults() {
        if (!hasSurvivors()) {
            return List.of();
        }
        Sum all = ofBenchmark().map(SiteRow::surviving).reduce(Sum.ZERO, Sum::plus);
        return List.of(
                new ScalarDerivativeResult(
                        SURVIVING, survivingPerOp(all.value()), "B/op", AggregationPolicy.AVG));
    }

    private SiteTable plus(SiteTable other) {
        Map<Place, SiteRow> sums = new LinkedHashMap<>();
        Stream.concat(rows.stream(), other.rows.stream())
                .forEach(row -> sums.merge(row.place(), row, SiteRow::plus));
        List<String> all =
                Stream.concat(remarks.stream(), other.remarks.stream()).distinct().toList();
        return new SiteTable(
                Math.max(shown, other.shown), runs.plus(other.runs), sums.values(), all);
    }
}
