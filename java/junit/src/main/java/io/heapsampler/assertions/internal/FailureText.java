// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.ByteSize;
import io.heapsampler.Estimate;
import io.heapsampler.HeapAmount;
import io.heapsampler.internal.shared.Normal;
import io.heapsampler.internal.shared.ShownFrames;
import java.util.List;
import java.util.Locale;

/** A failure message: limit against figure, the top sites, what helps. At most 8,000 characters. */
final class FailureText {

    private static final int LONGEST = 8_000;
    private static final int LONGEST_LINE = 240;
    private static final String CUT = "\n  [cut: the message is longer than 8,000 characters]";

    private final StringBuilder text = new StringBuilder();
    private final OwnCode ownCode;

    FailureText(String headline, OwnCode ownCode) {
        this.ownCode = ownCode;
        text.append(headline);
    }

    FailureText line(String line) {
        text.append('\n').append(shortened(line));
        return this;
    }

    /** Adds the first of the sites, by what a message is about. */
    FailureText sites(String title, List<SiteFigures> sites, int shown) {
        if (sites.isEmpty()) {
            return this;
        }
        int count = Math.min(shown, sites.size());
        line(
                title
                        + (count < sites.size()
                                ? ", " + count + " of " + sites.size() + " sites:"
                                : ":"));
        for (int i = 0; i < count; i++) {
            site(i + 1, sites.get(i));
        }
        return this;
    }

    private void site(int number, SiteFigures site) {
        line("  " + number + ". " + headline(site));
        frames(site.stack());
    }

    /** Adds the first frames of a stack, and before them the author's own. */
    FailureText frames(List<StackTraceElement> stack) {
        ShownFrames shown = ShownFrames.of(stack, ownCode::includes);
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
                ? ", not known what is alive"
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
                ? text.toString()
                : text.substring(0, LONGEST - CUT.length()) + CUT;
    }
}
