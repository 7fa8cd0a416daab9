// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.internal.NoteText;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * How small a growth of a site the samples of some snapshots can show. Worked out when it is first
 * needed, from the heaviest sample that there may be. Immutable and safe for use by many threads.
 */
final class Visibility {

    /** The mean with which a Poisson variable is {@link Estimate#ENOUGH} or more, to 95.7 %. */
    private static final long MEAN_TO_SEE = 16;

    private final List<HeapSnapshot> snapshots;

    Visibility(List<HeapSnapshot> snapshots) {
        this.snapshots = snapshots;
    }

    static long intervalToSee(long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("growth must be 1 byte or more: " + bytes);
        }
        return Long.highestOneBit(bytes / MEAN_TO_SEE);
    }

    /** Returns 0 where nothing goes unseen; empty where nothing bounds it. */
    OptionalLong smallest() {
        double heaviest = 0;
        for (HeapSnapshot snapshot : snapshots) {
            SamplingStrategy strategy = snapshot.strategy();
            boolean isEach =
                    strategy.kind() == SamplingStrategy.Kind.ALLOCATIONS && strategy.mean() == 1;
            if (strategy.kind() != SamplingStrategy.Kind.BYTES && !isEach) {
                return OptionalLong.empty();
            }
            heaviest = Math.max(heaviest, new Unseen(snapshot.data()).bytes(0));
        }
        return OptionalLong.of((long) Math.ceil(Estimate.ENOUGH * heaviest));
    }

    List<Note> notes() {
        List<Note> notes = new ArrayList<>();
        OptionalLong smallest = smallest();
        if (smallest.isEmpty()) {
            notes.add(NoteText.GROWTH_IN_SAMPLES.with(Estimate.ENOUGH));
        } else if (smallest.getAsLong() > 0) {
            notes.add(unseen(smallest.getAsLong()));
        }
        if (!snapshots.stream().allMatch(HeapSnapshot::isAfterGc)) {
            notes.add(NoteText.NOT_AFTER_GC.with());
        }
        return List.copyOf(notes);
    }

    private static Note unseen(long smallest) {
        long tenth = Math.max(1, smallest / 10);
        return NoteText.GROWTH_UNSEEN.with(
                Estimate.ENOUGH,
                ByteSize.format((double) smallest),
                ByteSize.format((double) tenth),
                ByteSize.format((double) intervalToSee(tenth)));
    }

    /** Returns the end of a sentence about sites that have grown; may be empty. */
    String clause() {
        OptionalLong smallest = smallest();
        if (smallest.isEmpty()) {
            return "; growth of a site below about " + Estimate.ENOUGH + " samples goes unseen";
        }
        return smallest.getAsLong() == 0
                ? ""
                : "; growth of a site below about "
                        + ByteSize.format((double) smallest.getAsLong())
                        + " mostly goes unseen";
    }
}
