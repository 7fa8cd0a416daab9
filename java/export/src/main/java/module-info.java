// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

import org.jspecify.annotations.NullMarked;

/**
 * Writes snapshots of the heap in the file formats of other tools.
 *
 * <p>The jar contains the required classes of JMC under its own package names. {@code jdk.jfr} is
 * required for JFR files only.
 */
@NullMarked
@SuppressWarnings("module") // The modules of the qualified export are compiled later.
module io.heapsampler.export {
    requires java.logging;
    requires transitive io.heapsampler;
    requires static jdk.jfr;
    requires static com.google.errorprone.annotations;
    requires static org.jspecify;

    exports io.heapsampler.export;
    exports io.heapsampler.export.internal to
            io.heapsampler.http,
            io.heapsampler.push;
}
