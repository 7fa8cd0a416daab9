// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import io.heapsampler.Collector;
import io.heapsampler.DropCause;
import io.heapsampler.HeapSnapshot;
import java.util.ArrayList;
import java.util.List;

/** Why it may not be known by how much what is alive has grown between snapshots. */
final class GrowthDoubts {

    private GrowthDoubts() {}

    /** Returns what would be needed to know it; empty if it is known. */
    static List<String> of(List<HeapSnapshot> snapshots) {
        List<String> doubts = new ArrayList<>();
        if (snapshots.stream().anyMatch(each -> each.collector() == Collector.EPSILON)) {
            doubts.add("a collector that collects, for Epsilon does not");
        } else if (!snapshots.stream().allMatch(HeapSnapshot::isAfterGc)) {
            doubts.add(
                    (snapshots.size() == 2 ? "two snapshots" : "snapshots")
                            + " with SnapshotOptions.afterGc(), for what is unconfirmed may be"
                            + " alive");
        }
        if (hasDropped(snapshots, DropCause.NATIVE_MEMORY)) {
            doubts.add("more native memory, for samples were lost");
        }
        if (hasDropped(snapshots, DropCause.NO_REFERENCE)) {
            doubts.add("another run, for the JVM gave no weak reference to some samples");
        }
        return doubts;
    }

    private static boolean hasDropped(List<HeapSnapshot> snapshots, DropCause cause) {
        return snapshots.stream().anyMatch(each -> each.dropped().getOrDefault(cause, 0L) > 0);
    }
}
