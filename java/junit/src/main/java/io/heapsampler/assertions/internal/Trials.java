// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.assertions.WhenNotMeasured;
import io.heapsampler.assertions.internal.Evidence.Permits;
import io.heapsampler.assertions.internal.Verdict.Outcome;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

/**
 * The trials of all rules of a test. They observe the same runs together, one around the other, so
 * that each judges as if it were alone; their own allocations are distinguished from the code's by
 * {@link Overhead} and by {@link Frames}. Used by one thread at a time.
 *
 * <pre>{@code
 * try (Trials trials = Trials.of(name, rules, settings)) {
 *     do {
 *         trials.run(subject);
 *     } while (trials.needMore());
 *     List<Verdict> verdicts = trials.verdicts();
 * }
 * }</pre>
 */
public final class Trials implements AutoCloseable {

    /** A rule, its trial, and why that has come to nothing. */
    private static final class Slot {

        final Rule rule;
        final Rule.Trial trial;
        @Nullable NotMeasuredException failure;
        @Nullable Verdict broken;

        Slot(Rule rule, Rule.Trial trial) {
            this.rule = rule;
            this.trial = trial;
        }

        boolean needsMore() {
            return isOpen() && trial.needsMore();
        }

        private boolean isOpen() {
            return failure == null && broken == null;
        }

        void explain() {
            if (isOpen()) {
                trial.explain();
            }
        }
    }

    private static final Logger LOGGER = System.getLogger("io.heapsampler.junit");

    private static final Comparator<Slot> OUTERMOST_FIRST =
            Comparator.comparing(slot -> slot.trial.layer());

    private final String name;
    private final Settings settings;
    private final List<Slot> all = new ArrayList<>();

    private Trials(String name, Settings settings) {
        this.name = name;
        this.settings = settings;
    }

    /**
     * Begins to check some code.
     *
     * @param name what messages call it
     */
    public static Trials of(String name, List<Rule> rules, Settings settings) {
        Trials trials = new Trials(name, settings);
        boolean hasLoner = false;
        for (Rule rule : rules) {
            Slot slot = new Slot(rule, rule.start(settings));
            if (!slot.trial.isSociable()) {
                slot.failure = hasLoner ? new NotMeasuredException(ALONE) : null;
                hasLoner = true;
            }
            trials.all.add(slot);
        }
        return trials;
    }

    private static final String ALONE =
            "Only one limit with threads = INHERITED can observe a run. Give each a test of its"
                    + " own.";

    /** Does one of them need a further run to judge? */
    public boolean needMore() {
        return all.stream().anyMatch(Slot::needsMore);
    }

    /**
     * Runs the code once, whatever becomes of the trials, each of which observes that if it needs
     * more.
     *
     * @throws Throwable an exception of the code
     */
    public void run(Subject subject) throws Throwable {
        nest(Slot::needsMore, Rule.Trial::run, subject);
        if (all.stream().anyMatch(each -> each.needsMore() && each.trial.wantsCompilersToRest())) {
            Overhead.ofAssertion(
                    () -> {
                        JvmCommand.awaitCompilers();
                        return subject;
                    });
        }
    }

    /** What a trial does with a run. */
    private interface Look {
        void at(Rule.Trial trial, Subject subject) throws Throwable;
    }

    private void nest(Predicate<Slot> isConcerned, Look look, Subject subject) throws Throwable {
        List<Slot> nested = new ArrayList<>();
        for (Slot slot : all) {
            if (isConcerned.test(slot)) {
                nested.add(0, slot);
            }
        }
        nested.sort(OUTERMOST_FIRST);
        Permits.Reservation permits = Permits.reserve(nested.size() > 1 ? nested.size() : 0);
        try (permits) {
            inside(nested, look, subject);
        }
    }

    private static void inside(List<Slot> nested, Look look, Subject subject) throws Throwable {
        if (nested.isEmpty()) {
            subject.run();
            return;
        }
        Overhead.ofAssertion(
                () -> {
                    observe(nested.get(0), nested.subList(1, nested.size()), look, subject);
                    return subject;
                });
    }

    private static void observe(Slot slot, List<Slot> inner, Look look, Subject subject)
            throws Throwable {
        int before = subject.runs();
        Subject observed =
                inner.isEmpty() ? subject : subject.around(() -> inside(inner, look, subject));
        try {
            look.at(slot.trial, observed);
        } catch (NotMeasuredException e) {
            slot.failure = e;
            if (subject.runs() == before) {
                inside(inner, look, subject);
            }
        }
    }

    /**
     * Judges the runs so far.
     *
     * @return a verdict for each rule, in their order; never thrown
     */
    public List<Verdict> verdicts() throws Throwable {
        List<Verdict> verdicts = new ArrayList<>();
        for (Slot slot : all) {
            verdicts.add(Overhead.ofAssertion(() -> verdict(slot)));
        }
        return verdicts;
    }

    private Verdict verdict(Slot slot) {
        if (slot.broken != null) {
            return slot.broken;
        }
        try {
            if (slot.failure != null) {
                throw slot.failure;
            }
            slot.explain();
            return slot.trial.verdict(name);
        } catch (NotMeasuredException e) {
            return notMeasured(slot.rule, e);
        }
    }

    /** Closes all trials, even if one of them fails. */
    @Override
    public void close() {
        close(0);
    }

    private void close(int index) {
        if (index < all.size()) {
            try {
                all.get(index).trial.close();
            } finally {
                close(index + 1);
            }
        }
    }

    /**
     * Checks rules in runs on one instance: the first alone, unless one of them wants more.
     *
     * @param isHarmless whether one more run, which is not judged, may show the effect of
     *     repetition where the first was beyond a limit
     * @return a verdict for each; never thrown
     * @throws Throwable an exception of the code in its first run
     */
    public static List<Verdict> check(
            List<Rule> rules, Subject subject, Settings settings, BooleanSupplier isHarmless)
            throws Throwable {
        try (Trials trials = Trials.of(subject.name(), rules, settings)) {
            do {
                trials.runOnOneInstance(subject);
            } while (trials.needMore());
            Overhead.ofAssertion(
                    () -> {
                        trials.all.forEach(Slot::explain);
                        return subject;
                    });
            boolean isAdviceWanted = trials.all.stream().anyMatch(slot -> slot.trial.wantsAdvice());
            if (isAdviceWanted && isHarmless.getAsBoolean()) {
                trials.advise(subject);
            }
            return trials.verdicts();
        }
    }

    /** If a later run throws, the code cannot be repeated, and rules that need more give up. */
    private void runOnOneInstance(Subject subject) throws Throwable {
        try {
            run(subject);
        } catch (Throwable e) {
            if (subject.runs() < 2) {
                throw e;
            }
            for (Slot slot : all) {
                if (slot.needsMore()) {
                    slot.broken = FailureText.notRepeatable(slot.rule, subject, e);
                }
            }
        }
    }

    /** Runs the code once more for the messages. The verdict stays the same, even if this fails. */
    private void advise(Subject subject) {
        try {
            nest(slot -> slot.trial.wantsAdvice(), Rule.Trial::advise, subject);
        } catch (Throwable e) {
            LOGGER.log(Level.DEBUG, "The unjudged run threw.", e);
        }
    }

    /**
     * Runs a step of an assertion such that an assertion around it counts only the code that is run
     * by a {@link Subject} in it.
     *
     * @return the result of the step
     * @throws Throwable an exception of the step
     */
    public static <T> T aside(Overhead.Step<T> step) throws Throwable {
        return Overhead.ofAssertion(step);
    }

    private Verdict notMeasured(Rule rule, NotMeasuredException e) {
        String text =
                "%s of %s was not measured. %s"
                        .formatted(rule.name(), FailureText.inSentence(name), e.reason());
        WhenNotMeasured policy =
                e.isHopeless() ? WhenNotMeasured.ABORT : settings.whenNotMeasured();
        Throwable error = null;
        Outcome outcome = Outcome.NOT_MEASURED;
        switch (policy) {
            case FAIL -> {
                outcome = Outcome.FAILED;
                error = new AssertionFailedError(text);
            }
            case ABORT -> {
                outcome = Outcome.ABORTED;
                error = new TestAbortedException(text);
            }
            case IGNORE -> LOGGER.log(Level.WARNING, text);
        }
        return new Verdict(outcome, rule.name(), text, error, e.snapshot());
    }
}
