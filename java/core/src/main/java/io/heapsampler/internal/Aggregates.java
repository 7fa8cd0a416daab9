// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import java.util.HashMap;
import java.util.Map;

/**
 * Sums over the samples of a snapshot per site, class and thread, formed in one pass over the
 * samples. Immutable once built.
 */
public final class Aggregates {

    /** The names of the classes, each once. */
    public final String[] classNames;

    /** Index into {@link #classNames} of each site. */
    final int[] classOfSite;

    /**
     * Allocated, unconfirmed and live, in this order, as in {@link io.heapsampler.Liveness} from 1
     * on.
     */
    private final Tally[] byRow;

    private final Tally[] bySite;

    private final Tally[] byClass;
    private final Tally[] byThread;
    private final Tally[] total;

    private Aggregates(
            String[] classNames,
            int[] classOfSite,
            SiteRows rows,
            Tally[] byRow,
            Tally[] byThread) {
        this.classNames = classNames;
        this.classOfSite = classOfSite;
        this.byRow = byRow;
        this.bySite = new Tally[3];
        this.byThread = byThread;
        this.byClass = new Tally[3];
        this.total = new Tally[3];
        int[] all = new int[classOfSite.length];
        for (int kind = 0; kind < 3; kind++) {
            bySite[kind] =
                    rows.count() == classOfSite.length
                            ? byRow[kind]
                            : byRow[kind].regroup(rows.siteOfRow(), classOfSite.length);
            byClass[kind] = bySite[kind].regroup(classOfSite, classNames.length);
            total[kind] = bySite[kind].regroup(all, 1);
        }
    }

    static Aggregates of(SnapshotData data, Tally allocatedByRow, Tally allocatedByThread) {
        int sites = data.siteCount();
        Map<String, Integer> numbers = new HashMap<>();
        int[] classOfSite = new int[sites];
        for (int i = 0; i < sites; i++) {
            classOfSite[i] = numberOf(numbers, data.siteClassName(i));
        }
        String[] classNames = new String[numbers.size()];
        numbers.forEach((name, number) -> classNames[number] = name);

        int rows = data.rows.count();
        Tally[] byRow = {allocatedByRow, new Tally(rows), new Tally(rows)};
        int threads = data.threadCount();
        Tally[] byThread = {allocatedByThread, new Tally(threads), new Tally(threads)};
        SampleColumns samples = data.samples;
        for (int i = 0; i < samples.living; i++) {
            addLiving(samples, i, byRow, byThread);
        }
        return new Aggregates(classNames, classOfSite, data.rows, byRow, byThread);
    }

    private static int numberOf(Map<String, Integer> numbers, String name) {
        Integer known = numbers.putIfAbsent(name, numbers.size());
        return known != null ? known : numbers.size() - 1;
    }

    // A method of its own, so that it is compiled after some hundred calls and not only when the
    // loop has run for long.
    private static void addLiving(SampleColumns samples, int i, Tally[] byRow, Tally[] byThread) {
        double chance = samples.chance(i);
        int kind = 1 + samples.liveness[i];
        long size = samples.size[i];
        byRow[kind].addSample(samples.row[i], size, chance);
        if (samples.thread[i] != SampleColumns.NO_THREAD) {
            byThread[kind].addSample(samples.thread[i], size, chance);
        }
    }

    /** The kinds of sums. */
    public enum Kind {
        /** All that was allocated. */
        ALLOCATED,
        /** Unconfirmed objects. */
        UNCONFIRMED,
        /** Live objects. */
        LIVE
    }

    /** Sums per row, see {@link SiteRows}. */
    public Tally byRow(Kind kind) {
        return byRow[kind.ordinal()];
    }

    /** Sums per site. */
    public Tally bySite(Kind kind) {
        return bySite[kind.ordinal()];
    }

    /** Sums per class, numbered as {@link #classNames}. */
    public Tally byClass(Kind kind) {
        return byClass[kind.ordinal()];
    }

    /** Sums per thread. */
    public Tally byThread(Kind kind) {
        return byThread[kind.ordinal()];
    }

    /** Sums over everything, as entry 0. */
    public Tally total(Kind kind) {
        return total[kind.ordinal()];
    }
}
