// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import io.heapsampler.DropCause;
import io.heapsampler.GarbageCollector;
import io.heapsampler.Liveness;
import io.heapsampler.SamplingStrategy;
import io.heapsampler.internal.shared.Normal;
import java.util.ArrayList;
import java.util.List;

/**
 * The sentences of {@link io.heapsampler.HeapSnapshot#notes()}: what a reader of the figures should
 * know. The texts are stable, but for the figures in them.
 */
public final class Notes {

    static final String FEW_SAMPLES =
            "Fewer than 10 samples were taken, so the errors given are themselves rough.";
    static final String OUTSIDE_TLAB =
            "JDK 17 to 24 sample too often or too seldom where objects are allocated outside"
                    + " thread-local buffers (JDK-8356372), with large arrays at 512 KiB by about"
                    + " 5 %; not yet measured here.";
    static final String OUTSIDE_TLAB_MEASURED =
            "JDK 17 to 24 sample too often or too seldom where objects are allocated outside"
                    + " thread-local buffers (JDK-8356372): so far, what samples stand for is ";
    static final String THAN_COUNTED =
            ") against the bytes that the JVM itself counted; single sites may be off by more, and"
                    + " to either side.";
    static final String AT_SITES =
            "In the bytes that threads allocate just before samples of these sites, the JVM takes"
                    + " too many or too few samples (JDK-8356372): ";
    static final String AT_SITES_REST =
            ". Some of these sites, or of others that allocate in the same threads, have figures"
                    + " that are off by this or more; which of them cannot be known.";
    static final String UNUSED_COUNTED =
            "This JVM does not say how its thread-local buffers are used, so an unused one may"
                    + " count for the object that follows it: small objects of threads that"
                    + " allocate seldom may be estimated up to 1,000 times too many.";
    static final String FIRST_DROPPED =
            " first samples of threads were dropped, since they may stem from before sampling began"
                    + " (JDK 25 and later) or from another agent; what each of these threads had"
                    + " allocated by then, about one interval, is missing: about ";
    static final String FIRST_DROPPED_REST = " % of all.";
    static final String SHARED_RANDOM =
            "All threads of a JVM draw from one random generator that each new thread seeds anew,"
                    + " so short-lived threads vary more than the errors say.";
    static final String Z_MAJOR =
            "Generational ZGC clears weak references in major collections only, so what is live is"
                    + " as of the last major collection.";
    static final String EPSILON = "Epsilon never collects, so everything stays unconfirmed.";
    static final String GC_NOT_DONE =
            "A collection was asked for but none was observed, so what is live is as of an earlier"
                    + " collection.";
    static final String NO_CANARY =
            "The heap was nearly full, garbage included, so HeapSampler did not allocate the small"
                    + " object that tells it of a collection, and new objects stay unconfirmed. A"
                    + " snapshot with afterGc() confirms them.";
    static final String BORN_OLD =
            "Some unconfirmed objects are large enough to be born in the old generation, where only"
                    + " a collection forced by a snapshot confirms them.";
    static final String SMALL_BORN_OLD =
            "Serial and Parallel may allocate a small object in the old generation while the young"
                    + " one is full, for example during a JNI critical section. It then counts as"
                    + " live until a full collection. A snapshot with afterGc() forces one.";
    static final String KEPT_BY_G1 =
            "G1 keeps a tracked object of half a region or more until it has marked the heap,"
                    + " though a young collection frees such an array at once where no weak"
                    + " reference points to it: a sixteenth of the greatest heap at most, and none"
                    + " where maxTracked is 0.";
    static final String HELD_BY_G1 =
            "Of objects of half a region or more only a part is tracked, since G1 keeps those until"
                    + " it has marked the heap, and each weighs more, so their live figures have"
                    + " larger errors; what is unconfirmed of them may be more than the heap until"
                    + " a collection is forced.";
    static final String THINNED =
            "The budget of weak references was reached: only a part of the samples is tracked and"
                    + " each weighs more, so live figures have larger errors; raise maxTracked for"
                    + " more.";
    static final String HELD =
            "Generational ZGC keeps a tracked object, with all that it refers to, until the next"
                    + " major collection, so only a part of the samples is tracked and live figures"
                    + " have larger errors: what is kept shall stay below 1 % of the greatest heap,"
                    + " at 16 KiB or its own size an object; where objects refer to more, lower"
                    + " maxTracked.";
    static final String OTHER_SITES =
            "A table was full, so some samples have a shorter stack, only a class, or the site"
                    + " \"(other)\"; raise maxStacks, maxNames or maxSites.";
    static final String NO_TABLES =
            "A table was nearly full, and native memory was too short for a new one, so new code"
                    + " and threads may stay without names. Give the process more native memory, or"
                    + " lower maxStacks, maxNames or maxSites.";
    static final String STUCK =
            "A thread has been learning a stack for more than 10 s, perhaps suspended by a"
                + " debugger. Four such threads keep HeapSampler from learning new stacks, which"
                + " makes samples more expensive. Resume the thread.";
    static final String OTHER_THREADS =
            "The table of threads was full, or half full of virtual threads, so some samples are"
                    + " counted at the thread \"(other)\"; raise maxThreads.";
    static final String NO_STACK =
            "The JVM gave no stack for some samples, which are counted with an empty one.";
    static final String NO_REFERENCE =
            "The JVM gave no weak reference for some samples, so live figures are too low by"
                    + " these.";
    static final String VALUE_OBJECTS =
            "Value objects are counted as allocated, but they have no weak references, so live"
                    + " figures leave them out.";
    static final String GOVERNED =
            "Samples at the interval that was asked for would take more processor time than"
                    + " maxOverhead allows, so the interval in force is larger, and so are the"
                    + " errors: ";
    static final String NATIVE_MEMORY =
            "Native memory ran out, so some samples are missing and all figures are too low by"
                    + " these.";
    static final String MISMATCHES =
            "A stack that was looked up, or a name that was read, differed from the JVM's own, so"
                + " lookups were given up; up to 1 in 1,024 of the stacks and 1 in 64 of the names"
                + " before were compared, so others may be wrong until reset().";
    static final String UNKNOWN_CAUSES =
            "Some samples were dropped for causes that this version of HeapSampler does not know;"
                    + " read the snapshot with the version that wrote it.";
    static final String SIZE_BLIND =
            "Each allocation had the same chance to be sampled, whatever its size, so large objects"
                    + " were met as seldom as small ones, and bytes are known less well than"
                    + " objects. A site that frees few large objects and allocates many small ones"
                    + " may be listed as growing. Sampled: one in ";
    static final String RATE_CAPPED =
            "What was sampled by bytes was thinned to at most one sample per ";
    static final String RATE_CAPPED_REST =
            " ms, and what is kept stands for the rest: errors are larger for that, most of all"
                    + " where the rate varies.";
    static final String BURST =
            " % of them came in bursts, many more at a time than shortly before, for which perhaps"
                    + " nothing that is kept stands: the figures are probably too low, and the"
                    + " errors given do not cover that; a larger interval, or longer periods, make"
                    + " bursts smaller.";
    static final String UNKNOWN_STRATEGY =
            "Samples were chosen by a strategy that this version of HeapSampler does not know;"
                    + " their chances are known all the same.";
    static final String TRUNCATED = "Some stacks were deeper than maxDepth and are cut.";

    private static final int FEW = 10;
    private static final int FIXED_FEATURE = 25;
    private static final int MANY_THREADS = 64;
    private static final double WORST_BOUND = 0.1;
    private static final double SMALL_SHARE = 0.01;

    private Notes() {}

    /** Returns the notes that apply to a snapshot. */
    public static List<String> of(SnapshotData data) {
        List<String> notes = new ArrayList<>();
        addIf(notes, data.info(Info.SAMPLES) < FEW, FEW_SAMPLES);
        addStrategyNotes(notes, data);
        addGovernedNote(notes, data);
        addVmNotes(notes, data);
        addIf(
                notes,
                data.hasFlag(Info.FLAG_GC_ASKED) && !data.hasFlag(Info.FLAG_GC_DONE),
                GC_NOT_DONE);
        addIf(
                notes,
                data.hasFlag(Info.FLAG_NO_CANARY) && !data.hasFlag(Info.FLAG_GC_DONE),
                NO_CANARY);
        boolean hasUnconfirmedBornOld = hasUnconfirmedBornOld(data);
        addIf(notes, hasUnconfirmedBornOld, BORN_OLD);
        addIf(notes, mayCountSmallBornOld(data), SMALL_BORN_OLD);
        boolean isG1 = data.info(Info.COLLECTOR) == GarbageCollector.G1.ordinal();
        addIf(notes, hasUnconfirmedBornOld && isG1, KEPT_BY_G1);
        addIf(notes, data.info(Info.MISMATCHES) > 0, MISMATCHES);
        addDropNotes(notes, data);
        return List.copyOf(notes);
    }

    private static void addStrategyNotes(List<String> notes, SnapshotData data) {
        long kind = data.info(Info.STRATEGY);
        long amount = data.info(Info.STRATEGY_AMOUNT);
        if (kind == SamplingStrategy.Kind.ALLOCATIONS.ordinal()) {
            notes.add(SIZE_BLIND + amount + " on average.");
        } else if (kind == SamplingStrategy.Kind.TIME.ordinal()) {
            notes.add(RATE_CAPPED + (double) amount / 1_000 + RATE_CAPPED_REST + bursts(data));
        } else {
            addIf(notes, kind != SamplingStrategy.Kind.BYTES.ordinal(), UNKNOWN_STRATEGY);
        }
    }

    /** No recording makes the interval in force larger than its own, so it was the budget. */
    private static void addGovernedNote(List<String> notes, SnapshotData data) {
        long asked = data.info(Info.INTERVAL);
        long inForce = data.info(Info.INTERVAL_IN_FORCE);
        if (data.hasFlag(Info.FLAG_SAMPLING) && inForce > asked) {
            notes.add(GOVERNED + inForce + " instead of " + asked + " bytes.");
        }
    }

    /** How much of what was sampled by bytes came in bursts; empty where next to nothing did. */
    private static String bursts(SnapshotData data) {
        double inBursts = data.dropped(DropCause.BURST.ordinal());
        double others = data.info(Info.SAMPLES) + data.dropped(DropCause.CAPPED.ordinal());
        double share = inBursts / Math.max(1, inBursts + others);
        return share < SMALL_SHARE ? "" : " " + percent(share) + BURST;
    }

    private static void addVmNotes(List<String> notes, SnapshotData data) {
        long feature = data.info(Info.FEATURE);
        if (feature > 0 && feature < FIXED_FEATURE) {
            notes.add(outsideTlab(data));
            String sites = new SiteDensity(data).named();
            addIf(notes, !sites.isEmpty(), AT_SITES + sites + AT_SITES_REST);
        }
        addIf(notes, data.hasFlag(Info.FLAG_UNUSED_COUNTED), UNUSED_COUNTED);
        addIf(notes, data.threadCount() >= MANY_THREADS, SHARED_RANDOM);
        long collector = data.info(Info.COLLECTOR);
        addIf(notes, collector == GarbageCollector.Z_GENERATIONAL.ordinal(), Z_MAJOR);
        addIf(notes, collector == GarbageCollector.EPSILON.ordinal(), EPSILON);
    }

    /** With the size that it was measured to have, once that is known well enough to be told. */
    private static String outsideTlab(SnapshotData data) {
        double counted = data.info(Info.COUNTED_BYTES);
        double bound = Normal.Z95 * 1024 * Math.sqrt((double) data.info(Info.ESTIMATE_VARIANCE));
        if (counted <= 0 || !(bound <= WORST_BOUND * counted)) {
            return OUTSIDE_TLAB;
        }
        double excess = data.info(Info.ESTIMATED_BYTES) - counted;
        return OUTSIDE_TLAB_MEASURED
                + (excess < 0 ? "-" : "+")
                + percent(Math.abs(excess) / counted)
                + " % (± "
                + percent(bound / counted)
                + THAN_COUNTED;
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

    /** An interval each: samples stand for one each, too, where they are chosen by bytes. */
    private static void addPhantomNote(List<String> notes, SnapshotData data) {
        long phantoms = data.dropped(DropCause.PHANTOM.ordinal());
        double share = phantoms / Math.max(1.0, phantoms + (double) data.info(Info.SAMPLES));
        boolean isByBytes = data.info(Info.STRATEGY) == SamplingStrategy.Kind.BYTES.ordinal();
        if (isByBytes && share >= SMALL_SHARE) {
            notes.add(phantoms + FIRST_DROPPED + percent(share) + FIRST_DROPPED_REST);
        }
    }

    private static void addDropNotes(List<String> notes, SnapshotData data) {
        addPhantomNote(notes, data);
        if (data.info(Info.THINNING) > 0 || dropped(data, DropCause.THINNED)) {
            addThinnedNotes(notes, data);
        }
        boolean other =
                dropped(data, DropCause.STACKS_FULL)
                        || dropped(data, DropCause.NAMES_FULL)
                        || dropped(data, DropCause.SITES_FULL);
        addIf(notes, other, OTHER_SITES);
        addIf(notes, data.hasFlag(Info.FLAG_NO_TABLES), NO_TABLES);
        addIf(notes, data.hasFlag(Info.FLAG_STUCK), STUCK);
        addIf(notes, dropped(data, DropCause.THREADS_FULL), OTHER_THREADS);
        addIf(notes, dropped(data, DropCause.NO_STACK), NO_STACK);
        addIf(notes, dropped(data, DropCause.NO_REFERENCE), NO_REFERENCE);
        addIf(notes, dropped(data, DropCause.VALUE_OBJECT), VALUE_OBJECTS);
        addIf(notes, dropped(data, DropCause.NATIVE_MEMORY), NATIVE_MEMORY);
        addIf(notes, dropped(data, DropCause.TRUNCATED), TRUNCATED);
        addIf(notes, data.droppedForUnknownCauses() > 0, UNKNOWN_CAUSES);
    }

    /**
     * Under G1 large objects may be thinned for what they hold, all for want of places, or both.
     */
    private static void addThinnedNotes(List<String> notes, SnapshotData data) {
        boolean isHeld = data.hasFlag(Info.FLAG_HELD);
        if (data.info(Info.COLLECTOR) == GarbageCollector.G1.ordinal()) {
            addIf(notes, isHeld, HELD_BY_G1);
            addIf(notes, !isHeld || data.info(Info.THINNING) > 0, THINNED);
        } else {
            notes.add(isHeld ? HELD : THINNED);
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

    private static void addIf(List<String> notes, boolean applies, String note) {
        if (applies) {
            notes.add(note);
        }
    }
}
