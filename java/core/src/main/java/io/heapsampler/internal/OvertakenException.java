// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import java.io.Serial;

/**
 * The engine is no longer in the state that the caller has seen: an agent, or a copy of these
 * classes in another class loader, has changed it. Nothing has been done; the caller looks again
 * and then knows whether to try once more.
 */
public final class OvertakenException extends IllegalStateException {

    @Serial private static final long serialVersionUID = 1;

    /** With a message for the case that no caller retries. */
    public OvertakenException(String message) {
        super(message);
    }
}
