// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

/**
 * Why no holder of a live sample is known.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
public enum Unresolved {
    /** {@link HeldByOptions#maxPause()} was too short. */
    PAUSE,

    /** {@link HeldByOptions#maxTime()} was too short. */
    TIME,

    /**
     * {@link HeldByOptions#maxMemory()}, or the memory that the machine had left, was too small.
     */
    MEMORY,

    /**
     * An array was too large to follow all of its elements within a pause. Its parts were read one
     * after the other, and the object may have moved between them.
     */
    LARGE_ARRAY,

    /** The object died between the snapshot and the walk over the heap. */
    DIED,

    /**
     * The JVM showed no strong or soft reference that leads to the object. The next collection
     * frees it, unless it belongs to a linked call site, which the JVM does not show, or
     * HeapSampler itself holds it.
     */
    ONLY_WEAK,

    /**
     * This JVM or operating system offers no way that reaches the object, or the way failed. {@link
     * HeldBy#notes()} has the reason: {@code holders-way} if the heap was not walked, else {@code
     * holders-unresolved-not-possible}.
     */
    NOT_POSSIBLE
}
