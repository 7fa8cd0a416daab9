// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

import org.jspecify.annotations.NullMarked;

/**
 * Says which garbage collection problem an application has, who causes it, and what speaks against
 * it.
 *
 * <p>Nothing is watched because this module is there: an application starts a {@code GcDoctor}.
 * Flight Recorder is used where it is there.
 */
@NullMarked
module io.heapsampler.doctor {
    requires transitive io.heapsampler;
    requires java.management;
    requires jdk.management;
    requires static jdk.jfr;
    requires static org.jspecify;

    exports io.heapsampler.doctor;
}
