// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import java.util.List;
import org.opentest4j.AssertionFailedError;

/** Errors with their sites. */
final class Failures {

    private static final int FRAMES = 64;

    private Failures() {}

    /**
     * Returns an error whose suppressed throwables have the stacks of the sites, for development
     * environments make those clickable.
     */
    static AssertionFailedError error(
            FailureText text, String expected, String actual, List<SiteFigures> sites, int shown) {
        AssertionFailedError error = new AssertionFailedError(text.build(), expected, actual);
        for (SiteFigures site : sites.subList(0, Math.min(shown, sites.size()))) {
            error.addSuppressed(new AllocatedHere(site));
        }
        return error;
    }

    /** The code threw when it was run again. */
    static Verdict notRepeatable(Rule rule, Subject subject, Throwable cause) {
        String text =
                rule.name()
                        + " of "
                        + FailureText.shortened(subject.name())
                        + " has no verdict: it needs up to "
                        + rule.repeats().total()
                        + " runs, and run "
                        + subject.runs()
                        + " threw "
                        + FailureText.shortened(String.valueOf(cause))
                        + ". Here the code is run again on the same instance. Let each run make"
                        + " what it uses up, or use @AllocationTest, which gives each run a fresh"
                        + " instance with its @BeforeEach.";
        return Verdict.failed(
                rule, "could not be repeated", new AssertionFailedError(text, cause), null);
    }

    /** Where something was allocated. Not thrown; a stack trace to click at. */
    static final class AllocatedHere extends Throwable {

        private static final long serialVersionUID = 1L;

        AllocatedHere(SiteFigures site) {
            super(FailureText.headline(site), null, false, true);
            List<StackTraceElement> stack = site.stack();
            setStackTrace(
                    stack.subList(0, Math.min(FRAMES, stack.size()))
                            .toArray(new StackTraceElement[0]));
        }

        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
        }
    }
}
