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
     * How the figure was had.
     *
     * @param how what was measured, and in which run
     * @param advice what repetition would show, as a sentence; empty if that is not known
     */
    record Looked(String how, String advice) {}

    /** What a rule makes of the figure. */
    interface Judgement {
        Verdict of(Measured figure, Looked looked, String name) throws NotMeasuredException;
    }

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
        boolean isWarmup = runs++ < repeats.warmup();
        if (isWarmup) {
            subject.run();
        } else {
            keep(measure.once(subject));
        }
        if (runs == repeats.warmup()) {
            Compilers.settle();
        }
    }

    /** Keeps the smaller one; where it does not decide, later runs are measured in another way. */
    private void keep(Measured figure) {
        Measured other = best;
        if (other == null || figure.bytes() < other.bytes()) {
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
            advice = figure.isWithin(limit) ? Advice.within(figure) : "";
        }
    }

    /** Says which run the figure is of. */
    private String describe() {
        int judged = runs - repeats.warmup();
        String others = String.format(Locale.ROOT, ", after %,d others", repeats.warmup());
        String finer = isRefined ? " (one recorded anew, for an estimate could not decide)" : "";
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
}
