// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

/**
 * Why a profile was not delivered.
 *
 * <pre>{@code
 * long lost = push.status().dropped().getOrDefault(PushDrop.QUEUE_FULL, 0L);
 * }</pre>
 */
public enum PushDrop {
    /** The receiver failed for so long that newer profiles needed the room. */
    QUEUE_FULL,

    /** The receiver refused it, or part of it, for good. */
    REFUSED,

    /** It alone is larger than {@link PushBuilder#maxQueueBytes(long)}. */
    TOO_LARGE,

    /** The profile could not be made: no snapshot could be taken, or memory was short. */
    NOT_MADE,

    /** It was still waiting when the time to close was over. */
    CLOSED
}
