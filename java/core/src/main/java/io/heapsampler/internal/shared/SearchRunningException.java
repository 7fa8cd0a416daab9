// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import java.io.Serial;

/** Another search for holders is running in this process. The next attempt may succeed. */
public final class SearchRunningException extends IllegalStateException {

    @Serial private static final long serialVersionUID = 1;

    /** With a message that says what to do. */
    public SearchRunningException(String message) {
        super(message);
    }
}
