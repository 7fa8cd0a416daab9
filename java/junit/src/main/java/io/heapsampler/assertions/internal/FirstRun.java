// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The one first run of some code, which several rules look at together, so that each judges as if
 * it were alone: one measure around the other. What they allocate themselves is told from the code
 * by {@link Overhead} and by {@link Frames}.
 */
public final class FirstRun implements AutoCloseable {

    /** How a rule looks at it. */
    record Look(Measure measure, boolean explains) {

        /** The tightest are the innermost; what collects is the outermost. */
        private static final Comparator<Seen> OUTERMOST_FIRST =
                Comparator.comparing(seen -> seen.look.measure instanceof CountedMeasure);
    }

    /** What a rule has seen of it; nothing if it had no recording. */
    static final class Seen {

        private final Rule rule;
        private final Look look;
        private @Nullable Measured figure;
        private @Nullable NotMeasuredException failure;

        Seen(Rule rule, Look look) {
            this.rule = rule;
            this.look = look;
        }

        private boolean isInherited() {
            return FirstRun.isInherited(look);
        }

        private boolean isEmpty() {
            return figure == null && failure == null;
        }

        Measured figure() throws NotMeasuredException {
            if (failure != null) {
                throw failure;
            }
            return java.util.Objects.requireNonNull(figure);
        }
    }

    private final Subject subject;
    private final List<Seen> all = new ArrayList<>();
    private final Permits.Reservation permits;

    private FirstRun(Subject subject, List<Rule> rules, Settings settings) {
        this.subject = subject;
        for (Rule rule : rules) {
            Look look = rules.size() > 1 ? rule.first(settings) : null;
            if (look != null && !(isInherited(look) && all.stream().anyMatch(Seen::isInherited))) {
                all.add(0, new Seen(rule, look)); // survivors are judged after allocations
            }
        }
        all.sort(Look.OUTERMOST_FIRST);
        permits = Permits.reserve(all.isEmpty() ? 0 : all.size() + 1); // one for later runs
    }

    /** One at a time tells which threads the code starts. */
    private static boolean isInherited(Look look) {
        return look.measure instanceof InheritedMeasure;
    }

    /**
     * Runs the code for the first time, if several rules want to look at that and there are
     * recordings enough. Otherwise the first to be checked will.
     *
     * @return what they have seen, for them to be checked; to be closed afterwards
     * @throws Throwable what the code itself threw
     */
    public static FirstRun of(List<Rule> rules, Subject subject, Settings settings)
            throws Throwable {
        FirstRun run = new FirstRun(subject, rules, settings);
        if (!run.permits.isThere()) {
            return run;
        }
        boolean isDone = false;
        try {
            run.look(0);
            subject.hasSeen(run);
            isDone = true;
            return run;
        } finally {
            if (!isDone) {
                run.close();
            }
        }
    }

    /**
     * Checks one of the rules.
     *
     * @return the verdict; never thrown
     * @throws Throwable what the code itself threw, if this is its first run
     */
    public Verdict check(Rule rule, Settings settings) throws Throwable {
        return Judge.check(rule, subject, settings);
    }

    private void look(int index) throws Throwable {
        Seen seen = all.get(index);
        boolean isInnermost = index == all.size() - 1;
        try {
            seen.figure =
                    seen.look.measure.once(
                            isInnermost ? subject : subject.around(() -> inside(index + 1)),
                            seen.look.explains);
        } catch (NotMeasuredException e) {
            if (subject.runs() > 0) {
                seen.failure = e;
            } else if (isInnermost) {
                subject.run();
            } else {
                inside(index + 1);
            }
        }
    }

    private void inside(int index) throws Throwable {
        Overhead.ofAssertion(
                () -> {
                    look(index);
                    return index;
                });
    }

    /** Returns what a rule has seen; null if nothing, for then it has to look at later runs. */
    @Nullable Seen by(Rule rule) {
        for (Seen seen : all) {
            if (seen.rule == rule && !seen.isEmpty()) {
                return seen;
            }
        }
        return null;
    }

    /** Gives the recordings back that no rule has taken over. */
    @Override
    public void close() {
        try (permits) {
            close(0);
        }
    }

    /** Each of them, whatever becomes of the others. */
    private void close(int index) {
        if (index == all.size()) {
            return;
        }
        try {
            Measured figure = all.get(index).figure;
            if (figure != null) {
                figure.close();
            }
        } finally {
            close(index + 1);
        }
    }
}
