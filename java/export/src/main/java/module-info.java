// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

import org.jspecify.annotations.NullMarked;

/**
 * Writes snapshots of the heap in the formats that other tools read.
 *
 * <p>The two libraries required statically are needed to compile only: the jar holds the classes of
 * them that are used, under names of its own. {@code jdk.jfr} is needed for JFR files only.
 */
@NullMarked
@SuppressWarnings("requires-automatic")
module io.heapsampler.export {
    requires java.logging;
    requires transitive io.heapsampler;
    requires static com.google.gson;
    requires static jdk.jfr;
    requires static org.jspecify;
    requires static org.openjdk.jmc.flightrecorder.writer;

    exports io.heapsampler.export;
}
