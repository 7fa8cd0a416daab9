// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.timeline;

/**
 * The kind of collection that a notification reports.
 *
 * <p>Only kinds that are {@linkplain #isPause() pauses} stop the application; the duration of a
 * cycle is that of concurrent work.
 */
public enum CollectionKind {
    /**
     * The application was paused while the young generation was collected; includes mixed pauses of
     * G1.
     */
    YOUNG_PAUSE(true, false),
    /** The application was paused while the whole heap was collected. */
    FULL_PAUSE(true, true),
    /** A concurrent collector gave up, and the application was paused for the rest of its work. */
    DEGENERATED_PAUSE(true, true),
    /** A short pause inside a concurrent cycle, such as the remark of G1. */
    PHASE_PAUSE(true, false),
    /** A concurrent cycle over the young generation. */
    YOUNG_CYCLE(false, false),
    /** A concurrent cycle over the whole heap, or over the old generation. */
    OLD_CYCLE(false, true),
    /** A bean or an action that this version does not know: neither counted as a pause nor lost. */
    UNKNOWN(false, false);

    private final boolean pause;
    private final boolean old;

    CollectionKind(boolean pause, boolean old) {
        this.pause = pause;
        this.old = old;
    }

    /**
     * Returns whether the application was paused for the whole duration.
     *
     * @return false for cycles and unknown kinds
     */
    public boolean isPause() {
        return pause;
    }

    /**
     * Returns whether the collector searched the old generation, or a heap without generations, for
     * garbage.
     *
     * @return true for full and degenerated pauses and for cycles of the old generation
     */
    public boolean isOld() {
        return old;
    }
}
