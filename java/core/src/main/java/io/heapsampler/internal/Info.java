// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

/**
 * The entries of INFO in a snapshot block, by position, and its flags; see {@code
 * native/doc/snapshot-format.md}.
 */
public enum Info {
    /** Recording opened at (µs since 1970). */
    STARTED_AT,
    /** This snapshot at (µs since 1970). */
    TAKEN_AT,
    /** Time sampled (µs, pauses left out). */
    SAMPLED_MICROS,
    /** Interval of the recording (bytes). */
    INTERVAL,
    /** Interval in force (bytes). */
    INTERVAL_IN_FORCE,
    /** Collections observed since the recording opened. */
    COLLECTIONS,
    /** Samples taken. */
    SAMPLES,
    /** See the FLAG constants. */
    FLAGS,
    /** Weak references tracked. */
    TRACKED,
    /** Budget of weak references. */
    BUDGET,
    /** Native bytes in use. */
    MEMORY_USED,
    /** Native bytes at their highest. */
    MEMORY_PEAK,
    /** Frames per stack at most. */
    MAX_DEPTH,
    /** Thinning level now: candidates are kept with 2^−level. */
    THINNING,
    /** Ordinal of {@link io.heapsampler.GarbageCollector}. */
    COLLECTOR,
    /** Java feature version. */
    FEATURE,
    /** Size from which an object may be born in the old generation (bytes, 0: none). */
    BORN_OLD_BYTES,
    /** Samples found dead. */
    DEAD_SAMPLES,
    /** Interval changes. */
    INTERVAL_CHANGES,
    /** Stacks that were looked up and were not what the JVM said. */
    MISMATCHES,
    /** Bytes that the JVM counted between samples of its threads, on all recordings together. */
    COUNTED_BYTES,
    /** Bytes that these samples stand for. */
    ESTIMATED_BYTES,
    /** Variance of that sum (KiB²). */
    ESTIMATE_VARIANCE,
    /**
     * Ordinal of {@link io.heapsampler.SamplingStrategy.Kind}; 0, as in older blocks, for bytes.
     */
    STRATEGY,
    /** Allocations from one sample to the next, or microseconds; 0 for bytes. */
    STRATEGY_AMOUNT,
    /** Platform threads that began since the recording opened. */
    THREADS_BEGUN;

    /** Samples are being taken. */
    public static final long FLAG_SAMPLING = 1;

    /** A collection was requested. */
    public static final long FLAG_GC_ASKED = 2;

    /** The requested collection took place. */
    public static final long FLAG_GC_DONE = 4;

    /** In {@link #FLAGS}: samples are not tracked because they might hold too much garbage. */
    public static final long FLAG_HELD = 8;

    /** The JVM may count unused room of buffers as allocated, and does not say where. */
    public static final long FLAG_UNUSED_COUNTED = 16;

    /** The heap had no room for what tells one collection from the next. */
    public static final long FLAG_NO_CANARY = 32;

    /** A table was nearly full, and no native memory was left for the one that follows it. */
    public static final long FLAG_NO_TABLES = 64;

    /** A thread that was learning a new stack has not returned for a long time. */
    public static final long FLAG_STUCK = 128;

    /** The block has a part of the samples only; the library never sets it. */
    public static final long FLAG_FILTERED = 256;

    /**
     * Every block has this many entries. Entries added later are 0 in older blocks, and future ones
     * are skipped.
     */
    static final int FIRST_COUNT = 23;

    private static final Info[] ALL = values();

    /** The number of entries. */
    static int count() {
        return ALL.length;
    }
}
