// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The operating system and processor.
 *
 * @param os as in {@code os.name}
 * @param arch as in {@code os.arch}
 */
record Platform(String os, String arch) {

    /** Returns where this JVM runs. */
    static Platform current() {
        return new Platform(
                System.getProperty("os.name", "unknown"), System.getProperty("os.arch", "unknown"));
    }

    /**
     * Returns the folder of this platform below {@code META-INF/native}; null if there can be none.
     */
    @Nullable String folder() {
        if (!os.toLowerCase(Locale.ROOT).equals("linux")) {
            return null;
        }
        return switch (arch) {
            case "amd64", "x86_64" -> "linux-x86_64";
            case "aarch64", "arm64" -> "linux-aarch64";
            default -> null;
        };
    }

    @Override
    public String toString() {
        return os + " on " + arch;
    }
}
