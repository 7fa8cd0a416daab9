// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export.cli;

import java.io.IOException;

/** What went wrong outside of this program, said to the user. */
final class FailureException extends Exception {

    private static final long serialVersionUID = 1L;

    FailureException(String message) {
        super(message);
    }

    FailureException(String message, IOException cause) {
        super(message, cause);
    }
}
