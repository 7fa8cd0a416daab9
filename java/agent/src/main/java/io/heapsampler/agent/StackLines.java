// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import io.heapsampler.HeapAmount;
import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSite;
import java.util.List;

/**
 * Stacks as lines of text, as the allocation instrumenter's flame sampler wrote them: the frames
 * from the root to the leaf, the class, a blank, a figure. {@code collapse}, {@code flamegraph.pl}
 * and speedscope read them.
 */
final class StackLines {

    /** In the place of frames, and written as names are. */
    private static final String NO_STACK = "(no_stack)";

    private static final String TRUNCATED = "(truncated)";

    private final Style style;

    StackLines(Style style) {
        this.style = style;
    }

    /** What is written of a frame. */
    enum Verbosity {
        METHOD,
        CLASS,
        LINE
    }

    /**
     * How lines look.
     *
     * @param verbosity of frames
     * @param isSlashed class names with slashes, as in class files
     * @param hasSizes bytes, else numbers of objects
     * @param isRaw what the samples themselves are, else what they stand for
     */
    record Style(Verbosity verbosity, boolean isSlashed, boolean hasSizes, boolean isRaw) {}

    /** Returns the stack and the class of a site, without a blank in it. */
    String key(HeapSite site) {
        StringBuilder line = new StringBuilder();
        if (site.isTruncated()) {
            line.append(TRUNCATED).append(';');
        } else if (site.stack().isEmpty() && !site.isOther()) {
            line.append(NO_STACK).append(';');
        }
        List<HeapFrame> stack = site.stack();
        for (int i = stack.size() - 1; i >= 0; i--) {
            append(line, stack.get(i));
            line.append(';');
        }
        String name = site.className();
        appendClean(line, style.isSlashed ? name.replace('.', '/') : name);
        return line.toString();
    }

    private void append(StringBuilder line, HeapFrame frame) {
        if (style.verbosity != Verbosity.METHOD) {
            appendClean(line, frame.className());
            line.append('.');
        }
        appendClean(line, frame.methodName());
        if (style.verbosity == Verbosity.LINE) {
            line.append(':').append(frame.lineNumber().orElse(-1));
        }
    }

    /** Without what ends a frame, a line or the stack. Languages other than Java allow it. */
    private static void appendClean(StringBuilder line, String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            boolean isSpecial =
                    c == ';'
                            || c == '#'
                            || Character.isWhitespace(c)
                            || Character.isSpaceChar(c)
                            || Character.isISOControl(c);
            line.append(isSpecial ? '_' : c);
        }
    }

    /** Returns the figure of an amount. */
    long figure(HeapAmount amount) {
        if (style.isRaw) {
            return style.hasSizes ? amount.sampledBytes() : amount.samples();
        }
        return Math.round(style.hasSizes ? amount.bytes().value() : amount.objects().value());
    }

    /**
     * Returns the figure of a sample.
     *
     * @param size its bytes
     * @param weight the objects it stands for
     */
    long figure(long size, double weight) {
        long own = style.hasSizes ? size : 1;
        return style.isRaw ? own : Math.round(own * weight);
    }
}
