// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSite;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Distinguishes loads of classes that the JVM begins from those that code begins, which may begin
 * them on each run.
 *
 * <p>The JVM calls {@code loadClass(String)} of a loader, of whatever class it is, when an
 * instruction names a class that is not there. Then the calling line contains no such call. What
 * the loader allocates until it returns does not come again, unless the class was not loaded, or
 * the loader itself is made anew on each run.
 */
final class ClassLoads {

    private static final String METHOD = "loadClass";
    private static final String DESCRIPTOR = "(Ljava/lang/String;)Ljava/lang/Class;";

    private static final String MISSING = "java.lang.ClassNotFoundException";

    private static final String REFLECTION = "jdk.internal.reflect.";

    private final ClassCode.Cache codes;

    /** Stacks at which an exception was made. */
    private final Set<List<HeapFrame>> throwing = new HashSet<>();

    /** Callers of methods that load or make a class, if an exception was made beneath. */
    private final Set<List<HeapFrame>> failed = new HashSet<>();

    /** The same for a missing class, since a loader may find it elsewhere. */
    private final Set<List<HeapFrame>> missed = new HashSet<>();

    private boolean hasNewLoader;

    ClassLoads(ClassCode.Cache codes) {
        this.codes = codes;
    }

    /** Records the failures and new loaders that a site shows. */
    void note(HeapSite site) {
        String name = site.className();
        List<HeapFrame> stack = site.stack();
        hasNewLoader |= isNewLoader(stack);
        boolean isException = name.endsWith("Exception") || name.endsWith("Error");
        if (isException) {
            throwing.add(stack);
        } else if (stack.stream().noneMatch(ClassLoads::isTrace)) {
            return;
        }
        boolean isMissing =
                name.equals(MISSING) || stack.stream().anyMatch(ClassLoads::makesMissing);
        for (int i = 0; i < stack.size(); i++) {
            if (isLoad(stack.get(i))) {
                (isMissing ? missed : failed).add(callers(stack, i));
            } else if (JvmWork.mayFail(stack.get(i))) {
                failed.add(callers(stack, i));
            }
        }
    }

    /**
     * Each constructor of a loader calls this one, which allocates. Up to JDK 17, reflection makes
     * a loader for each method that it calls often. What initialises the JDK's own classes comes
     * once.
     */
    private static boolean isNewLoader(List<HeapFrame> stack) {
        for (int i = 0; i < stack.size(); i++) {
            HeapFrame frame = stack.get(i);
            if (JvmWork.is(frame, "java.lang.ClassLoader", "<init>")) {
                List<HeapFrame> callers = callers(stack, i);
                return callers.stream()
                                .takeWhile(caller -> caller.methodName().equals("<init>"))
                                .noneMatch(ClassLoads::isOfReflection)
                        && callers.stream().noneMatch(JvmWork::isOnceInJvm);
            }
        }
        return false;
    }

    /** Each exception fills in its stack trace, under any name. */
    private static boolean isTrace(HeapFrame frame) {
        return JvmWork.is(frame, "java.lang.Throwable", "fillInStackTrace");
    }

    /** Is such an exception made, or one of a subclass? */
    private static boolean makesMissing(HeapFrame frame) {
        return JvmWork.is(frame, MISSING, "<init>");
    }

    private static boolean isOfReflection(HeapFrame frame) {
        return frame.className().startsWith(REFLECTION);
    }

    /** Was a loader made, of which the cached classes and bundles go with it? */
    boolean hasNewLoader() {
        return hasNewLoader;
    }

    /** Was an exception made at this stack? */
    boolean isThrowing(List<HeapFrame> stack) {
        return throwing.contains(stack);
    }

    /** Was an exception made beneath this frame? */
    boolean isFailed(List<HeapFrame> stack, int frame) {
        return failed.contains(callers(stack, frame));
    }

    /** Is this allocated while a class is loaded for the JVM, which will not load it again? */
    boolean isBeneathOne(List<HeapFrame> stack) {
        for (int i = 0; i < stack.size() - 1; i++) {
            boolean isOfOld = !hasNewLoader || (i > 0 && isOfJvm(stack.get(i - 1)));
            if (isOfOld && isLoad(stack.get(i)) && isByJvm(callers(stack, i))) {
                return true;
            }
        }
        return false;
    }

    /** Is it a method of the loaders that a JVM has from the start? */
    private static boolean isOfJvm(HeapFrame frame) {
        return frame.className().startsWith("jdk.internal.loader.ClassLoaders$")
                || frame.className().equals(JvmWork.LOADER);
    }

    private static boolean isLoad(HeapFrame frame) {
        return frame.methodName().equals(METHOD) && frame.descriptor().equals(DESCRIPTOR);
    }

    private boolean isByJvm(List<HeapFrame> callers) {
        HeapFrame caller = callers.get(0);
        if (failed.contains(callers)) {
            return false;
        }
        if (caller.isNative()) {
            return JvmWork.isOfJdk(caller)
                    && !isOfReflection(caller)
                    && !missed.contains(callers)
                    && !throwing.contains(callers);
        }
        ClassCode.Line code = codes.line(caller);
        // a class that is missing in the end makes the JVM throw there
        return code != null && !code.canCall(METHOD) && !throwing.contains(callers);
    }

    private static List<HeapFrame> callers(List<HeapFrame> stack, int frame) {
        return stack.subList(frame + 1, stack.size());
    }
}
