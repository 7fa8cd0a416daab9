// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import java.util.List;
import java.util.Set;

/**
 * Methods of the JDK that a compiler replaces by an allocation of its own in the calling method.
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
                            Set.of("java.util.Arrays"), Set.of("copyOf", "copyOfRange"), ARRAYS),
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
                            Set.of("java.lang.StringUTF16"), Set.of("toBytes"), List.of("byte[]")),
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
