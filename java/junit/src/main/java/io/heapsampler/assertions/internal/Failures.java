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

    static NotRepeatable notRepeatable(Subject subject, Throwable cause) {
        return new NotRepeatable(subject, cause);
    }

    /** The code threw when it was run again. */
    static final class NotRepeatable extends Exception {

        private static final long serialVersionUID = 1L;

        private final transient Subject subject;
        private final Throwable thrown;

        NotRepeatable(Subject subject, Throwable thrown) {
            super(thrown);
            this.subject = subject;
            this.thrown = thrown;
        }

        AssertionFailedError error(Rule rule) {
            return new AssertionFailedError(
                    rule.name()
                            + " of "
                            + subject.name()
                            + " has no verdict: its first run was beyond the limit, and run "
                            + subject.runs()
                            + " threw "
                            + FailureText.shortened(String.valueOf(thrown))
                            + ". Code is run again on the same instance, without @BeforeEach, to"
                            + " tell what it allocates from what loading and compiling do. Make it"
                            + " repeatable, or judge its first run alone with warmup = 0, minOf ="
                            + " 1.",
                    thrown);
        }
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
