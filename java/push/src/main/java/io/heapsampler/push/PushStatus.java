// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How pushing goes.
 *
 * <pre>{@code
 * PushStatus status = push.status();
 * if (status.queued() > 0) {
 *     System.err.println("behind: " + status.lastError());
 * }
 * }</pre>
 *
 * @param delivered how many profiles were taken by the receiver
 * @param dropped how many were not and will not be, by cause; causes that never happened are left
 *     out; unmodifiable
 * @param queued how many profiles wait
 * @param queuedBytes their size in bytes, compressed
 * @param lastDeliveredAt when the receiver took one last; null if it never did
 * @param lastError what went wrong last, in a sentence or two; null if nothing ever did
 */
public record PushStatus(
        long delivered,
        Map<PushDrop, Long> dropped,
        int queued,
        long queuedBytes,
        @Nullable Instant lastDeliveredAt,
        @Nullable String lastError) {

    /**
     * Makes a status.
     *
     * @param delivered how many profiles were taken by the receiver
     * @param dropped how many were dropped, by cause; copied
     * @param queued how many profiles wait
     * @param queuedBytes their size in bytes
     * @param lastDeliveredAt when the receiver took one last, or null
     * @param lastError what went wrong last, or null
     */
    public PushStatus {
        dropped = Map.copyOf(dropped);
    }
}
