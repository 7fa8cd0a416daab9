// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.holders;

import org.jspecify.annotations.Nullable;

/** Names of classes as people read them. */
final class ClassNames {

    private static final String LAMBDA = "$$Lambda";

    private ClassNames() {}

    /**
     * Returns the name without the address that the JVM gives to hidden classes, and without the
     * number of a lambda class: {@code com.acme.Shop$$Lambda$14/0x00007f1c4c0b1000} is {@code
     * com.acme.Shop$$Lambda}. Other names stay.
     */
    static String withoutAddress(String name) {
        int address = name.indexOf("0x");
        while (address > 0 && !isSeparator(name.charAt(address - 1))) {
            address = name.indexOf("0x", address + 1);
        }
        if (address <= 0) {
            return name;
        }
        int end = address + 2;
        while (end < name.length() && Character.digit(name.charAt(end), 16) >= 0) {
            end++;
        }
        if (end == address + 2) {
            return name;
        }
        String before = name.substring(0, address - 1);
        int lambda = before.indexOf(LAMBDA);
        return (lambda < 0 ? before : before.substring(0, lambda + LAMBDA.length()))
                + name.substring(end);
    }

    private static boolean isSeparator(char c) {
        return c == '/' || c == '.' || c == '+';
    }

    /** Returns the class whose code has the lambda; null if this is no class of a lambda. */
    static @Nullable String aroundLambda(String name) {
        int lambda = name.indexOf(LAMBDA);
        return lambda < 0 ? null : name.substring(0, lambda);
    }

    /** Returns the name without its package. */
    static String simple(String name) {
        return name.substring(name.lastIndexOf('.') + 1);
    }
}
