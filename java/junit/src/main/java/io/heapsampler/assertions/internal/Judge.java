// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.assertions.internal.Verdict.Outcome;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

/** Has rules checked in runs on one instance, and applies the policy where there is no figure. */
public final class Judge {

    private static final Logger LOGGER = System.getLogger("io.heapsampler.junit");

    private Judge() {}

    /**
     * Checks rules in runs on one instance: the first alone, unless one of them wants more.
     *
     * @param isHarmless whether one more run, which is not judged, may tell what repetition would
     *     show where the first was beyond a limit
     * @return a verdict for each; never thrown
     * @throws Throwable an exception of the code in its first run
     */
    public static List<Verdict> check(
            List<Rule> rules, Subject subject, Settings settings, BooleanSupplier isHarmless)
            throws Throwable {
        try (Trials trials = Trials.of(subject.name(), rules, settings)) {
            do {
                run(trials, subject);
            } while (trials.needMore());
            if (trials.wantAdvice() && isHarmless.getAsBoolean()) {
                advise(trials, subject);
            }
            return trials.verdicts();
        }
    }

    private static void run(Trials trials, Subject subject) throws Throwable {
        try {
            trials.run(subject);
        } catch (Throwable e) {
            if (subject.runs() < 2) {
                throw e;
            }
            trials.giveUp(subject, e);
        }
    }

    /** Something that an assertion does. */
    public interface Step<T> {

        /** Does it. */
        T run() throws Throwable;
    }

    /**
     * Does something for an assertion, such that one around it counts only the code that is run by
     * a {@link Subject} in it.
     *
     * @return what that returns
     * @throws Throwable what that throws
     */
    public static <T> T aside(Step<T> step) throws Throwable {
        return Overhead.ofAssertion(step::run);
    }

    /** The verdict stays the same, even if this fails. */
    private static void advise(Trials trials, Subject subject) {
        try {
            trials.advise(subject);
        } catch (Throwable e) {
            LOGGER.log(Level.DEBUG, "The unjudged run threw.", e);
        }
    }

    static Verdict notMeasured(
            Rule rule, String subject, Settings settings, NotMeasuredException e) {
        String text =
                rule.name()
                        + " of "
                        + FailureText.inSentence(subject)
                        + " was not measured. "
                        + e.reason();
        if (e.isHopeless()) {
            return verdict(Outcome.ABORTED, rule, text, e, new TestAbortedException(text));
        }
        return switch (settings.whenNotMeasured()) {
            case FAIL -> verdict(Outcome.FAILED, rule, text, e, new AssertionFailedError(text));
            case ABORT -> verdict(Outcome.ABORTED, rule, text, e, new TestAbortedException(text));
            case IGNORE -> {
                LOGGER.log(Level.WARNING, text);
                yield verdict(Outcome.NOT_MEASURED, rule, text, e, null);
            }
        };
    }

    private static Verdict verdict(
            Outcome outcome,
            Rule rule,
            String text,
            NotMeasuredException why,
            @Nullable Throwable error) {
        return new Verdict(outcome, rule.name(), text, error, why.snapshot());
    }
}
