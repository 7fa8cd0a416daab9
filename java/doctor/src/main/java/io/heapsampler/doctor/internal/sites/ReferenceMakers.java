// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.sites;

import java.util.Set;

/** Which classes make work for collectors beyond their bytes. By name: no class is loaded here. */
public final class ReferenceMakers {

    private static final Set<String> CLEANERS =
            Set.of(
                    "java.lang.ref.Finalizer",
                    "jdk.internal.ref.Cleaner",
                    "sun.misc.Cleaner",
                    "java.util.WeakHashMap$Entry",
                    "java.lang.ThreadLocal$ThreadLocalMap$Entry");

    /** {@code AtomicReference} and its kind refer as fields do. */
    private static final String ATOMIC = "java.util.concurrent.atomic.";

    private ReferenceMakers() {}

    /** References of any kind, finalizers and cleaners. */
    public static boolean isReference(String className) {
        return CLEANERS.contains(className)
                || className.startsWith("java.lang.ref.")
                || className.startsWith("jdk.internal.ref.")
                || (className.endsWith("Reference") && !className.startsWith(ATOMIC))
                || className.endsWith("WeakEntry");
    }

    /** Misses anonymous loaders and those with other names: snapshots contain only names. */
    static boolean isClassLoader(String className) {
        return className.endsWith("Loader");
    }
}
