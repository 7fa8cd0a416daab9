// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

import org.jspecify.annotations.NullMarked;

/** AssertJ assertions over heap snapshots. */
@NullMarked
module io.heapsampler.assertj {
    requires transitive io.heapsampler;
    requires transitive org.assertj.core;
    requires static com.google.errorprone.annotations;
    requires static org.jspecify;

    exports io.heapsampler.assertj;
}
