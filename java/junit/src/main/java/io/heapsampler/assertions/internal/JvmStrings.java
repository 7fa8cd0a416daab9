// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSite;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Recognises strings that the JVM makes itself: names of classes, and the constants of a class,
 * which are made when an instruction first needs one, or all together when a method is compiled. So
 * they appear now and then, at a line that allocates nothing, and are no leak of the code there.
 * Not thread-safe.
 */
final class JvmStrings {

    private static final Set<String> CLASSES = Set.of("java.lang.String", "byte[]");

    private final JvmShare share = JvmShare.ofNothing();

    /** What is known of a line, for each class. */
    private final Map<String, Map<HeapFrame, Boolean>> known = new HashMap<>();

    /** Are the objects of a site such strings? */
    boolean areAt(HeapSite site) {
        String className = site.className();
        if (!CLASSES.contains(className) || site.stack().isEmpty()) {
            return false;
        }
        return known.computeIfAbsent(className, key -> new HashMap<>())
                .computeIfAbsent(site.stack().get(0), leaf -> share.isMadeByVm(site));
    }
}
