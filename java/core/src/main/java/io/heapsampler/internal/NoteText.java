// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import io.heapsampler.Note;

/**
 * All notes: the stable id of each, and its text with {@code {}} for each figure. Several texts may
 * share an id when they report the same limit. Applications compare the ids, so an id never changes
 * its meaning.
 */
public enum NoteText {
    FEW_SAMPLES(
            "few-samples",
            "Fewer than 10 samples were taken, so the errors given are themselves rough."),

    SIZE_BLIND(
            "size-blind",
            "Each allocation had the same chance to be sampled, whatever its size, so large objects"
                + " were met as seldom as small ones, and bytes are known less well than objects. A"
                + " site that frees few large objects and allocates many small ones may be listed"
                + " as growing. Sampled: one in {} on average."),

    RATE_CAPPED(
            "rate-capped",
            "What was sampled by bytes was thinned to at most one sample per {} ms, and what is"
                    + " kept stands for the rest: errors are larger for that, most of all where the"
                    + " rate varies."),

    BURSTS(
            "bursts",
            "{} % of what was sampled by bytes came in bursts, many more at a time than shortly"
                + " before, for which perhaps nothing that is kept stands: the figures are probably"
                + " too low, and the errors given do not cover that; a larger interval, or longer"
                + " periods, make bursts smaller."),

    UNKNOWN_STRATEGY(
            "unknown-strategy",
            "Samples were chosen by a strategy that this version of HeapSampler does not know;"
                    + " their chances are still known."),

    GOVERNED(
            "overhead-limit",
            "Samples at the requested interval would take more processor time than maxOverhead"
                + " allows, so the interval in force is larger, and so are the errors: {} instead"
                + " of {} bytes."),

    OUTSIDE_TLAB(
            "jdk-8356372",
            "JDK 17 to 24 sample too often or too seldom where objects are allocated outside"
                + " thread-local buffers (JDK-8356372), with large arrays at 512 KiB by about 5 %;"
                + " not yet measured here."),

    OUTSIDE_TLAB_MEASURED(
            "jdk-8356372",
            "JDK 17 to 24 sample too often or too seldom where objects are allocated outside"
                + " thread-local buffers (JDK-8356372): so far, what samples stand for is {} % (±"
                + " {}) against the bytes that the JVM itself counted; single sites may be off by"
                + " more, and to either side."),

    AT_SITES(
            "jdk-8356372-sites",
            "In the bytes that threads allocate just before samples of these sites, the JVM takes"
                + " too many or too few samples (JDK-8356372): {}. Some of these sites, or of"
                + " others that allocate in the same threads, have figures that are off by this or"
                + " more; which of them cannot be known."),

    UNUSED_COUNTED(
            "unused-buffers",
            "This JVM does not say how its thread-local buffers are used, so an unused one may"
                + " count for the object that follows it: small objects of threads that allocate"
                + " seldom may be estimated up to 1,000 times too many."),

    SHARED_RANDOM(
            "shared-random",
            "All threads of a JVM draw from one random generator that each new thread seeds anew,"
                    + " so short-lived threads vary more than the errors say."),

    Z_MAJOR(
            "zgc-major-only",
            "Generational ZGC clears weak references in major collections only, so the live"
                    + " figures are those of the last major collection."),

    EPSILON("epsilon", "Epsilon never collects, so everything stays unconfirmed."),

    GC_NOT_DONE(
            "gc-not-observed",
            "A collection was requested but none was observed, so the live figures are those of"
                    + " an earlier collection."),

    NO_CANARY(
            "heap-nearly-full",
            "The heap was nearly full, garbage included, so HeapSampler did not allocate the small"
                    + " object that tells it of a collection, and new objects stay unconfirmed. A"
                    + " snapshot with afterGc() confirms them."),

    BORN_OLD(
            "born-old",
            "Some unconfirmed objects are large enough to be born in the old generation, where only"
                    + " a collection forced by a snapshot confirms them."),

    SMALL_BORN_OLD(
            "born-old-small",
            "Serial and Parallel may allocate a small object in the old generation while the young"
                + " one is full, for example during a JNI critical section. It then counts as live"
                + " until a full collection. A snapshot with afterGc() forces one."),

    KEPT_BY_G1(
            "kept-by-g1",
            "G1 keeps a tracked object of half a region or more until it has marked the heap,"
                + " though a young collection frees such an array at once where no weak reference"
                + " points to it: a sixteenth of the maximum heap at most, and none where"
                + " maxTracked is 0."),

    MISMATCHES(
            "stack-mismatch",
            "A stack that was looked up, or a name that was read, differed from the JVM's own, so"
                + " lookups were given up; up to 1 in 1,024 of the stacks and 1 in 64 of the names"
                + " before were compared, so others may be wrong until reset()."),

    FIRST_DROPPED(
            "first-samples-dropped",
            "{} first samples of threads were dropped, since they may stem from before sampling"
                + " began (JDK 25 and later) or from another agent; what each of these threads had"
                + " allocated by then, about one interval, is missing: about {} % of all."),

    HELD_BY_G1(
            "thinned-large",
            "Of objects of half a region or more only a part is tracked, since G1 keeps those until"
                + " it has marked the heap, and each weighs more, so their live figures have larger"
                + " errors; what is unconfirmed of them may be more than the heap until a"
                + " collection is forced."),

    THINNED(
            "thinned",
            "The budget of weak references was reached: only a part of the samples is tracked and"
                    + " each weighs more, so live figures have larger errors; raise maxTracked for"
                    + " more."),

    HELD(
            "thinned-held",
            "Generational ZGC keeps a tracked object, with all that it refers to, until the next"
                + " major collection, so only a part of the samples is tracked and live figures"
                + " have larger errors: kept garbage shall stay below 1 % of the maximum heap, at"
                + " 16 KiB or its own size an object; where objects refer to more, lower"
                + " maxTracked."),

    OTHER_SITES(
            "tables-full",
            "A table was full, so some samples have a shorter stack, only a class, or the site"
                    + " \"(other)\"; raise maxStacks, maxNames or maxSites."),

    NO_TABLES(
            "tables-not-renewed",
            "A table was nearly full, and native memory was too short for a new one, so new code"
                    + " and threads may stay without names. Give the process more native memory, or"
                    + " lower maxStacks, maxNames or maxSites."),

    STUCK(
            "thread-stuck",
            "A thread has been learning a stack for more than 10 s, perhaps suspended by a"
                + " debugger. Four such threads keep HeapSampler from learning new stacks, which"
                + " makes samples more expensive. Resume the thread."),

    OTHER_THREADS(
            "threads-full",
            "The table of threads was full, or half full of virtual threads, so some samples are"
                    + " counted at the thread \"(other)\"; raise maxThreads."),

    OTHER_LABELS(
            "labels-full",
            "There was no room for labels {} times. Samples without room are counted at the labels"
                + " \"(other)\". If more than about a million virtual threads have open scopes,"
                + " some lose their labels. Each of these scopes counts as well. Use labels with"
                + " few different values: ids do not belong in labels."),

    FILTERED(
            "filtered",
            "Only samples that match a filter are in this snapshot. Allocations are not counted by"
                + " thread and label together, so it has no figures by thread. Drops are counted"
                + " for all samples."),

    NO_STACK(
            "no-stack",
            "The JVM gave no stack for some samples, which are counted with an empty one."),

    NO_REFERENCE(
            "no-reference",
            "The JVM gave no weak reference for some samples, so live figures are too low by"
                    + " these."),

    VALUE_OBJECTS(
            "value-objects",
            "Value objects are counted as allocated, but they have no weak references, so live"
                    + " figures leave them out."),

    NATIVE_MEMORY(
            "native-memory",
            "Native memory ran out, so some samples are missing and all figures are too low by"
                    + " these."),

    TRUNCATED("truncated", "Some stacks were deeper than maxDepth and are cut."),

    UNKNOWN_CAUSES(
            "unknown-drop-cause",
            "Some samples were dropped for causes that this version of HeapSampler does not know;"
                    + " read the snapshot with the version that wrote it."),

    HOLDERS_UNREAD(
            "holders-unread",
            "The snapshot has an answer about holders of version {}, which this version of"
                    + " HeapSampler does not read; read the snapshot with the version that wrote"
                    + " it."),

    GROWTH_UNSEEN(
            "smallest-growth",
            "A site is listed from about {} new samples on: at this sampling interval, growth of a"
                + " site below about {} mostly goes unseen. To see a growth of {}, use an interval"
                + " of {}; for others see HeapGrowth.intervalToSee(bytes)."),

    GROWTH_IN_SAMPLES(
            "smallest-growth",
            "A site is listed from about {} new samples on. Samples were not chosen by bytes, so no"
                    + " number of bytes says which growth goes unseen."),

    NOT_AFTER_GC(
            "not-after-gc",
            "Not all snapshots were taken after a forced collection, so objects that are dead by"
                    + " now may count as growth, and young ones do not count yet; use"
                    + " SnapshotOptions.afterGc().");

    private static final String FIGURE = "{}";

    private final String id;
    private final String text;

    NoteText(String id, String text) {
        this.id = id;
        this.text = text;
    }

    /** Returns how many figures the text has. */
    int figures() {
        return text.split("\\{}", -1).length - 1;
    }

    /**
     * Returns the note with these figures, one for each {@code {}}. Uses no formatter: a snapshot
     * may be taken while the heap is full, and a JVM that could not initialise its locale data then
     * formats nothing any more.
     */
    public Note with(Object... figures) {
        StringBuilder filled = new StringBuilder();
        int from = 0;
        for (Object figure : figures) {
            int at = text.indexOf(FIGURE, from);
            filled.append(text, from, at).append(figure);
            from = at + FIGURE.length();
        }
        return Note.of(id, filled.append(text, from, text.length()).toString());
    }
}
