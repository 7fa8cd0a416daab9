// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders;

import io.heapsampler.support.Labels;

/** What a cell is about. */
enum Kind {
    /** Known holders. */
    PATHS,
    /** The same, and each path against a heap dump. */
    DUMP,
    /** Estimates against exact sums. */
    SUMS,
    /** Many walks in a program that makes trouble. */
    TROUBLE,
    /** Children that are killed, parents that are killed or exit. */
    KILLS,
    /** A system that refuses a child, or leaves no memory for one. */
    REFUSALS;

    boolean isOf(Way way) {
        return way == Way.CHILD || (this != KILLS && this != REFUSALS);
    }

    String label() {
        return Labels.of(this);
    }
}
