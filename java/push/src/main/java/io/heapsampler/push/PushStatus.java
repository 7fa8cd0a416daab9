// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import io.heapsampler.ApiStatus;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The state of a {@link ProfilePush} at one moment.
 *
 * <pre>{@code
 * PushStatus status = push.status();
 * if (status.queued() > 0) {
 *     System.err.println("behind: " + status.lastError());
 * }
 * }</pre>
 *
 * <p>Immutable.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
public final class PushStatus {

    private final long delivered;
    private final Map<PushDrop, Long> dropped;
    private final int queued;
    private final long queuedBytes;
    private final @Nullable Instant lastDeliveredAt;
    private final @Nullable String lastError;

    PushStatus(
            long delivered,
            Map<PushDrop, Long> dropped,
            int queued,
            long queuedBytes,
            @Nullable Instant lastDeliveredAt,
            @Nullable String lastError) {
        this.delivered = delivered;
        this.dropped = Map.copyOf(dropped);
        this.queued = queued;
        this.queuedBytes = queuedBytes;
        this.lastDeliveredAt = lastDeliveredAt;
        this.lastError = lastError;
    }

    /**
     * Returns the number of profiles that the receiver has accepted.
     *
     * @return 0 or more
     */
    public long delivered() {
        return delivered;
    }

    /**
     * Returns the number of lost profiles, by cause.
     *
     * @return counts above 0 only; unmodifiable
     */
    public Map<PushDrop, Long> dropped() {
        return dropped;
    }

    /**
     * Returns the number of waiting profiles.
     *
     * @return 0 or more
     */
    public int queued() {
        return queued;
    }

    /**
     * Returns the size of the waiting profiles.
     *
     * @return bytes, as they will be sent
     */
    public long queuedBytes() {
        return queuedBytes;
    }

    /**
     * Returns when the receiver last accepted a profile.
     *
     * @return the time; null if it has accepted none
     */
    public @Nullable Instant lastDeliveredAt() {
        return lastDeliveredAt;
    }

    /**
     * Returns the last error.
     *
     * @return one or two sentences; null if there was no error
     */
    public @Nullable String lastError() {
        return lastError;
    }

    @Override
    public String toString() {
        return ("PushStatus[delivered=%s, dropped=%s, queued=%s, queuedBytes=%s,"
                        + " lastDeliveredAt=%s, lastError=%s]")
                .formatted(delivered, dropped, queued, queuedBytes, lastDeliveredAt, lastError);
    }
}
