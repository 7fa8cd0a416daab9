// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.doctor;

import io.heapsampler.doctor.internal.timeline.Timeline;

/** Shows tests what a doctor has seen. */
public final class Inside {

    private Inside() {}

    /** Returns the timeline up to now. */
    public static Timeline timeline(GcDoctor doctor) {
        return doctor.timeline();
    }
}
