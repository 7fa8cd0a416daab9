// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.timeline;

/** The kind of collection that a notification reports. */
public enum CollectionKind {
    /** Of the young generation; includes mixed pauses of G1. */
    YOUNG_PAUSE(true, false),
    /** For the whole heap. */
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

    /** Returns whether the application was paused for the whole duration; false for cycles. */
    public boolean isPause() {
        return pause;
    }

    /** Returns whether the application ran for the duration. */
    public boolean isCycle() {
        return this == YOUNG_CYCLE || this == OLD_CYCLE;
    }

    /** Returns whether garbage of the old generation, or of a heap without any, was looked for. */
    public boolean isOld() {
        return old;
    }
}
