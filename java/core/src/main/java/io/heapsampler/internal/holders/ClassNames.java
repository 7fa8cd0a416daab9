// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.holders;

import io.heapsampler.internal.FilterNames;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Names of classes as people read them. */
final class ClassNames {

    private static final String LAMBDA = "$$Lambda";

    /** How the address follows the name in a signature, where a name has a slash. */
    private static final Pattern SIGNATURE = Pattern.compile("[.+]0x(?=[0-9a-fA-F]+(\\[])*$)");

    private ClassNames() {}

    /**
     * Returns the name without what differs from run to run: the address that the JVM gives to
     * hidden classes, and numbers of lambdas and proxies. {@code
     * com.acme.Shop$$Lambda$14/0x00007f1c4c0b1000} is {@code com.acme.Shop$$Lambda}.
     */
    static String withoutRun(String name) {
        boolean isPlain =
                !name.contains("0x") && !name.contains(LAMBDA) && !name.contains("$Proxy");
        return isPlain ? name : FilterNames.withoutRun(SIGNATURE.matcher(name).replaceAll("/0x"));
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
