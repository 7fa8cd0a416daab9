// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export.cli;

/** What went wrong outside of this program, said to the user. */
public final class FailureException extends Exception {

    private static final long serialVersionUID = 1L;

    /**
     * Makes one.
     *
     * @param message what failed, why, and what to do
     */
    public FailureException(String message) {
        super(message);
    }

    /**
     * Makes one.
     *
     * @param message what failed, why, and what to do
     * @param cause what was thrown underneath
     */
    public FailureException(String message, Exception cause) {
        super(message, cause);
    }
}
