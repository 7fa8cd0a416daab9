// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import io.heapsampler.DropCause;
import io.heapsampler.internal.holders.HeldPaths;
import io.heapsampler.internal.shared.BlockBuilder;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The content of a snapshot block as arrays, checked: no index in it leads outside. Written by
 * {@link SnapshotDecoder}, then only read, by many threads.
 */
public final class SnapshotData {

    /** The name of what had no room of its own. */
    public static final String OTHER = "(other)";

    /** Index that stands for "none". */
    static final int NONE = -1;

    static final int FRAME_FIELDS = 7;

    /** The first fields of a frame are indexes of names. */
    static final int FRAME_NAMES = 5;

    static final int TIME_BUCKETS = 32;
    static final int LIFETIME_BUCKETS = 48;

    long[] info = new long[Info.count()];
    long[] drops = new long[0];
    String[] names = new String[0];
    int[] frames = new int[0];
    int[] stackStarts = new int[1];
    int[] stackFrames = new int[0];
    boolean[] stackTruncated = new boolean[0];
    int[] siteStacks = new int[0];
    int[] siteClasses = new int[0];
    int[] rowLifetimes = new int[0];

    /** Of which entries in SITES the sites are made. */
    SiteRows rows = SiteRows.unlabelled(0);

    /** Traces in which rows have allocated. */
    SiteExamples examples = SiteExamples.none();

    /** Samples found before the samples of a site, for each; empty in older blocks. */
    long[] siteFound = new long[0];

    /** Intervals passed to find them; 0 if that is not known. */
    double[] sitePassed = new double[0];

    long[] threadIds = new long[0];
    int[] threadNames = new int[0];
    long[] deaths = new long[0];
    double[] lifetimes = new double[0];

    /** The block that all this was read from. */
    byte[] block = new byte[0];

    /** The samples. */
    public SampleColumns samples = new SampleColumns(0, 0);

    /** The answer about holders that is kept with this snapshot; null without one. */
    @Nullable HeldPaths held;

    /** The version of an answer about holders that was not read; −1: there is none. */
    int unreadHeldVersion = -1;

    private @Nullable Aggregates aggregates;

    /** First entry per site in {@link #samplesBySite}; made on first use. */
    private int @Nullable [] siteStarts;

    private int @Nullable [] samplesBySite;

    SnapshotData() {}

    /**
     * Returns the content of a snapshot of nothing, taken now.
     *
     * @param nowMicros µs since 1970
     * @param interval bytes
     * @param collector ordinal of {@link io.heapsampler.GarbageCollector}
     * @param feature Java feature version
     */
    public static SnapshotData empty(long nowMicros, int interval, int collector, int feature) {
        SnapshotData data = new SnapshotData();
        data.info[Info.STARTED_AT.ordinal()] = nowMicros;
        data.info[Info.TAKEN_AT.ordinal()] = nowMicros;
        data.info[Info.INTERVAL.ordinal()] = interval;
        data.info[Info.COLLECTOR.ordinal()] = collector;
        data.info[Info.FEATURE.ordinal()] = feature;
        data.block = new BlockBuilder().numbers(SnapshotDecoder.TAG_INFO, 1, data.info).block();
        data.finish(new Tally(0), new Tally(0));
        return data;
    }

    void finish(Tally allocatedByRow, Tally allocatedByThread) {
        aggregates = Aggregates.of(this, allocatedByRow, allocatedByThread);
    }

    /** Of which entries in SITES the sites are made, and their labels. */
    public SiteRows rows() {
        return rows;
    }

    /** Traces in which rows have allocated. */
    public SiteExamples examples() {
        return examples;
    }

    /** The block that all this was read from; not to be changed. */
    public byte[] block() {
        return block;
    }

    /** The answer about holders that is kept with this snapshot; null without one. */
    public @Nullable HeldPaths held() {
        return held;
    }

    /** One entry of INFO. */
    public long info(Info entry) {
        return info[entry.ordinal()];
    }

    /** Returns whether a flag of INFO is set. */
    public boolean hasFlag(long flag) {
        return (info(Info.FLAGS) & flag) != 0;
    }

    /**
     * The count of a cause, by the ordinal of {@link io.heapsampler.DropCause}; 0 if the block does
     * not know the cause.
     */
    public long dropped(int cause) {
        return cause < drops.length ? drops[cause] : 0;
    }

    /** How much was dropped for causes that a later version has named. */
    public long droppedForUnknownCauses() {
        long sum = 0;
        for (int cause = DropCause.values().length; cause < drops.length; cause++) {
            sum += drops[cause];
        }
        return sum;
    }

    /** The sums. */
    public Aggregates aggregates() {
        return Objects.requireNonNull(aggregates, "not finished");
    }

    /** The number of frames. */
    public int frameCount() {
        return frames.length / FRAME_FIELDS;
    }

    /**
     * A text of a frame.
     *
     * @param field 0 class, 1 raw class, 2 method, 3 descriptor, 4 source file (empty: unknown)
     */
    public String frameText(int frame, int field) {
        return names[frames[frame * FRAME_FIELDS + field]];
    }

    /** The line of a frame, or −1. */
    public int frameLine(int frame) {
        return frames[frame * FRAME_FIELDS + 5];
    }

    /** The flags of a frame: 1 native, 2 hidden class. */
    public int frameFlags(int frame) {
        return frames[frame * FRAME_FIELDS + 6] & 0xFFFF;
    }

    /** The first line of the method of a frame; 0 if it is not known. */
    public int frameFirstLine(int frame) {
        return frames[frame * FRAME_FIELDS + 6] >>> 16;
    }

    /** The number of sites. */
    public int siteCount() {
        return siteStacks.length;
    }

    /** Returns whether a site stands for those that had no room. */
    public boolean siteIsOther(int site) {
        return siteStacks[site] == NONE;
    }

    /** Returns whether frames were cut from the stack of a site. */
    public boolean siteTruncated(int site) {
        return siteStacks[site] != NONE && stackTruncated[siteStacks[site]];
    }

    /** The frames of a site, leaf first: how many. */
    public int siteDepth(int site) {
        int stack = siteStacks[site];
        return stack == NONE ? 0 : stackStarts[stack + 1] - stackStarts[stack];
    }

    /** The frame of a site at a depth, 0 for the leaf. */
    public int siteFrame(int site, int depth) {
        return stackFrames[stackStarts[siteStacks[site]] + depth];
    }

    /** All frames of a site, leaf first. */
    public int[] siteFrames(int site) {
        int stack = siteStacks[site];
        return stack == NONE
                ? new int[0]
                : Arrays.copyOfRange(stackFrames, stackStarts[stack], stackStarts[stack + 1]);
    }

    /** The class of a site. */
    public String siteClassName(int site) {
        int name = siteClasses[site];
        String text = name == NONE ? "" : names[name];
        return text.isEmpty() ? OTHER : text;
    }

    /** Sampled deaths at some rows of SITES. */
    public long deaths(int[] ofRows) {
        long sum = 0;
        for (int row : ofRows) {
            sum = rowLifetimes[row] == NONE ? sum : Tally.sum(sum, deaths[rowLifetimes[row]]);
        }
        return sum;
    }

    /** The lifetimes of the dead of some rows: 32 buckets by time, then 16 by collections. */
    public double[] lifetimes(int[] ofRows) {
        double[] sum = new double[LIFETIME_BUCKETS];
        for (int row : ofRows) {
            int from = rowLifetimes[row] * LIFETIME_BUCKETS;
            for (int i = 0; i < LIFETIME_BUCKETS && rowLifetimes[row] != NONE; i++) {
                sum[i] += lifetimes[from + i];
            }
        }
        return sum;
    }

    /** The number of threads. */
    public int threadCount() {
        return threadIds.length;
    }

    /** The id of a thread; −1 for "(other)". */
    public long threadId(int thread) {
        return thread == SampleColumns.NO_THREAD ? -1 : threadIds[thread];
    }

    /** The name of a thread. */
    public String threadName(int thread) {
        if (thread == SampleColumns.NO_THREAD) {
            return OTHER;
        }
        String name = names[threadNames[thread]];
        return name.isEmpty() && threadIds[thread] < 0 ? OTHER : name;
    }

    /** The samples of a site, by index, in ascending order. */
    public synchronized int[] samplesOfSite(int site) {
        if (siteStarts == null || samplesBySite == null) {
            int[] starts = new int[siteCount() + 1];
            for (int i = 0; i < samples.count; i++) {
                starts[samples.site[i] + 1]++;
            }
            for (int i = 0; i < siteCount(); i++) {
                starts[i + 1] += starts[i];
            }
            int[] next = starts.clone();
            int[] order = new int[samples.count];
            for (int i = 0; i < samples.count; i++) {
                order[next[samples.site[i]]++] = i;
            }
            siteStarts = starts;
            samplesBySite = order;
        }
        return Arrays.copyOfRange(samplesBySite, siteStarts[site], siteStarts[site + 1]);
    }
}
