// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import org.jspecify.annotations.Nullable;

/** A failure that the user can fix: the program prints its message and exits with 1. */
final class FailureException extends Exception {

    private static final long serialVersionUID = 1L;

    /** Takes a message: what failed, why, and what to do. */
    FailureException(String message) {
        super(message);
    }

    FailureException(String message, @Nullable Exception cause) {
        super(message, cause);
    }
}
