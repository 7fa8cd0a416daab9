// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The bounds of the native tables.
 *
 * @param maxDepth frames per stack
 * @param maxTracked tracked samples
 * @param maxStacks stacks
 * @param maxNames names
 * @param maxSites sites
 * @param maxThreads threads
 * @param maxDead dead samples
 */
public record Limits(
        int maxDepth,
        int maxTracked,
        int maxStacks,
        int maxNames,
        int maxSites,
        int maxThreads,
        int maxDead) {

    /** The maximum bound of any table. */
    public static final int MAX_ENTRIES = 4_194_304;

    /** The maximum bound of tracked samples: half of the native memory that there is in total. */
    public static final int MAX_TRACKED = 2_097_152;

    /** The maximum bound of dead samples. */
    public static final int MAX_DEAD = 524_288;

    /** The interval in bytes when none is given. */
    public static final int DEFAULT_INTERVAL = 512 * 1024;

    /** The interval of a holder that requests none: HS_NO_WISH. */
    public static final int NO_WISH = Integer.MAX_VALUE;

    /** The parts of the whole processor time in which a budget is counted: HS_WHOLE_SHARE. */
    public static final int WHOLE_SHARE = 1_000_000;

    /** The budget while no holder requests one: HS_DEFAULT_OVERHEAD. */
    public static final int DEFAULT_OVERHEAD = 10_000;

    private static final double LEAST_OVERHEAD = 0.0001;

    /** The value of an option that was not set. */
    public static final int UNSET = -1;

    /** Of options of which none was set. */
    public static final Limits NONE_SET =
            new Limits(UNSET, UNSET, UNSET, UNSET, UNSET, UNSET, UNSET);

    /** Returns a value, or another one if it is unset. */
    public static int or(int value, int other) {
        return value == UNSET ? other : value;
    }

    /** Returns these, with values of others in place of unset ones. */
    public Limits or(Limits others) {
        return new Limits(
                or(maxDepth, others.maxDepth),
                or(maxTracked, others.maxTracked),
                or(maxStacks, others.maxStacks),
                or(maxNames, others.maxNames),
                or(maxSites, others.maxSites),
                or(maxThreads, others.maxThreads),
                or(maxDead, others.maxDead));
    }

    // ---- With one of them set, which is refused if it is out of range ----

    public Limits withMaxDepth(int value) {
        return with(0, check("maxDepth", value, 1, 1024, null));
    }

    public Limits withMaxTracked(int value) {
        return with(1, check("maxTracked", value, 0, MAX_TRACKED, null));
    }

    public Limits withMaxStacks(int value) {
        return with(2, check("maxStacks", value, 16, MAX_ENTRIES, null));
    }

    public Limits withMaxNames(int value) {
        return with(3, check("maxNames", value, 16, MAX_ENTRIES, null));
    }

    public Limits withMaxSites(int value) {
        return with(4, check("maxSites", value, 16, MAX_ENTRIES, null));
    }

    public Limits withMaxThreads(int value) {
        return with(5, check("maxThreads", value, 16, MAX_ENTRIES, null));
    }

    public Limits withMaxDead(int value) {
        return with(6, check("maxDead", value, 16, MAX_DEAD, null));
    }

    private Limits with(int index, int value) {
        int[] all = toArray();
        all[index] = value;
        return new Limits(all[0], all[1], all[2], all[3], all[4], all[5], all[6]);
    }

    /** Returns parts of {@link #WHOLE_SHARE} as a fraction of the processor time. */
    public static double share(int parts) {
        return (double) parts / WHOLE_SHARE;
    }

    /** Returns the wish for this interval: at most one byte less than {@link #NO_WISH}. */
    public static int wish(int interval) {
        return Math.min(interval, NO_WISH - 1);
    }

    // Written out: the generated ones are linked by java.lang.runtime.ObjectMethods, which keeps
    // the
    // class that asked last, and so our class loader, alive.

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Limits that && Arrays.equals(toArray(), that.toArray());
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(toArray());
    }

    /** Returns the bounds in the order of {@link NativeBindings#configure}. */
    int[] toArray() {
        return new int[] {maxDepth, maxTracked, maxStacks, maxNames, maxSites, maxThreads, maxDead};
    }

    /**
     * Checks an interval.
     *
     * @param interval bytes
     * @return the same
     * @throws IllegalArgumentException if it is out of range
     */
    public static int checkInterval(long interval) {
        return check("interval", interval, 0, Integer.MAX_VALUE, "bytes, 0 for every allocation");
    }

    /**
     * Checks a budget.
     *
     * @param share of the processor time
     * @return in parts of {@link #WHOLE_SHARE}
     * @throws IllegalArgumentException if it is out of range
     */
    public static int checkOverhead(double share) {
        if (!(share >= LEAST_OVERHEAD && share <= 1)) {
            throw new IllegalArgumentException(
                    "maxOverhead must be from 0.0001 to 1 of the processor time, as in 0.01, but is"
                            + " "
                            + share);
        }
        return (int) Math.round(share * WHOLE_SHARE);
    }

    /**
     * Returns the budget of a holder that requests none: the value of the system property {@code
     * heapsampler.maxOverhead}; 0 if that is not valid.
     */
    static int usualOverhead() {
        String text = System.getProperty("heapsampler.maxOverhead");
        try {
            return text == null ? 0 : checkOverhead(Double.parseDouble(text));
        } catch (IllegalArgumentException e) {
            Log.debug("heapsampler.maxOverhead has no effect", e);
            return 0;
        }
    }

    /**
     * Checks that a value lies in its range.
     *
     * @param option what it is, for the message
     * @param value the value
     * @param least the minimum allowed
     * @param max the maximum allowed
     * @param unit what it counts, for the message; may be null
     * @return the value
     * @throws IllegalArgumentException if it is out of range
     */
    public static int check(String option, long value, int least, int max, @Nullable String unit) {
        if (value < least || value > max) {
            String counted = unit == null ? "" : " (" + unit + ")";
            throw new IllegalArgumentException(
                    option
                            + " must be from "
                            + least
                            + " to "
                            + max
                            + counted
                            + ", but is "
                            + value);
        }
        return (int) value;
    }
}
