// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import java.io.Serial;

/** A recording is closed, so its samples are forgotten. It cannot be opened again. */
public final class ClosedRecordingException extends IllegalStateException {

    @Serial private static final long serialVersionUID = 1;

    /** With a message that says what to do. */
    public ClosedRecordingException() {
        super(
                "This recording is closed. Take snapshots before close(), or open another with"
                        + " HeapSampler.record().");
    }
}
