// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** What the instructions of one source line can do, as far as that tells who allocates there. */
final class LineCode {

    /** Have methods of which the JVM links each call by the types of its arguments. */
    private static final Set<String> HANDLES =
            Set.of("java.lang.invoke.MethodHandle", "java.lang.invoke.VarHandle");

    /** Java names of the classes that its instructions allocate. */
    private final Set<String> allocated = new TreeSet<>();

    /** Names of the methods that it calls. */
    private final Set<String> called = new TreeSet<>();

    private final List<Intrinsic> intrinsics = new ArrayList<>();

    private boolean hasStrings;
    private boolean isLinked;

    void allocates(String className) {
        allocated.add(className);
    }

    void calls(String className, String methodName) {
        called.add(methodName);
        isLinked |= HANDLES.contains(className);
        intrinsics.addAll(Intrinsic.of(className, methodName));
    }

    /** It loads a constant String. */
    void loadsString() {
        hasStrings = true;
    }

    /** It has an invokedynamic or a dynamic constant, which a bootstrap method links. */
    void isLinkedDynamically() {
        isLinked = true;
    }

    /** Can an instruction itself, or what a compiler makes of a call, make such an object? */
    boolean canAllocate(String className) {
        return allocated.contains(className)
                || intrinsics.stream().anyMatch(each -> each.canAllocate(className));
    }

    boolean canCall(String methodName) {
        return called.contains(methodName);
    }

    boolean hasStrings() {
        return hasStrings;
    }

    /** Does the JVM link something there when it first runs? */
    boolean isLinked() {
        return isLinked;
    }
}
