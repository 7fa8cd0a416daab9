// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import io.heapsampler.ByteSize;
import io.heapsampler.DropCause;
import io.heapsampler.Estimate;
import io.heapsampler.GarbageCollector;
import io.heapsampler.HeapDiff;
import io.heapsampler.HeapGrowth;
import io.heapsampler.HeapSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Reasons why the growth of the live objects between snapshots may be unknown. */
final class GrowthDoubts {

    /** The end of the message about sites that grow. */
    static final String HELP =
            "What helps: let caches fill before the first snapshot; use weak maps and interners"
                + " once before each snapshot, which removes the entries of dead keys; the frames"
                + " say where it was allocated, who holds it is in a heap dump, by class.";

    private GrowthDoubts() {}

    /** Returns what would be needed to know it; empty if it is known. */
    static List<String> of(List<HeapSnapshot> snapshots) {
        List<String> doubts = new ArrayList<>();
        if (snapshots.stream().anyMatch(each -> each.collector() == GarbageCollector.EPSILON)) {
            doubts.add("a collector that collects, because Epsilon does not");
        } else if (!snapshots.stream().allMatch(HeapSnapshot::isAfterGc)) {
            doubts.add(
                    (snapshots.size() == 2 ? "two snapshots" : "snapshots")
                            + " with SnapshotOptions.afterGc(), because what is unconfirmed may be"
                            + " alive");
        }
        if (hasDropped(snapshots, DropCause.NATIVE_MEMORY)) {
            doubts.add("more native memory, because samples were lost");
        }
        if (hasDropped(snapshots, DropCause.NO_REFERENCE)) {
            doubts.add("another run, because the JVM gave no weak reference to some samples");
        }
        if (hasDropped(snapshots, DropCause.VALUE_OBJECT)) {
            doubts.add("objects with identity, because value objects have no weak references");
        }
        return doubts;
    }

    /** Returns the same, where the smallest growth matters; empty if none of it goes unseen. */
    static List<String> of(HeapDiff diff, long limit) {
        List<String> doubts = new ArrayList<>(of(List.of(diff.earlier(), diff.later())));
        OptionalLong smallest = diff.smallestVisible();
        if (smallest.isEmpty()) {
            doubts.add("a sampler that runs with SamplingStrategy.bytes(...)");
        } else if (smallest.getAsLong() > limit) {
            doubts.add(
                    """
                    an interval of %s or less, for growth of a site below about %s goes unseen\
                    """
                            .formatted(
                                    Measure.ALLOCATED_BYTES.exact(
                                            (double) HeapGrowth.intervalToSee(limit)),
                                    ByteSize.format((double) smallest.getAsLong())));
        }
        return doubts;
    }

    /** Returns the description of a list of growing sites. */
    static String listed(OptionalLong smallest) {
        if (smallest.isEmpty()) {
            return "growing sites of about ten new samples or more";
        }
        return smallest.getAsLong() == 0
                ? "growing sites"
                : "growing sites, without those that have grown by less than about "
                        + ByteSize.format((double) smallest.getAsLong());
    }

    private static boolean hasDropped(List<HeapSnapshot> snapshots, DropCause cause) {
        return snapshots.stream().anyMatch(each -> each.dropped().getOrDefault(cause, 0L) > 0);
    }

    /** Which of many figures are above 0 by more than chance explains. */
    static final class Chance {

        /** Of this many runs in which nothing grows, one reports growth. */
        private static final double RUNS_PER_FALSE_ALARM = 40;

        private Chance() {}

        /**
         * Returns whether one of many sites has grown by more than chance explains. Each may err
         * with the chance 1 / (40 · many), so that all together err in one of 40 runs at most.
         *
         * @param chance the chance that it looks so without growth
         */
        static boolean isSure(double chance, int many) {
            return chance * RUNS_PER_FALSE_ALARM * Math.max(1, many) <= 1;
        }

        /**
         * Returns whether a figure, one of many that are tested, is surely above a limit. Each may
         * err with the chance 1 / (40 · many), so that all together err in one of 40 runs at most.
         * The quantile is from P(Z &gt; z) ≤ ½ exp(−z²/2): z = √(2 ln (40 · many / 2)), a little
         * more than the exact one.
         */
        static boolean isSurelyAbove(Estimate estimate, double limit, int many) {
            double quantile = Math.sqrt(2 * Math.log(RUNS_PER_FALSE_ALARM * Math.max(1, many) / 2));
            return estimate.value() - quantile * estimate.standardError() > limit;
        }
    }
}
