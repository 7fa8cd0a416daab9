// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

import org.jspecify.annotations.NullMarked;

/**
 * Writes snapshots of the heap in the formats that other tools read.
 *
 * <p>The jar holds the classes of Gson and of JMC that are used, under names of its own. {@code
 * jdk.jfr} is needed for JFR files only.
 */
@NullMarked
@SuppressWarnings("module") // The modules of the qualified export are compiled later.
module io.heapsampler.export {
    requires java.logging;
    requires transitive io.heapsampler;
    requires static jdk.jfr;
    requires static org.jspecify;

    exports io.heapsampler.export;
    exports io.heapsampler.export.internal to
            io.heapsampler.http,
            io.heapsampler.push;
}
