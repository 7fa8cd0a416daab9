// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

import org.jspecify.annotations.NullMarked;

/**
 * Diagnoses garbage collection problems of an application: their causes, the evidence for them, and
 * the evidence against them.
 *
 * <p>The module watches nothing until an application starts a {@code GcDoctor}.
 */
@NullMarked
module io.heapsampler.doctor {
    requires transitive io.heapsampler;
    requires java.management;
    requires jdk.management;
    requires static org.jspecify;

    exports io.heapsampler.doctor;
}
