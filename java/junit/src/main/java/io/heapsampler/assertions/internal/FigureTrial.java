// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Judges the run that allocates least of those that are to be judged, since everything that comes
 * and goes only adds to it. Ends with the first run within the limit.
 */
final class FigureTrial implements Trial {

    /**
     * How the figure was obtained.
     *
     * @param how how the figure was measured, and in which run
     * @param advice what repetition would show, as a sentence; empty if that is not known
     */
    record Looked(String how, String advice) {}

    /** What a rule makes of the figure. */
    interface Judgement {
        Verdict of(Measured figure, Looked looked, String name) throws NotMeasuredException;
    }

    /** Runs in which the JVM may compile code again. */
    private static final int LONG_WARMUP = 10_000;

    private static final int STAGES = 4;

    private static final String GENERAL_ADVICE =
            " Where only a first run does this, have later runs judged, with warmup at"
                    + " @AllocationTest or assertAllocations.";

    private final Layer layer;
    private final long limit;
    private final Repeats repeats;
    private final Judgement judgement;
    private Measure measure;
    private @Nullable Measured best;
    private int runs;
    private boolean isRefined;
    private String advice = "";

    FigureTrial(Layer layer, Measure measure, long limit, Repeats repeats, Judgement judgement) {
        this.layer = layer;
        this.measure = measure;
        this.limit = limit;
        this.repeats = repeats;
        this.judgement = judgement;
    }

    @Override
    public Layer layer() {
        return layer;
    }

    @Override
    public boolean isSociable() {
        return measure.isSociable();
    }

    @Override
    public void run(Subject subject) throws Throwable {
        if (runs < repeats.warmup()) {
            subject.run();
            runs++;
        } else {
            Measured figure = measure.once(subject);
            runs++;
            keep(figure);
        }
    }

    /**
     * At the end of the warm-up; of a long one after each quarter, since what one compiler has made
     * counts runs for the next one.
     */
    @Override
    public boolean wantsCompilersToRest() {
        int warmup = repeats.warmup();
        return runs == warmup
                || (warmup >= LONG_WARMUP && runs < warmup && runs % (warmup / STAGES) == 0);
    }

    /** Keeps the better one; where it does not decide, later runs are measured in another way. */
    private void keep(Measured figure) {
        Measured other = best;
        if (other == null || isBetter(figure, other)) {
            best = figure;
        } else {
            other = figure;
        }
        if (other != null) {
            other.close();
        }
        if (figure.isUndecided(limit) && needsMore()) {
            measure = measure.better(figure, limit);
            isRefined = true;
        }
    }

    /** What decides is better than what does not, and then the smaller one. */
    private boolean isBetter(Measured figure, Measured other) {
        return figure.isUndecided(limit) == other.isUndecided(limit)
                ? figure.bytes() < other.bytes()
                : other.isUndecided(limit);
    }

    @Override
    public boolean needsMore() {
        return runs < repeats.total() && (best == null || !best.isWithin(limit));
    }

    @Override
    public Verdict verdict(String name) throws NotMeasuredException {
        Measured figure = best;
        if (figure == null) {
            throw new NotMeasuredException("No run was judged.");
        }
        return judgement.of(figure, new Looked(figure.how() + "; " + describe(), advice), name);
    }

    @Override
    public boolean wantsAdvice() {
        return !repeats.isAsked() && best != null && best.isBeyond(limit);
    }

    @Override
    public void advise(Subject subject) throws Throwable {
        try (Measured figure = measure.once(subject)) {
            advice = figure.isWithin(limit) ? adviceOfWithin(figure) : "";
        }
    }

    /** Returns a description of the run that the figure is of. */
    private String describe() {
        int judged = runs - repeats.warmup();
        String others =
                String.format(
                        Locale.ROOT,
                        repeats.warmup() == 1 ? ", after %,d other" : ", after %,d others",
                        repeats.warmup());
        String finer =
                isRefined ? " (one recorded again, because an estimate could not decide)" : "";
        if (judged == 1) {
            return (runs == 1 ? "first run" : String.format(Locale.ROOT, "run %,d", runs)) + finer;
        }
        return "smallest of " + judged + " runs" + (runs == judged ? "" : others) + finer;
    }

    @Override
    public void close() {
        if (best != null) {
            best.close();
        }
    }

    /** A way to look at one run of the code. */
    interface Measure {

        /**
         * Runs the subject once, and records it where that is possible, so that a failure can name
         * sites.
         *
         * @param subject what to run
         * @return the figure, to be closed
         */
        Measured once(Subject subject) throws Throwable;

        /** How to look at the next run, if a figure does not decide about a limit. */
        default Measure better(Measured undecided, long limit) {
            return this;
        }

        /** Where it stands beside others that look at the same run. */
        Trial.Layer layer();

        /** Can two of them look at the same run? */
        default boolean isSociable() {
            return true;
        }
    }

    /** Returns the last sentence of what helps, with a blank before; empty if there is none. */
    static String advice(Looked looked, Repeats repeats) {
        if (repeats.isAsked()) {
            return "";
        }
        return looked.advice().isEmpty() ? GENERAL_ADVICE : " " + looked.advice();
    }

    /** A second run was within the limit. */
    static String adviceOfWithin(Measured figure) {
        return """
        A second, unjudged run was within the limit (%s): if later runs are meant, write \
        @AllocationTest(warmup = 1) in place of @Test, or warmup(1) at assertAllocations.\
        """
                .formatted(figure.figure());
    }
}
