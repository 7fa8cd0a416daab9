// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.holders;

import java.util.Map;

/**
 * The content of the section HELD as arrays, checked: no index in it leads outside. Written by
 * {@link HeldDecoder}, then only read, by many threads. {@code native/doc/holders.md} describes the
 * numbers.
 */
public final class HeldPaths {

    /** Outcomes of a target, apart from the causes for which a path is missing. */
    static final int HELD = 0;

    static final int OUTCOMES = 8;

    /** Steps of a path at most. */
    public static final int MAX_STEPS = 128;

    /** Kinds of root. */
    static final int ROOT_STATIC_FIELD = 1;

    static final int ROOT_THREAD = 2;
    static final int ROOT_LOCAL = 3;
    static final int ROOT_KINDS = 10;

    /** Kinds of step. */
    static final int STEP_OF_ROOT = 0;

    static final int STEP_FIELD = 1;

    static final int STEP_STATIC_FIELD = 2;
    static final int STEP_ELEMENT = 3;
    static final int STEP_KINDS = 12;

    /** Flags of a step. */
    static final int DOMINATES = 1;

    static final int SOFT = 2;
    static final int REPEATED = 4;
    static final int CUT = 8;
    static final int TO_CLASS = 16;

    int way;
    boolean hasDominators;

    /** Longest pause, all pauses, time, processor time of a child (µs); bytes; nodes; edges. */
    long[] figures = new long[7];

    String reason = "";
    String failure = "";
    String[] names = {""};

    // By target.
    int[] place = {};
    byte[] outcome = {};
    byte[] root = {};
    int[] rootClass = {};
    int[] rootName = {};
    long[] thread = {};

    /** The first step of each target, and after the last one the number of all steps. */
    int[] start = {0};

    // By step.
    byte[] kind = {};
    byte[] flags = {};
    int[] from = {};
    int[] field = {};
    int[] to = {};

    HeldAddition addition = HeldAddition.NONE;

    HeldPaths() {}

    /** 0 none, 1 in one stop, 2 in a child, 3 in short passes. */
    public int way() {
        return way;
    }

    /** Returns whether the steps say by which objects a target is dominated. */
    public boolean hasDominators() {
        return hasDominators;
    }

    /** The longest pause, in µs. */
    public long longestPauseMicros() {
        return figures[0];
    }

    /** The time of the whole call, in µs. */
    public long timeMicros() {
        return figures[2];
    }

    /** Why no other way was taken; may be empty. */
    public String reason() {
        return reason;
    }

    /** Why paths are missing, where their outcome does not say it; may be empty. */
    public String failure() {
        return failure;
    }

    /** What was chosen, in words; may be empty. */
    public String question() {
        return addition.question();
    }

    /** The number of targets that are samples. */
    public int samples() {
        int count = 0;
        for (int each : place) {
            count += each >= 0 ? 1 : 0;
        }
        return count;
    }

    /** The number of samples of which the targets were chosen at random. */
    public long matching() {
        return Math.max(addition.matching(), samples());
    }

    /** Names of threads by their ids. */
    Map<Long, String> threadNames() {
        return addition.threads();
    }
}
