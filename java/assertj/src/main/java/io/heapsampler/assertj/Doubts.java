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
import io.heapsampler.assertj.Reading.Measure;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;

/** Reasons why figures of snapshots may be wrong or unknown, as parts of messages. */
final class Doubts {

    /** The end of the message about sites that grow. */
    static final String HELP =
            """
            What helps: let caches fill before the first snapshot; use weak maps and interners \
            once before each snapshot, which removes the entries of dead keys; the frames say \
            where the objects were allocated, HeapSampler.heldBy says what holds them.\
            """;

    private Doubts() {}

    private static boolean hasDropped(Collection<HeapSnapshot> snapshots, DropCause cause) {
        return snapshots.stream().anyMatch(each -> each.dropped().getOrDefault(cause, 0L) > 0);
    }

    /** Returns why more may belong to figures of snapshots, and what would be needed. */
    static List<String> lost(Collection<HeapSnapshot> snapshots, boolean isTracked) {
        List<String> doubts = new ArrayList<>();
        if (hasDropped(snapshots, DropCause.NATIVE_MEMORY)) {
            doubts.add("more native memory, because samples were lost");
        }
        if (isTracked && hasDropped(snapshots, DropCause.NO_REFERENCE)) {
            doubts.add("another run, because the JVM gave no weak reference to some samples");
        }
        if (isTracked && hasDropped(snapshots, DropCause.VALUE_OBJECT)) {
            doubts.add("objects with identity, because value objects have no weak references");
        }
        return doubts;
    }

    /** Returns what would be needed to know the growth of live objects; empty if it is known. */
    static List<String> growth(List<HeapSnapshot> snapshots) {
        List<String> doubts = new ArrayList<>();
        if (snapshots.stream().anyMatch(each -> each.collector() == GarbageCollector.EPSILON)) {
            doubts.add("a collector that collects, because Epsilon does not");
        } else if (!snapshots.stream().allMatch(HeapSnapshot::isAfterGc)) {
            doubts.add(
                    """
                    %s with SnapshotOptions.afterGc(), because what is unconfirmed may be alive\
                    """
                            .formatted(snapshots.size() == 2 ? "two snapshots" : "snapshots"));
        }
        doubts.addAll(lost(snapshots, true));
        return doubts;
    }

    /** Returns the same, where the smallest growth matters; empty if none of it goes unseen. */
    static List<String> growth(HeapDiff diff, long limit) {
        List<String> doubts = growth(List.of(diff.earlier(), diff.later()));
        OptionalLong smallest = diff.smallestVisible();
        if (smallest.isEmpty()) {
            doubts.add("a sampler that runs with SamplingStrategy.bytes(...)");
        } else if (smallest.getAsLong() > limit) {
            double interval = (double) HeapGrowth.intervalToSee(limit);
            doubts.add(
                    "an interval of %s or less, for growth of a site below about %s goes unseen"
                            .formatted(
                                    Measure.ALLOCATED_BYTES.exact(interval),
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

    /** Returns the complaint about a snapshot without a collection; empty if it had one. */
    static String noCollection(HeapSnapshot snapshot) {
        return snapshot.isAfterGc()
                ? ""
                : """
                The snapshot was not taken after a collection, so live objects are as of an \
                earlier one. What helps: snapshot(SnapshotOptions.afterGc()), with a collector \
                that collects (this is %s).\
                """
                        .formatted(snapshot.collector());
    }

    /** Returns the complaint about dropped samples; empty if none was. */
    static String drops(HeapSnapshot snapshot, Collection<DropCause> causes) {
        StringBuilder found = new StringBuilder();
        for (DropCause cause : causes) {
            long count = snapshot.dropped().getOrDefault(cause, 0L);
            if (count > 0) {
                found.append(
                        "\n  %s %s. What helps: %s."
                                .formatted(cause, Texts.samples(count), cause.help()));
            }
        }
        return found.isEmpty() ? "" : "Samples were dropped, folded or shortened:" + found;
    }

    /** Returns the complaint about notes; empty if there are only the expected ones. */
    static String notes(HeapSnapshot snapshot, String... expected) {
        List<String> others =
                snapshot.notes().stream()
                        .filter(note -> !Arrays.asList(expected).contains(note.id()))
                        .map(note -> note.id() + ": " + note)
                        .toList();
        return others.isEmpty()
                ? ""
                : """
                The snapshot has notes:
                  %s
                What helps: do as they say, or expect them with hasNoNotesExcept("id").\
                """
                        .formatted(String.join("\n  ", others));
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
