// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A place that can leak: a class, and the methods that lead to its allocation, from the author's
 * code on. Lines count in that code alone. What a library does inside of one call of it does not
 * count: a {@code HashMap} makes its nodes at three lines, and a {@code ConcurrentHashMap} that
 * grows makes those anew that it has. A frame counts once: recursion of another depth is no other
 * place.
 */
final class LeakSite {

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
    LeakSite(String className, List<StackTraceElement> stack, OwnCode ownCode, boolean isOfCode) {
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

    /** Is it the measured code's for sure? Not if it is another thread's. */
    boolean isOfCode() {
        return isOfCode;
    }

    /** Are these the figures of one of its stacks? */
    boolean isAt(SiteFigures figures, OwnCode ownCode) {
        return className.equals(figures.className())
                && equals(new LeakSite(className, figures.stack(), ownCode, isOfCode));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof LeakSite that
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
