// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.ByteSize;
import io.heapsampler.Estimate;
import io.heapsampler.HeapAmount;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.internal.shared.LibraryCode;
import io.heapsampler.internal.shared.Normal;
import io.heapsampler.internal.shared.ShownFrames;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.opentest4j.AssertionFailedError;

/**
 * A failure message: limit against figure, the top sites, what helps, in at most 8,000 characters;
 * then the holders.
 */
final class FailureText {

    private static final int LONGEST = 8_000;
    private static final int LONGEST_LINE = 240;
    private static final String CUT = "\n  [cut: the message is longer than 8,000 characters]";

    private static final int MOST_FRAMES = 32;

    private static final String ASSERTIONS = "io.heapsampler.assertions.";

    private static final List<String> RUNNERS =
            List.of(
                    "io.heapsampler.junit.",
                    "org.junit.",
                    "jdk.internal.reflect.",
                    "java.lang.reflect.");

    private final StringBuilder text = new StringBuilder();
    private final Settings settings;

    /** Which references hold the objects; empty for none. */
    private String holders = "";

    /** The first stack that the text shows; null if there is none. */
    private @Nullable List<StackTraceElement> firstStack;

    FailureText(String headline, Settings settings) {
        this.settings = settings;
        text.append(headline);
    }

    FailureText line(String line) {
        text.append('\n').append(shortened(line));
        return this;
    }

    /** Adds the first of the sites, sorted by the subject of the message. */
    FailureText sites(String title, List<SiteFigures> sites) {
        if (sites.isEmpty()) {
            return this;
        }
        int count = Math.min(settings.sites(), sites.size());
        boolean isAll = count == sites.size();
        line(title + (isAll ? ":" : ", " + count + " of " + sites.size() + " sites:"));
        for (int i = 0; i < count; i++) {
            line("  " + (i + 1) + ". " + headline(sites.get(i)));
            frames(sites.get(i).stack());
        }
        return this;
    }

    /** Adds the first frames of a stack, and before them the author's own. */
    FailureText frames(List<StackTraceElement> stack) {
        if (firstStack == null) {
            firstStack = stack;
        }
        ShownFrames shown = ShownFrames.of(stack, settings.ownCode()::includes);
        if (shown.own() != null) {
            line("     your code: " + shown.own());
        }
        shown.frames().forEach(frame -> line("        at " + frame));
        if (shown.more() > 0) {
            line("        ... " + shown.more() + " more");
        }
        return this;
    }

    /** Returns such as {@code byte[]: 900 KiB ± 80 KiB in 900 objects, of which ... alive}. */
    static String headline(SiteFigures site) {
        HeapAmount allocated = site.allocated();
        return site.className()
                + ": "
                + figure(allocated.bytes())
                + String.format(Locale.ROOT, " in %,.0f ", allocated.objects().value())
                + (Math.round(allocated.objects().value()) == 1 ? "object" : "objects")
                + life(site);
    }

    /** Returns such as {@code ; alive 97.7 KiB, dead 0 B}. */
    static String life(SiteFigures site) {
        double live = site.live().bytes().value();
        double dead = Math.max(0, site.allocated().bytes().value() - live);
        return site.unconfirmed().samples() > 0
                ? "; it is unknown how much is alive"
                : "; alive " + ByteSize.format(live) + ", dead " + ByteSize.format(dead);
    }

    static String figure(Estimate bytes) {
        return bytes.standardError() == 0
                ? ByteSize.format(bytes.value())
                : String.format(
                        Locale.ROOT,
                        bytes.samples() == 1
                                ? "%s ± %s (95 %%, %,d sample)"
                                : "%s ± %s (95 %%, %,d samples)",
                        ByteSize.format(bytes.value()),
                        ByteSize.format(Normal.Z95 * bytes.standardError()),
                        bytes.samples());
    }

    /** Adds what helps. */
    FailureText hint(String hint) {
        return line("What helps: " + hint);
    }

    /** Adds, behind all else, which references hold the objects. */
    FailureText holders(String lines) {
        holders = lines.isEmpty() ? "" : "\n" + lines;
        return this;
    }

    /** Returns the name of the code for the middle of a sentence. */
    static String inSentence(String name) {
        return shortened(name.equals(Subject.UNNAMED) ? "the code" : name);
    }

    /** Returns a line that is not too long; what the figure rests on, and what helps, are whole. */
    static String shortened(String line) {
        return line.length() <= LONGEST_LINE
                        || line.startsWith("Measured:")
                        || line.startsWith("What helps:")
                ? line
                : line.substring(0, LONGEST_LINE - 3) + "...";
    }

    String build() {
        return text.length() <= LONGEST
                ? text + holders
                : text.substring(0, LONGEST - CUT.length()) + CUT + holders;
    }

    /** Returns the verdict that fails with this text. */
    Verdict verdict(
            Rule rule,
            String summary,
            String expected,
            String actual,
            @Nullable HeapSnapshot snapshot) {
        return Verdict.failed(rule, summary, error(expected, actual), snapshot);
    }

    /**
     * Returns an error whose stack leads to the author's code: to the assertion if that is code,
     * else to the first of the sites. The frames between them and JUnit would only fill the log,
     * and so would the stacks of the other sites, whose first frames are in the message.
     */
    AssertionFailedError error(String expected, String actual) {
        AssertionFailedError error = new AssertionFailedError(build(), expected, actual);
        List<StackTraceElement> callers = callers(error.getStackTrace());
        if (!callers.isEmpty()) {
            error.setStackTrace(callers.toArray(new StackTraceElement[0]));
        } else if (firstStack != null) {
            error.setStackTrace(ShownFrames.trace(firstStack, MOST_FRAMES));
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
                """
                %s of %s has no verdict: it needs up to %s runs, and run %s threw %s. Here the \
                code is run again on the same instance. Let each run make what it uses up, or \
                use @AllocationTest, which gives each run a fresh instance with its @BeforeEach.\
                """
                        .formatted(
                                rule.name(),
                                inSentence(subject.name()),
                                rule.repeats().total(),
                                subject.runs(),
                                shortened(String.valueOf(cause)));
        return Verdict.failed(
                rule, "could not be repeated", new AssertionFailedError(text, cause), null);
    }
}
