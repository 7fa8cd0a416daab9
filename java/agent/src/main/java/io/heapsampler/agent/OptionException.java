// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

/** An option that is not known, or a value that it cannot have; the message says what to do. */
final class OptionException extends Exception {

    private static final long serialVersionUID = 1L;

    OptionException(String message) {
        super(message);
    }
}
