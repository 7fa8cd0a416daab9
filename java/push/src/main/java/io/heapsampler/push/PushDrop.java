// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import io.heapsampler.ApiStatus;

/**
 * Why a profile was not delivered.
 *
 * <pre>{@code
 * long lost = push.status().dropped().getOrDefault(PushDrop.QUEUE_FULL, 0L);
 * }</pre>
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
public enum PushDrop {
    /** The receiver kept failing, and a newer profile replaced this one. */
    QUEUE_FULL,

    /** The receiver refused the profile, or a part of it, permanently. */
    REFUSED,

    /** The profile alone is larger than {@link PushBuilder#maxQueueBytes(long)}. */
    TOO_LARGE,

    /** No profile could be made, because the snapshot failed or memory ran out. */
    NOT_MADE,

    /** The profile was still waiting when the time for closing was over. */
    CLOSED
}
