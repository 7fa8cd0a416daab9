// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

enum CollectionKind {
    /** Of the young generation; includes mixed pauses of G1. */
    YOUNG_PAUSE,
    /** For the whole heap. */
    FULL_PAUSE,
    /** A concurrent collector gave up, and the application was paused for the rest of its work. */
    DEGENERATED_PAUSE,
    /** A short pause inside a concurrent cycle, such as the remark of G1. */
    PHASE_PAUSE,
    /** A concurrent cycle over the young generation. */
    YOUNG_CYCLE,
    /** A concurrent cycle over the whole heap, or over the old generation. */
    OLD_CYCLE,
    /** A bean or an action that this version does not know: neither counted as a pause nor lost. */
    UNKNOWN;

    /** Returns whether the application was paused for the whole duration; false for cycles. */
    boolean isPause() {
        return this != UNKNOWN && !isCycle();
    }

    /** Returns whether the application ran for the duration. */
    boolean isCycle() {
        return this == YOUNG_CYCLE || this == OLD_CYCLE;
    }

    /** Returns whether garbage of the old generation, or of a heap without any, was looked for. */
    boolean isOld() {
        return this == FULL_PAUSE || this == DEGENERATED_PAUSE || this == OLD_CYCLE;
    }
}
