// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.StackFrame;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which frames of a stack belong to the measured code, and which to its author. */
final class Frames {

    /** Whoever calls measured code: what lies rootwards of one of them is not the code's. */
    private static final String[] HARNESS = {
        "io.heapsampler.assertions.", "io.heapsampler.junit."
    };

    /** What lies between the harness and the code. */
    private static final String[] LAUNCHERS = {
        "org.junit.", "java.lang.reflect.", "jdk.internal.reflect.", "java.lang.invoke."
    };

    /** What nobody wrote for this application. */
    private static final String[] FOREIGN = {
        "java.", "javax.", "jdk.", "sun.", "com.sun.", "org.junit.", "kotlin.", "scala.", "groovy."
    };

    private Frames() {}

    /**
     * Returns the frames of the measured code, leaf first; null for what the harness allocates. A
     * stack without the harness, that of another thread, is returned whole.
     */
    static @Nullable List<StackTraceElement> ofCode(List<StackFrame> stack) {
        int end = 0;
        while (end < stack.size() && !startsWith(HARNESS, stack.get(end).className())) {
            end++;
        }
        boolean isCalled = end < stack.size();
        while (isCalled && end > 0 && startsWith(LAUNCHERS, stack.get(end - 1).className())) {
            end--;
        }
        if (isCalled && end == 0) {
            return null;
        }
        List<StackTraceElement> frames = new ArrayList<>(end);
        for (StackFrame frame : stack.subList(0, end)) {
            frames.add(frame.toStackTraceElement());
        }
        return frames;
    }

    /** Returns the frame nearest the leaf that is the author's own; null if there is none. */
    static @Nullable StackTraceElement firstOwn(List<StackTraceElement> stack) {
        for (StackTraceElement frame : stack) {
            if (!startsWith(FOREIGN, frame.getClassName())) {
                return frame;
            }
        }
        return null;
    }

    private static boolean startsWith(String[] prefixes, String name) {
        for (String prefix : prefixes) {
            if (name.startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }
}
