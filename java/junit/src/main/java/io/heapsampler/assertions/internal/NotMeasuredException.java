// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.HeapSnapshot;
import org.jspecify.annotations.Nullable;

/** Why there is no verdict, as a sentence with what to do about it. */
public final class NotMeasuredException extends Exception {

    private static final long serialVersionUID = 1L;

    /** Can no setting help here? Then the test is aborted under each policy. */
    private final boolean isHopeless;

    /** The incomplete figures. */
    private final transient @Nullable HeapSnapshot snapshot;

    /** Nothing was recorded. */
    NotMeasuredException(String reason) {
        this(reason, false, null);
    }

    NotMeasuredException(String reason, @Nullable HeapSnapshot snapshot) {
        this(reason, false, snapshot);
    }

    NotMeasuredException(String reason, boolean isHopeless, @Nullable HeapSnapshot snapshot) {
        super(reason);
        this.isHopeless = isHopeless;
        this.snapshot = snapshot;
    }

    @Nullable HeapSnapshot snapshot() {
        return snapshot;
    }

    boolean isHopeless() {
        return isHopeless;
    }

    String reason() {
        return String.valueOf(getMessage());
    }
}
