// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import io.heapsampler.DropCause;
import io.heapsampler.GarbageCollector;
import io.heapsampler.Liveness;
import io.heapsampler.Note;
import io.heapsampler.SamplingStrategy;
import io.heapsampler.internal.shared.Normal;
import java.util.ArrayList;
import java.util.List;

/**
 * Decides which notes apply to a snapshot, for {@link io.heapsampler.HeapSnapshot#notes()}. Their
 * ids and texts are in {@link NoteText}.
 */
public final class Notes {

    private static final int FEW = 10;
    private static final int FIXED_FEATURE = 25;
    private static final int MANY_THREADS = 64;
    private static final double WORST_BOUND = 0.1;
    private static final double SMALL_SHARE = 0.01;

    private Notes() {}

    /** Returns the notes that apply to a snapshot. */
    public static List<Note> of(SnapshotData data) {
        List<Note> notes = new ArrayList<>();
        addIf(notes, data.info(Info.SAMPLES) < FEW, NoteText.FEW_SAMPLES);
        addStrategyNotes(notes, data);
        addGovernedNote(notes, data);
        addVmNotes(notes, data);
        addIf(
                notes,
                data.hasFlag(Info.FLAG_GC_ASKED) && !data.hasFlag(Info.FLAG_GC_DONE),
                NoteText.GC_NOT_DONE);
        addIf(
                notes,
                data.hasFlag(Info.FLAG_NO_CANARY) && !data.hasFlag(Info.FLAG_GC_DONE),
                NoteText.NO_CANARY);
        boolean hasUnconfirmedBornOld = hasUnconfirmedBornOld(data);
        addIf(notes, hasUnconfirmedBornOld, NoteText.BORN_OLD);
        addIf(notes, mayCountSmallBornOld(data), NoteText.SMALL_BORN_OLD);
        boolean isG1 = data.info(Info.COLLECTOR) == GarbageCollector.G1.ordinal();
        addIf(notes, hasUnconfirmedBornOld && isG1, NoteText.KEPT_BY_G1);
        addIf(notes, data.info(Info.MISMATCHES) > 0, NoteText.MISMATCHES);
        addDropNotes(notes, data);
        addIf(notes, data.hasFlag(Info.FLAG_FILTERED), NoteText.FILTERED);
        if (data.unreadHeldVersion >= 0) {
            notes.add(NoteText.HOLDERS_UNREAD.with(data.unreadHeldVersion));
        }
        return List.copyOf(notes);
    }

    private static void addStrategyNotes(List<Note> notes, SnapshotData data) {
        long kind = data.info(Info.STRATEGY);
        long amount = data.info(Info.STRATEGY_AMOUNT);
        if (kind == SamplingStrategy.Kind.ALLOCATIONS.ordinal()) {
            notes.add(NoteText.SIZE_BLIND.with(amount));
        } else if (kind == SamplingStrategy.Kind.TIME.ordinal()) {
            notes.add(NoteText.RATE_CAPPED.with((double) amount / 1_000));
            addBurstNote(notes, data);
        } else {
            addIf(notes, kind != SamplingStrategy.Kind.BYTES.ordinal(), NoteText.UNKNOWN_STRATEGY);
        }
    }

    /** No recording makes the interval in force larger than its own, so it was the budget. */
    private static void addGovernedNote(List<Note> notes, SnapshotData data) {
        long asked = data.info(Info.INTERVAL);
        long inForce = data.info(Info.INTERVAL_IN_FORCE);
        if (data.hasFlag(Info.FLAG_SAMPLING) && inForce > asked) {
            notes.add(NoteText.GOVERNED.with(inForce, asked));
        }
    }

    private static void addBurstNote(List<Note> notes, SnapshotData data) {
        double inBursts = data.dropped(DropCause.BURST.ordinal());
        double others = data.info(Info.SAMPLES) + data.dropped(DropCause.CAPPED.ordinal());
        double share = inBursts / Math.max(1, inBursts + others);
        if (share >= SMALL_SHARE) {
            notes.add(NoteText.BURSTS.with(percent(share)));
        }
    }

    private static void addVmNotes(List<Note> notes, SnapshotData data) {
        long feature = data.info(Info.FEATURE);
        if (feature > 0 && feature < FIXED_FEATURE) {
            notes.add(outsideTlab(data));
            String sites = new SiteDensity(data).named();
            if (!sites.isEmpty()) {
                notes.add(NoteText.AT_SITES.with(sites));
            }
        }
        addIf(notes, data.hasFlag(Info.FLAG_UNUSED_COUNTED), NoteText.UNUSED_COUNTED);
        addIf(notes, data.threadCount() >= MANY_THREADS, NoteText.SHARED_RANDOM);
        long collector = data.info(Info.COLLECTOR);
        addIf(notes, collector == GarbageCollector.Z_GENERATIONAL.ordinal(), NoteText.Z_MAJOR);
        addIf(notes, collector == GarbageCollector.EPSILON.ordinal(), NoteText.EPSILON);
    }

    /** With its measured size, once that is known well enough to be reported. */
    private static Note outsideTlab(SnapshotData data) {
        double counted = data.info(Info.COUNTED_BYTES);
        double bound = Normal.Z95 * 1024 * Math.sqrt((double) data.info(Info.ESTIMATE_VARIANCE));
        if (counted <= 0 || !(bound <= WORST_BOUND * counted)) {
            return NoteText.OUTSIDE_TLAB.with();
        }
        double excess = data.info(Info.ESTIMATED_BYTES) - counted;
        String measured = (excess < 0 ? "-" : "+") + percent(Math.abs(excess) / counted);
        return NoteText.OUTSIDE_TLAB_MEASURED.with(measured, percent(bound / counted));
    }

    /**
     * Returns the share in per cent, with one digit behind the point. Not by a formatter: a
     * snapshot may be taken while the heap is full, and a JVM whose locale data could not be
     * initialised then formats nothing any more.
     */
    static String percent(double share) {
        long tenths = Math.round(share * 1_000);
        return tenths / 10 + "." + tenths % 10;
    }

    /** An interval each: samples chosen by bytes also stand for one each. */
    private static void addPhantomNote(List<Note> notes, SnapshotData data) {
        long phantoms = data.dropped(DropCause.PHANTOM.ordinal());
        double share = phantoms / Math.max(1.0, phantoms + (double) data.info(Info.SAMPLES));
        boolean isByBytes = data.info(Info.STRATEGY) == SamplingStrategy.Kind.BYTES.ordinal();
        if (isByBytes && share >= SMALL_SHARE) {
            notes.add(NoteText.FIRST_DROPPED.with(phantoms, percent(share)));
        }
    }

    private static void addDropNotes(List<Note> notes, SnapshotData data) {
        addPhantomNote(notes, data);
        if (data.info(Info.THINNING) > 0 || dropped(data, DropCause.THINNED)) {
            addThinnedNotes(notes, data);
        }
        boolean other =
                dropped(data, DropCause.STACKS_FULL)
                        || dropped(data, DropCause.NAMES_FULL)
                        || dropped(data, DropCause.SITES_FULL);
        addIf(notes, other, NoteText.OTHER_SITES);
        addIf(notes, data.hasFlag(Info.FLAG_NO_TABLES), NoteText.NO_TABLES);
        addIf(notes, data.hasFlag(Info.FLAG_STUCK), NoteText.STUCK);
        addIf(notes, dropped(data, DropCause.THREADS_FULL), NoteText.OTHER_THREADS);
        long noLabels = data.dropped(DropCause.LABELS_FULL.ordinal());
        if (noLabels > 0) {
            notes.add(NoteText.OTHER_LABELS.with(noLabels));
        }
        addIf(notes, dropped(data, DropCause.NO_STACK), NoteText.NO_STACK);
        addIf(notes, dropped(data, DropCause.NO_REFERENCE), NoteText.NO_REFERENCE);
        addIf(notes, dropped(data, DropCause.VALUE_OBJECT), NoteText.VALUE_OBJECTS);
        addIf(notes, dropped(data, DropCause.NATIVE_MEMORY), NoteText.NATIVE_MEMORY);
        addIf(notes, dropped(data, DropCause.TRUNCATED), NoteText.TRUNCATED);
        addIf(notes, data.droppedForUnknownCauses() > 0, NoteText.UNKNOWN_CAUSES);
    }

    /**
     * Under G1 large objects may be thinned for what they hold, all for want of places, or both.
     */
    private static void addThinnedNotes(List<Note> notes, SnapshotData data) {
        boolean isHeld = data.hasFlag(Info.FLAG_HELD);
        if (data.info(Info.COLLECTOR) == GarbageCollector.G1.ordinal()) {
            addIf(notes, isHeld, NoteText.HELD_BY_G1);
            addIf(notes, !isHeld || data.info(Info.THINNING) > 0, NoteText.THINNED);
        } else {
            addIf(notes, true, isHeld ? NoteText.HELD : NoteText.THINNED);
        }
    }

    private static boolean dropped(SnapshotData data, DropCause cause) {
        return data.dropped(cause.ordinal()) > 0;
    }

    private static boolean mayCountSmallBornOld(SnapshotData data) {
        long collector = data.info(Info.COLLECTOR);
        boolean mayBeBornOld =
                collector == GarbageCollector.SERIAL.ordinal()
                        || collector == GarbageCollector.PARALLEL.ordinal();
        return mayBeBornOld && !data.hasFlag(Info.FLAG_GC_DONE) && hasLive(data.samples);
    }

    private static boolean hasLive(SampleColumns samples) {
        for (int i = 0; i < samples.living; i++) {
            if (samples.liveness[i] == Liveness.LIVE.ordinal()) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasUnconfirmedBornOld(SnapshotData data) {
        long bornOld = data.info(Info.BORN_OLD_BYTES);
        SampleColumns samples = data.samples;
        for (int i = 0; bornOld > 0 && i < samples.living; i++) {
            if (samples.size[i] >= bornOld
                    && samples.liveness[i] == Liveness.UNCONFIRMED.ordinal()) {
                return true;
            }
        }
        return false;
    }

    private static void addIf(List<Note> notes, boolean applies, NoteText note) {
        if (applies) {
            notes.add(note.with());
        }
    }
}
