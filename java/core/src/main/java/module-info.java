// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

import org.jspecify.annotations.NullMarked;

/**
 * Samples heap allocations inside a running application and tells who allocated what, how much of
 * it is still alive, how long it lives, and how sure the answer is.
 *
 * <p>All {@code native} methods and the call that loads the library live in this module, so {@code
 * --enable-native-access=io.heapsampler} is all that JEP 472 asks for. {@code jdk.management} is
 * optional: with it, HotSpot's own flags refine what is known about the collector.
 */
@NullMarked
module io.heapsampler {
    requires java.management;
    requires static jdk.management;
    requires static org.jspecify;

    exports io.heapsampler;
    // No API, but for other modules of ours; to all, since in the agent those are in no module.
    exports io.heapsampler.internal.files;
}
