// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.assertions.internal.Verdict.Outcome;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

/**
 * Has rules checked, keeps account of what that costs, and applies the policy where there is no
 * figure.
 */
public final class Judge {

    private static final Logger LOGGER = System.getLogger("io.heapsampler.junit");

    private Judge() {}

    /**
     * Checks a rule.
     *
     * @return the verdict; never thrown
     * @throws Throwable what the code itself threw in its first run
     */
    public static Verdict check(Rule rule, Subject subject, Settings settings) throws Throwable {
        return Overhead.ofAssertion(() -> checked(rule, subject, settings));
    }

    private static Verdict checked(Rule rule, Subject subject, Settings settings) throws Throwable {
        try {
            return rule.check(subject, settings);
        } catch (NotMeasuredException e) {
            subject.runOnceAtLeast();
            return notMeasured(rule, subject, settings, e);
        } catch (Failures.NotRepeatable e) {
            return Verdict.failed(rule, "could not be repeated", e.error(rule), null);
        }
    }

    private static Verdict notMeasured(
            Rule rule, Subject subject, Settings settings, NotMeasuredException e) {
        String text =
                rule.name()
                        + " of "
                        + FailureText.shortened(subject.name())
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
