// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Runs code until one run is within its limit: at first as it is, then to let classes load and the
 * compilers finish, then with a recording that explains. The run that allocates least is the
 * figure, since everything that comes and goes only adds to it.
 */
final class Repetition {

    private final Measure measure;
    private final Subject subject;
    private final Plan plan;

    /** Runs before the first that this assertion has looked at. */
    private final int others;

    private FirstRun.@Nullable Seen first;
    private int looked;
    private int judged;

    Repetition(Rule rule, Measure measure, Subject subject, Plan plan) {
        this.measure = measure;
        this.subject = subject;
        this.plan = plan;
        this.first = subject.seenBy(rule);
        this.others = first == null ? subject.runs() : 0;
    }

    private Repetition(Repetition before, Measure measure) {
        this.measure = measure;
        this.subject = before.subject;
        this.plan = before.plan;
        this.others = before.others;
        this.looked = before.looked;
    }

    /** The same once more, with another measure. */
    Repetition with(Measure other) {
        return new Repetition(this, other);
    }

    /** Returns the first figure within the limit, else the smallest that was judged. */
    Measured until(long limit) throws Throwable {
        long deadline = System.nanoTime() + plan.budget().toNanos();
        int warmup = 0;
        while (warmup < plan.warmup() && (warmup == 0 || System.nanoTime() < deadline)) {
            warmup++;
            Measured figure = once(false);
            if (figure.isWithin(limit)) {
                return figure;
            }
            figure.close();
            if (warmup == plan.warmup() / 2) {
                Compilers.settle();
            }
        }
        if (warmup > 0) {
            Compilers.settle();
        }
        return smallest(limit);
    }

    private Measured smallest(long limit) throws Throwable {
        Measured best = null;
        try {
            while (judged < plan.minOf()) {
                judged++;
                Measured figure = once(true);
                best = smaller(best, figure);
                if (best.isWithin(limit)) {
                    break;
                }
            }
            Measured result = java.util.Objects.requireNonNull(best);
            best = null;
            return result;
        } finally {
            if (best != null) {
                best.close();
            }
        }
    }

    private static Measured smaller(@Nullable Measured best, Measured figure) {
        if (best == null) {
            return figure;
        }
        boolean isBetter = figure.bytes() < best.bytes();
        (isBetter ? best : figure).close();
        return isBetter ? figure : best;
    }

    private Measured once(boolean explains) throws Throwable {
        FirstRun.Seen seen = first;
        first = null;
        boolean isFirst = subject.runs() == 0;
        boolean isLate = looked == 0 && !isFirst;
        looked++;
        try {
            return seen != null ? seen.figure() : measure.once(subject, explains);
        } catch (NotMeasuredException e) {
            throw e;
        } catch (Throwable e) {
            Failures.Again why = isLate ? Failures.Again.LATE : Failures.Again.BEYOND;
            throw isFirst ? e : Failures.notRepeatable(subject, why, e);
        }
    }

    /** Says which run the figure is of. */
    String describe() {
        int before = others + looked - judged;
        if (judged == 0) {
            return before == 1 ? "first run" : String.format(Locale.ROOT, "run %,d", before);
        }
        if (judged == 1) {
            return before == 0 ? "first run" : String.format(Locale.ROOT, "run %,d", before + 1);
        }
        String text = "smallest of " + judged + " runs";
        return before == 0 ? text : text + String.format(Locale.ROOT, ", after %,d others", before);
    }
}
