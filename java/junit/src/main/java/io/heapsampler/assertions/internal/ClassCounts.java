// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * How the live objects of each class in the whole JVM have grown over the runs of a trial: a second
 * witness that knows the objects that were there before. Where newer objects take the place of
 * older ones, it stands still. Only what happens during the runs counts, not between them.
 */
final class ClassCounts {

    /** What is known of a class. Kept from count to count, so that keeping it adds to none. */
    private static final class Entry {

        private final LiveSeries series;
        private long objects;
        private long bytes;
        private long newObjects;
        private long newBytes;
        private double moreObjects;
        private double moreBytes;

        Entry(int looks) {
            series = new LiveSeries(looks);
        }

        void take(boolean isGrowth) {
            if (isGrowth) {
                moreObjects += newObjects - objects;
                moreBytes += newBytes - bytes;
            }
            objects = newObjects;
            bytes = newBytes;
            newObjects = 0;
            newBytes = 0;
        }
    }

    private final int most;

    /** By the names of the JVM. */
    private final Map<String, Entry> entries = new HashMap<>();

    private boolean isAvailable = true;

    /**
     * Has counted nothing yet.
     *
     * @param most how many looks there can be
     */
    ClassCounts(int most) {
        this.most = most;
        before();
        before(); // counts what the first count has made
    }

    /**
     * To be called before a run, if something else has happened since the last one.
     *
     * @return can the JVM tell?
     */
    boolean before() {
        return count(false);
    }

    /**
     * To be called after one run, or after several between which nothing happened.
     *
     * @return can the JVM tell?
     */
    boolean after() {
        return count(true);
    }

    private boolean count(boolean isGrowth) {
        isAvailable = isAvailable && ClassHistogram.take(this::add);
        for (Entry entry : entries.values()) {
            entry.take(isGrowth);
        }
        return isAvailable;
    }

    private void add(String rawName, long objects, long bytes) {
        Entry entry = entries.get(rawName);
        if (entry == null) {
            entry = new Entry(most);
            entries.put(rawName, entry);
        }
        entry.newObjects += objects; // one of several class loaders
        entry.newBytes += bytes;
    }

    /** Keeps the counts of this moment as those of a look. */
    void mark(int look) {
        for (Entry entry : entries.values()) {
            entry.series.add(look, entry.moreObjects, entry.moreBytes);
        }
    }

    /** Could the JVM tell them each time? */
    boolean isAvailable() {
        return isAvailable;
    }

    /** Returns the series of each class, by the name that samples have. */
    Map<String, LiveSeries> byName() {
        Map<String, LiveSeries> byName = new TreeMap<>();
        entries.forEach(
                (rawName, entry) ->
                        byName.merge(
                                ClassHistogram.javaName(rawName), entry.series, LiveSeries::plus));
        return byName;
    }
}
