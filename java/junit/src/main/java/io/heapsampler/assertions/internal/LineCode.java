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

    /**
     * Methods of the JDK that a compiler replaces by an allocation of its own in the calling
     * method.
     *
     * @param owners classes that an instruction may name; none for any
     * @param methods their names
     * @param allocated ends of the names of classes of which objects are allocated
     */
    record Intrinsic(Set<String> owners, Set<String> methods, List<String> allocated) {

        private static final String UNSAFE = "jdk.internal.misc.Unsafe";
        private static final List<String> ARRAYS = List.of("[]");

        private static final List<Intrinsic> ALL =
                List.of(
                        // an array's class is named, or any that inherits from Object
                        new Intrinsic(Set.of(), Set.of("clone"), ARRAYS),
                        new Intrinsic(
                                Set.of("java.util.Arrays"),
                                Set.of("copyOf", "copyOfRange"),
                                ARRAYS),
                        new Intrinsic(
                                Set.of("java.lang.reflect.Array"),
                                Set.of("newInstance", "newArray"),
                                ARRAYS),
                        new Intrinsic(
                                Set.of(UNSAFE),
                                Set.of("allocateUninitializedArray", "allocateUninitializedArray0"),
                                ARRAYS),
                        new Intrinsic(
                                Set.of(UNSAFE, "sun.misc.Unsafe"),
                                Set.of("allocateInstance"),
                                List.of("")),
                        new Intrinsic(
                                Set.of("java.math.BigInteger"),
                                Set.of("multiplyToLen", "implMultiplyToLen"),
                                List.of("int[]")),
                        new Intrinsic(
                                Set.of("java.lang.StringUTF16"),
                                Set.of("toBytes"),
                                List.of("byte[]")),
                        // ends a chain of append, of which the builder is left out
                        new Intrinsic(
                                Set.of(
                                        "java.lang.StringBuilder",
                                        "java.lang.StringBuffer",
                                        "java.lang.AbstractStringBuilder",
                                        "java.lang.CharSequence",
                                        "java.lang.Object"),
                                Set.of("toString"),
                                List.of("byte[]", "java.lang.String")),
                        new Intrinsic(
                                Set.of("java.lang.Integer"),
                                Set.of("valueOf"),
                                List.of("java.lang.Integer")));

        /** Returns those that an instruction may call. */
        static List<Intrinsic> of(String className, String methodName) {
            return ALL.stream().filter(each -> each.isCalled(className, methodName)).toList();
        }

        private boolean isCalled(String className, String methodName) {
            return methods.contains(methodName) && (owners.isEmpty() || owners.contains(className));
        }

        boolean canAllocate(String className) {
            return allocated.stream().anyMatch(className::endsWith);
        }
    }
}
