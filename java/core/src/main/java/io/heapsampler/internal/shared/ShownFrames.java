// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The few frames of a stack that a message shows.
 *
 * <p>These are the leaf and the frames nearest to it, without those by which the JVM and Groovy get
 * from a call to its target. The first frame of the reader's own code is always there, however deep
 * it lies.
 *
 * @param own the first frame of the reader's own code; null if there is none or if it is the leaf
 * @param frames those to show, leaf first
 * @param more the number of all others
 */
public record ShownFrames(
        @Nullable StackTraceElement own, List<StackTraceElement> frames, int more) {

    private static final int MOST = 5;

    /** Starts of methods that pass a call on: reflection, method handles, call sites. */
    private static final String[] PLUMBING = {
        "java.lang.invoke.",
        "java.lang.reflect.Constructor.",
        "java.lang.reflect.Method.invoke",
        "java.lang.reflect.Proxy",
        "java.lang.StringConcatHelper",
        "jdk.internal.reflect.",
        "jdk.internal.vm.",
        "jdk.proxy",
        "sun.reflect.",
        "groovy.lang.MetaClassImpl",
        "groovy.lang.MetaMethod",
        "org.codehaus.groovy.reflection.",
        "org.codehaus.groovy.runtime.callsite.",
        "org.codehaus.groovy.vmplugin."
    };

    /** The class of a lambda expression, whose body is a method of the class around it. */
    private static final String LAMBDA = "$$Lambda";

    /** Chooses frames of a stack; {@code isOwn} gets names of classes. */
    public static ShownFrames of(List<StackTraceElement> stack, Predicate<String> isOwn) {
        List<StackTraceElement> frames = new ArrayList<>();
        StackTraceElement own = null;
        for (StackTraceElement frame : stack) {
            if (own == null && isOwn.test(frame.getClassName())) {
                own = KotlinLines.corrected(frame);
            }
            if (frames.size() < MOST && (frames.isEmpty() || !isPlumbing(frame))) {
                frames.add(KotlinLines.corrected(frame));
            }
            if (frames.size() == MOST && own != null) {
                break;
            }
        }
        boolean isLeaf = own != null && own.equals(frames.get(0));
        return new ShownFrames(
                isLeaf ? null : own, List.copyOf(frames), stack.size() - frames.size());
    }

    /** Returns the stack for a throwable: as many frames from the leaf on, without plumbing. */
    public static StackTraceElement[] trace(List<StackTraceElement> stack, int most) {
        Stream<StackTraceElement> callers =
                stack.stream().skip(1).filter(frame -> !isPlumbing(frame));
        return Stream.concat(stack.stream().limit(1), callers)
                .limit(most)
                .map(KotlinLines::corrected)
                .toArray(StackTraceElement[]::new);
    }

    private static boolean isPlumbing(StackTraceElement frame) {
        return isPlumbing(frame.getClassName(), frame.getMethodName());
    }

    /** Returns whether a method only passes calls on, or builds a string for its caller. */
    public static boolean isPlumbing(String className, String methodName) {
        String method = className + "." + methodName;
        for (String prefix : PLUMBING) {
            if (method.startsWith(prefix)) {
                return true;
            }
        }
        return className.contains(LAMBDA);
    }
}
