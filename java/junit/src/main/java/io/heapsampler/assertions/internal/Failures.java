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

    /**
     * The code threw when it was run again.
     *
     * @param why why it was
     */
    static NotRepeatable notRepeatable(Subject subject, Again why, Throwable cause) {
        return new NotRepeatable(subject, why, cause);
    }

    /** Why code is run again, and what to do where it cannot be. */
    enum Again {
        BEYOND(
                "its first run was not within the limit",
                "Make it repeatable, or judge its first run alone with warmup = 0, minOf = 1."),
        LATE(
                "its first run was that of another assertion of this test",
                "Make it repeatable, or give each assertion a test of its own."),
        LEAKS(
                "a leak is what each of many runs leaves behind",
                "Make it repeatable: let each run make what it uses up.");

        private final String reason;
        private final String help;

        Again(String reason, String help) {
            this.reason = reason;
            this.help = help;
        }
    }

    /** The code threw when it was run again. */
    static final class NotRepeatable extends Exception {

        private static final long serialVersionUID = 1L;

        private final transient Subject subject;
        private final Again why;
        private final Throwable thrown;

        NotRepeatable(Subject subject, Again why, Throwable thrown) {
            super(thrown);
            this.subject = subject;
            this.why = why;
            this.thrown = thrown;
        }

        AssertionFailedError error(Rule rule) {
            return new AssertionFailedError(
                    rule.name()
                            + " of "
                            + FailureText.shortened(subject.name())
                            + " has no verdict: "
                            + why.reason
                            + ", and run "
                            + subject.runs()
                            + " threw "
                            + FailureText.shortened(String.valueOf(thrown))
                            + ". Code is run again on the same instance, without @BeforeEach, to"
                            + " tell what it allocates from what loading and compiling do. "
                            + why.help,
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
