// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.HeapFrame;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The instructions of the classes that a loader finds. Those that were read last are kept for later
 * tests, for as long as the loader lives. Thread-safe.
 */
final class ClassCodes {

    /** Some 10 KB each. */
    private static final int MOST = 256;

    private static final Map<ClassLoader, Map<String, Optional<ClassCode>>> KEPT =
            new WeakHashMap<>();

    private final ClassLoader loader;
    private final Map<String, Optional<ClassCode>> codes;

    private ClassCodes(ClassLoader loader, Map<String, Optional<ClassCode>> codes) {
        this.loader = loader;
        this.codes = codes;
    }

    static ClassCodes of(ClassLoader loader) {
        synchronized (KEPT) {
            return new ClassCodes(loader, KEPT.computeIfAbsent(loader, key -> new Recent()));
        }
    }

    /** Evicts the class that was not used for longest. */
    private static final class Recent extends LinkedHashMap<String, Optional<ClassCode>> {

        private static final long serialVersionUID = 1;

        Recent() {
            super(16, 0.75f, true);
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Optional<ClassCode>> eldest) {
            return size() > MOST;
        }
    }

    /** Returns the instructions of a frame's line; null if the class file does not say. */
    @Nullable LineCode line(HeapFrame frame) {
        ClassCode code = code(frame.className());
        return code == null
                ? null
                : code.line(frame.methodName(), frame.descriptor(), frame.lineNumber().orElse(-1));
    }

    /** Returns null if there is no class file. */
    @Nullable ClassCode code(String className) {
        synchronized (codes) {
            return codes.computeIfAbsent(
                            className, name -> Optional.ofNullable(ClassCode.of(name, loader)))
                    .orElse(null);
        }
    }
}
