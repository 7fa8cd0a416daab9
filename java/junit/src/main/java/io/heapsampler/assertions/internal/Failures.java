// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.internal.shared.LibraryCode;
import io.heapsampler.internal.shared.ShownFrames;
import java.util.Arrays;
import java.util.List;
import org.opentest4j.AssertionFailedError;

/**
 * Errors whose stack leads to the author's code: to the assertion if that is code, else to the
 * first of the sites. The frames between them and JUnit would only fill the log, and so would the
 * stacks of the other sites, whose first frames are in the message.
 */
final class Failures {

    private static final int MOST_FRAMES = 32;

    private static final String ASSERTIONS = "io.heapsampler.assertions.";

    private static final List<String> RUNNERS =
            List.of(
                    "io.heapsampler.junit.",
                    "org.junit.",
                    "jdk.internal.reflect.",
                    "java.lang.reflect.");

    private Failures() {}

    /**
     * Returns an error.
     *
     * @param sites the largest first; may be empty
     * @param shown how many of them the text shows
     */
    static AssertionFailedError error(
            FailureText text, String expected, String actual, List<SiteFigures> sites, int shown) {
        AssertionFailedError error = new AssertionFailedError(text.build(), expected, actual);
        List<StackTraceElement> callers = callers(error.getStackTrace());
        if (!callers.isEmpty()) {
            error.setStackTrace(callers.toArray(new StackTraceElement[0]));
        } else if (!sites.isEmpty() && shown > 0) {
            error.setStackTrace(ShownFrames.trace(sites.get(0).stack(), MOST_FRAMES));
        }
        return error;
    }

    /** Returns the frames between the assertion and what runs tests; none for an annotation. */
    private static List<StackTraceElement> callers(StackTraceElement[] stack) {
        List<StackTraceElement> frames =
                Arrays.stream(stack)
                        .takeWhile(
                                frame ->
                                        RUNNERS.stream()
                                                .noneMatch(frame.getClassName()::startsWith))
                        .toList();
        int first = frames.size();
        while (first > 0 && !frames.get(first - 1).getClassName().startsWith(ASSERTIONS)) {
            first--;
        }
        List<StackTraceElement> callers = frames.subList(first, frames.size());
        return callers.stream().allMatch(frame -> LibraryCode.includes(frame.getClassName()))
                ? List.of()
                : callers;
    }

    /** The code threw when it was run again. */
    static Verdict notRepeatable(Rule rule, Subject subject, Throwable cause) {
        String text =
                rule.name()
                        + " of "
                        + FailureText.inSentence(subject.name())
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
}
