// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders;

import io.heapsampler.HeldBy;
import io.heapsampler.support.Gc;
import io.heapsampler.support.Labels;
import java.util.Arrays;
import java.util.List;

/** How the references are found. */
enum Way {
    ONE_STOP,
    CHILD,
    PASSES;

    /** Returns those that a collector allows: none forks where the heap is shared memory. */
    static List<Way> of(Gc gc) {
        boolean isShared = gc == Gc.ZGC || gc == Gc.ZGC_GENERATIONAL;
        return Arrays.stream(values()).filter(way -> way != CHILD || !isShared).toList();
    }

    /** Returns the one that a heap of ordinary size has. */
    static Way usual(Gc gc) {
        return of(gc).contains(CHILD) ? CHILD : PASSES;
    }

    HeldBy.Way heldBy() {
        return HeldBy.Way.valueOf(name());
    }

    String label() {
        return Labels.of(this);
    }
}
