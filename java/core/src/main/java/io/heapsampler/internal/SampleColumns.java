// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

/**
 * The samples of a snapshot, one array per property: first those alive, in the order of the block,
 * then the dead, oldest death first. Written by {@link SnapshotDecoder}, then only read.
 */
public final class SampleColumns {

    /** Index into the threads that stands for "(other)". */
    public static final int NO_THREAD = -1;

    /** A place that is not known. */
    public static final int NO_PLACE = -1;

    /** The number of samples that are not dead. */
    public final int living;

    /** The number of all samples. */
    public final int count;

    /** The row of each sample, see {@link SiteRows}. */
    final int[] row;

    /** The same array while there are no labels. */
    int[] site;

    final int[] thread;
    final long[] size;
    final long[] allocatedMicros;

    /** See {@link Tally#chance}. */
    final int[] drawn;

    final byte[] thinning;
    final byte[] liveness;
    final int[] survived;
    final long[] lastSeenMicros;
    final long[] foundDeadMicros;

    /** By living sample; of length 0 where it is not known. */
    byte[] reach = {};

    /** By living sample; of length 0 where it is not known. */
    int[] places = {};

    SampleColumns(int living, int dead) {
        this.living = living;
        this.count = Math.addExact(living, dead);
        row = new int[count];
        site = row;
        thread = new int[count];
        size = new long[count];
        allocatedMicros = new long[count];
        drawn = new int[count];
        thinning = new byte[count];
        liveness = new byte[count];
        survived = new int[count];
        lastSeenMicros = new long[dead];
        foundDeadMicros = new long[dead];
    }

    /** Index of the site of sample {@code i}. */
    public int site(int i) {
        return site[i];
    }

    /** The row of sample {@code i}, see {@link SiteRows}. */
    public int row(int i) {
        return row[i];
    }

    /** Index of the thread of sample {@code i}, or {@link #NO_THREAD}. */
    public int thread(int i) {
        return thread[i];
    }

    /** Bytes of sample {@code i}. */
    public long size(int i) {
        return size[i];
    }

    /** When sample {@code i} was allocated, in µs since 1970. */
    public long allocatedMicros(int i) {
        return allocatedMicros[i];
    }

    /** The chance with which sample {@code i} was taken and kept. */
    public double chance(int i) {
        return Tally.chance(size[i], drawn[i], thinning[i]);
    }

    /** The chance with which sample {@code i} was taken. */
    public double chanceToBeTaken(int i) {
        return Tally.chance(size[i], drawn[i], 0);
    }

    /** Interval with which sample {@code i} was drawn; below 0 where it was drawn by chance. */
    public int interval(int i) {
        return drawn[i];
    }

    /** Sample {@code i} was kept with 2 to the power of minus this. */
    public int thinning(int i) {
        return thinning[i];
    }

    /** Ordinal of the {@link io.heapsampler.Liveness} of sample {@code i}. */
    public int liveness(int i) {
        return liveness[i];
    }

    /** Number of the {@link io.heapsampler.internal.shared.HeapReach} of sample {@code i}. */
    public int reach(int i) {
        return i < reach.length ? Byte.toUnsignedInt(reach[i]) : 0;
    }

    /**
     * The place of the living sample {@code i} in the table of live objects, an unsigned number;
     * {@link #NO_PLACE} if it is not known. It counts only in the process that made the snapshot.
     */
    public int place(int i) {
        return i < places.length ? places[i] : NO_PLACE;
    }

    /** Collections that sample {@code i} survived. */
    public int survived(int i) {
        return survived[i];
    }

    /** When the dead sample {@code i} was last seen alive, in µs since 1970. */
    public long lastSeenMicros(int i) {
        return lastSeenMicros[i - living];
    }

    /** When the dead sample {@code i} was found dead, in µs since 1970. */
    public long foundDeadMicros(int i) {
        return foundDeadMicros[i - living];
    }
}
