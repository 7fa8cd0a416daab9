// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

import org.jspecify.annotations.NullMarked;

/** Labels of samples from the contexts of OpenTelemetry. */
@NullMarked
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"}) // OpenTelemetry's are
module io.heapsampler.opentelemetry {
    requires transitive io.heapsampler;
    requires transitive io.opentelemetry.context;
    requires io.opentelemetry.api;
    requires static com.google.errorprone.annotations;
    requires static org.jspecify;

    exports io.heapsampler.opentelemetry;
}
