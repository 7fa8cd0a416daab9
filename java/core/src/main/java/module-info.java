// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

import org.jspecify.annotations.NullMarked;

/**
 * Samples heap allocations inside a running application and tells who allocated what, how much of
 * it is still alive, how long it lives, and how sure the answer is.
 *
 * <p>All {@code native} methods and the call that loads the library live in this module, so {@code
 * --enable-native-access=io.heapsampler} is all that JEP 472 requires. {@code jdk.management} is
 * optional: with it, HotSpot's own flags refine what is known about the collector.
 */
@NullMarked
@SuppressWarnings("module") // Those that it exports to are compiled later.
module io.heapsampler {
    requires java.management;
    requires static jdk.management;
    requires static com.google.errorprone.annotations;
    requires static org.jspecify;

    exports io.heapsampler;
    // No API. The agent's classes are in no module; the agent exports it to them itself.
    exports io.heapsampler.internal.shared to
            io.heapsampler.assertj,
            io.heapsampler.doctor,
            io.heapsampler.export,
            io.heapsampler.http,
            io.heapsampler.jmh,
            io.heapsampler.junit,
            io.heapsampler.micrometer,
            io.heapsampler.opentelemetry,
            io.heapsampler.push;
}
