// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

import org.jspecify.annotations.NullMarked;

/** Labels of samples from the observations of Micrometer. */
@NullMarked
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"}) // Micrometer's are
module io.heapsampler.micrometer {
    requires transitive io.heapsampler;
    requires transitive micrometer.observation;
    requires micrometer.commons;
    requires static com.google.errorprone.annotations;
    requires static org.jspecify;

    exports io.heapsampler.micrometer;
}
