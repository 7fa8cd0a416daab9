// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.assertions.internal.Rule.Layer;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Judges the run that allocates least of those that are to be judged, since incidental allocations
 * only add to a figure. Ends with the first run within the limit.
 */
final class FigureTrial implements Rule.Trial {

    /** A way to observe one run of the code. */
    interface Measure {

        /**
         * Runs the subject once, and records it where that is possible, so that a failure can name
         * sites.
         *
         * @param subject what to run
         * @return the figure, to be closed
         */
        Measured once(Subject subject) throws Throwable;

        /** Returns which references hold what is beyond the limit; empty if that is not said. */
        default String holders(Measured figure) {
            return "";
        }

        /** Returns how to observe the next run, if a figure does not decide about a limit. */
        default Measure better(Measured undecided, long limit) {
            return this;
        }

        Layer layer();

        /** Can two of them observe the same run? */
        default boolean isSociable() {
            return true;
        }
    }

    /**
     * The figure to be judged.
     *
     * @param how how the figure was measured, and in which run
     * @param advice what repetition would show, as a sentence after a blank; empty if not known
     * @param subject the name of the code in messages
     * @param holders which references hold what is beyond the limit; empty if that is not said
     */
    record Result(Measured figure, String how, String advice, String subject, String holders) {}

    /** What a rule makes of the figure. */
    interface Judgement {
        Verdict of(Result result) throws NotMeasuredException;
    }

    /** Runs in which the JVM may compile code again. */
    private static final int LONG_WARMUP = 10_000;

    private static final int STAGES = 4;

    private static final String GENERAL_ADVICE =
            " Where only a first run does this, have later runs judged, with warmup at"
                    + " @AllocationTest or assertAllocations.";

    private final long limit;
    private final Repeats repeats;
    private final Judgement judgement;
    private Measure measure;
    private @Nullable Measured best;
    private int runs;
    private boolean isRefined;

    /** Null if they have not been searched. */
    private @Nullable String holders;

    /** The figure of a second run within the limit; null if there was none. */
    private @Nullable String figureOfSecond;

    FigureTrial(Measure measure, long limit, Repeats repeats, Judgement judgement) {
        this.measure = measure;
        this.limit = limit;
        this.repeats = repeats;
        this.judgement = judgement;
    }

    @Override
    public Layer layer() {
        return measure.layer();
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
     * At the end of the warm-up; of a long one after each quarter, since compiled code counts runs
     * for the next compiler.
     */
    @Override
    public boolean wantsCompilersToRest() {
        int warmup = repeats.warmup();
        return runs == warmup
                || (warmup >= LONG_WARMUP && runs < warmup && runs % (warmup / STAGES) == 0);
    }

    /** Keeps the better one; where it does not decide, later runs are measured in another way. */
    private void keep(Measured figure) {
        Measured worse = figure;
        if (best == null || isBetter(figure, best)) {
            worse = best;
            best = figure;
        }
        if (worse != null) {
            worse.close();
        }
        if (figure.isUndecided(limit) && needsMore()) {
            measure = measure.better(figure, limit);
            isRefined = true;
        }
    }

    /** A figure that decides is better than one that does not, and then the smaller one. */
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
    public void explain() {
        if (holders == null && best != null && best.isBeyond(limit)) {
            holders = measure.holders(best);
        }
    }

    @Override
    public Verdict verdict(String name) throws NotMeasuredException {
        if (best == null) {
            throw new NotMeasuredException("No run was judged.");
        }
        String how = best.how() + "; " + describe();
        String held = holders == null ? "" : holders;
        return judgement.of(new Result(best, how, advice(), name, held));
    }

    @Override
    public boolean wantsAdvice() {
        return !repeats.isAsked() && best != null && best.isBeyond(limit);
    }

    @Override
    public void advise(Subject subject) throws Throwable {
        try (Measured figure = measure.once(subject)) {
            figureOfSecond = figure.isWithin(limit) ? figure.figure() : null;
        }
    }

    private String advice() {
        if (repeats.isAsked()) {
            return "";
        }
        return figureOfSecond == null
                ? GENERAL_ADVICE
                : """
                 A second, unjudged run was within the limit (%s): if later runs are meant, write \
                @AllocationTest(warmup = 1) in place of @Test, or warmup(1) at assertAllocations.\
                """
                        .formatted(figureOfSecond);
    }

    /** Returns a description of the run that the figure is of. */
    private String describe() {
        int judged = runs - repeats.warmup();
        String finer =
                isRefined ? " (one recorded again, because an estimate could not decide)" : "";
        if (judged == 1) {
            return (runs == 1 ? "first run" : String.format(Locale.ROOT, "run %,d", runs)) + finer;
        }
        String form = repeats.warmup() == 1 ? ", after %,d other" : ", after %,d others";
        String others = runs == judged ? "" : String.format(Locale.ROOT, form, repeats.warmup());
        return "smallest of " + judged + " runs" + others + finer;
    }

    @Override
    public void close() {
        if (best != null) {
            best.close();
        }
    }
}
