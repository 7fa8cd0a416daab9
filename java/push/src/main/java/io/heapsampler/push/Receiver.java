// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** How a kind of receiver is talked to. */
interface Receiver {

    /**
     * Encodes a request.
     *
     * @throws BoundedBytes.TooLarge if it is larger than what may wait
     */
    Payload encode(Delta delta) throws IOException;

    /** Returns whether the same request can have another answer later. */
    boolean isTemporary(int status);

    /**
     * What a receiver says beside its success.
     *
     * @param isLoss it has not taken everything
     */
    record Complaint(boolean isLoss, String text) {}

    /** Returns what is wrong though the answer is a success; null if nothing is. */
    default @Nullable Complaint complaint(byte[] answer) {
        return null;
    }
}
