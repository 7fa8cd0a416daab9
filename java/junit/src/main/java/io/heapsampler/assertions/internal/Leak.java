// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.assertions.internal.LiveSeries.Trend;
import io.heapsampler.internal.shared.ByteText;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A site with more and more live objects.
 *
 * @param className Java name of the class
 * @param site null if only the class is known
 * @param live its live objects at the looks
 * @param first the first look that proves it
 */
record Leak(String className, @Nullable Site site, LiveSeries live, LeakLooks looks, int first) {

    /** Leaks that hold others first, then the largest growth. */
    static final Comparator<Leak> KEEPER_FIRST =
            Comparator.comparing((Leak leak) -> !leak.isKeeper())
                    .thenComparing(Comparator.comparingDouble(Leak::growthInBytes).reversed())
                    .thenComparing(Leak::className);

    /** Allocate on behalf of a collection, or of a string. */
    private static final List<String> HELPERS =
            List.of("java.lang.", "java.util.Arrays", "java.util.UUID", "java.util.Formatter");

    private static final String COLLECTION =
            ".*(Map|List|Set|Queue|Deque|Cache|Table|Vector|Stack)\\b.*";

    /** Is more alive at the last look than at the first? */
    boolean hasGrown() {
        return live.hasGrown(first, last());
    }

    double growthInObjects() {
        return live.objects[last()] - live.objects[first];
    }

    double growthInBytes() {
        return live.bytes[last()] - live.bytes[first];
    }

    /** Returns the number of runs in which it has grown. */
    int runs() {
        return looks.run(last()) - looks.run(first);
    }

    private int last() {
        return looks.count() - 1;
    }

    /**
     * Does it look as if it held the others? A node of a collection, or an array that a collection
     * made for itself.
     */
    boolean isKeeper() {
        List<StackTraceElement> stack = site == null ? List.of() : site.stack();
        for (StackTraceElement frame : stack) {
            String name = frame.getClassName();
            boolean isPart = className.startsWith(name + "$");
            if (isPart || HELPERS.stream().noneMatch(name::startsWith)) {
                String simple = name.substring(name.lastIndexOf('.') + 1);
                return (isPart || className.endsWith("[]")) && simple.matches(COLLECTION);
            }
        }
        return false;
    }

    /** Returns such as {@code +1 object (32 bytes) in each of 10 runs}. */
    String curve() {
        double[] counts = growthInObjects() > 0 ? live.objects : live.bytes;
        if (isEven(counts)) {
            return amount(runs()) + " in each of " + runs() + " runs";
        }
        Trend trend = Trend.of(counts, first, last());
        String often =
                trend.steps() == runs()
                        ? trend.highs() + " of them"
                        : trend.highs() + " of " + trend.steps() + " looks";
        return amount(1) + " in " + runs() + " runs, more in " + often;
    }

    /** The growth, or its part for one of several runs. */
    private String amount(int parts) {
        double count = growthInObjects() / parts;
        String size = ByteText.exact(Math.round(growthInBytes() / parts));
        String form = count == 1 ? "+%,.0f object (%s)" : "+%,.0f objects (%s)";
        return count <= 0 ? "+" + size : String.format(Locale.ROOT, form, count, size);
    }

    /** Does each run add the same? */
    private boolean isEven(double[] counts) {
        double each = counts[first + 1] - counts[first];
        for (int look = first + 1; look <= last(); look++) {
            int runs = looks.run(look) - looks.run(look - 1);
            if (counts[look] - counts[look - 1] != each * runs) {
                return false;
            }
        }
        return true;
    }

    /**
     * A place that can leak: a class, and the methods that lead to its allocation, from the
     * author's code on. Lines count in that code alone. Work of a library inside one call of it
     * does not count: a {@code HashMap} makes its nodes at three lines, and a growing {@code
     * ConcurrentHashMap} makes its old nodes anew. A frame counts once, at any depth of a
     * recursion.
     */
    static final class Site {

        private final String className;
        private final List<StackTraceElement> stack;
        private final List<String> key;
        private final boolean isOfCode;

        /**
         * Creates a site.
         *
         * @param className Java name of the class
         * @param stack frames of the measured code, leaf first
         * @param isOfCode is it known that the measured code allocates there?
         */
        Site(String className, List<StackTraceElement> stack, OwnCode ownCode, boolean isOfCode) {
            this.className = className;
            this.stack = stack;
            this.isOfCode = isOfCode;
            Set<String> distinct = new LinkedHashSet<>();
            StackTraceElement first = ownCode.first(stack);
            int from = first == null ? 0 : stack.indexOf(first);
            for (StackTraceElement frame : stack.subList(from, stack.size())) {
                String method = frame.getClassName() + '.' + frame.getMethodName();
                boolean isOwn = ownCode.includes(frame.getClassName());
                distinct.add(isOwn ? method + ':' + frame.getLineNumber() : method);
            }
            this.key = List.copyOf(distinct);
        }

        String className() {
            return className;
        }

        /** Returns the stack of the first of its allocations that was seen. */
        List<StackTraceElement> stack() {
            return stack;
        }

        /** Is it certainly the measured code's? Not if it is another thread's. */
        boolean isOfCode() {
            return isOfCode;
        }

        /** Are these the figures of one of its stacks? */
        boolean isAt(SiteFigures figures, OwnCode ownCode) {
            return className.equals(figures.className())
                    && equals(new Site(className, figures.stack(), ownCode, isOfCode));
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Site that
                    && className.equals(that.className)
                    && key.equals(that.key);
        }

        @Override
        public int hashCode() {
            return 31 * className.hashCode() + key.hashCode();
        }

        @Override
        public String toString() {
            return className + (key.isEmpty() ? "" : " at " + key.get(0));
        }
    }
}
