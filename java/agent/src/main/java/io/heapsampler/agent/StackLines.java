// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import io.heapsampler.HeapAmount;
import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SnapshotFormat;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Stacks as lines of text, as the allocation instrumenter's flame sampler wrote them: the frames
 * from the root to the leaf, the class, a blank, a figure. {@code collapse}, {@code flamegraph.pl}
 * and speedscope read them. Sites that only differ in omitted parts are one line.
 *
 * @param verbosity the parts of a frame that are written
 * @param isSlashed class names have slashes, as in class files
 * @param hasSizes figures are bytes, else numbers of objects
 * @param isRaw figures are those of the samples themselves, else estimates
 * @param isLive only live objects count
 * @param include packages or classes, of which a site needs one; empty for all sites
 * @param exclude packages or classes, of which a site may have none
 */
record StackLines(
        Verbosity verbosity,
        boolean isSlashed,
        boolean hasSizes,
        boolean isRaw,
        boolean isLive,
        List<String> include,
        List<String> exclude)
        implements SnapshotFormat {

    /** The place of missing frames, written as names are. */
    private static final String NO_STACK = "(no_stack)";

    private static final String TRUNCATED = "(truncated)";
    private static final List<String> OWN = List.of(StackLines.class.getPackageName());

    /** The parts of a frame that are written. */
    enum Verbosity {
        METHOD_NAME,
        METHOD_CLASS_NAME,
        METHOD_CLASS_LINE_NUMBER
    }

    @Override
    public void write(HeapSnapshot snapshot, OutputStream out) throws IOException {
        Map<String, Long> figures = new TreeMap<>();
        for (HeapSite site : snapshot.sites()) {
            long figure = figure(isLive ? site.live() : site.allocated());
            if (figure > 0 && accepts(site)) {
                figures.merge(key(site), figure, Long::sum);
            }
        }
        write(figures, out);
    }

    /**
     * Writes a line for each stack, piece by piece: the whole text is so large that G1 would give
     * it regions of its own.
     */
    static void write(Map<String, Long> figures, OutputStream out) throws IOException {
        Writer text = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
        for (Map.Entry<String, Long> line : figures.entrySet()) {
            text.append(line.getKey()).append(' ').append(line.getValue().toString()).append('\n');
        }
        text.flush();
    }

    @Override
    public String suffix() {
        return ".txt";
    }

    @Override
    public String mediaType() {
        return "text/plain; charset=utf-8";
    }

    /** Returns whether a site is written. Sites of the agent itself never are. */
    boolean accepts(HeapSite site) {
        if (frameClasses(site).anyMatch(name -> isIn(OWN, name))) {
            return false;
        }
        return (include.isEmpty() || isNamed(include, site)) && !isNamed(exclude, site);
    }

    private static Stream<String> frameClasses(HeapSite site) {
        return site.stack().stream().map(HeapFrame::className);
    }

    private static boolean isNamed(List<String> names, HeapSite site) {
        return isIn(names, site.className())
                || (!names.isEmpty() && frameClasses(site).anyMatch(each -> isIn(names, each)));
    }

    /** Returns whether a class is one of the names, nested in it, or in such a package. */
    private static boolean isIn(List<String> names, String className) {
        for (String name : names) {
            int length = name.length();
            if (className.startsWith(name)
                    && (className.length() == length
                            || ".$[".indexOf(className.charAt(length)) >= 0)) {
                return true;
            }
        }
        return false;
    }

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
        appendClean(line, isSlashed ? name.replace('.', '/') : name);
        return line.toString();
    }

    private void append(StringBuilder line, HeapFrame frame) {
        if (verbosity != Verbosity.METHOD_NAME) {
            appendClean(line, frame.className());
            line.append('.');
        }
        appendClean(line, frame.methodName());
        if (verbosity == Verbosity.METHOD_CLASS_LINE_NUMBER) {
            line.append(':').append(frame.lineNumber().orElse(-1));
        }
    }

    /** Replaces the ends of a frame, a line and the stack; languages other than Java allow them. */
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

    private long figure(HeapAmount amount) {
        if (isRaw) {
            return hasSizes ? amount.sampledBytes() : amount.samples();
        }
        return Math.round(hasSizes ? amount.bytes().value() : amount.objects().value());
    }

    /**
     * Returns the figure of a sample.
     *
     * @param size its bytes
     * @param weight the number of objects that it represents
     */
    long figure(long size, double weight) {
        long own = hasSizes ? size : 1;
        return isRaw ? own : Math.round(own * weight);
    }
}
