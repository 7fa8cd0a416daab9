// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.assertions.internal.ClassHistogram.Count;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How the live objects of each class in the whole JVM have grown over the runs of a trial: a second
 * witness that knows the objects that were there before. Where newer objects take the place of
 * older ones, it stands still. Only what happens during the runs counts, not between them.
 */
final class ClassCounts {

    private static final Count NONE = new Count(0, 0);

    /** What is known of a class. Kept from count to count, so that keeping it adds to none. */
    private static final class Entry {

        private final LiveSeries series;
        private long objects;
        private long bytes;
        private double moreObjects;
        private double moreBytes;

        Entry(int looks) {
            series = new LiveSeries(looks);
        }

        void set(Count count, boolean isGrowth) {
            if (isGrowth) {
                moreObjects += count.objects() - objects;
                moreBytes += count.bytes() - bytes;
            }
            objects = count.objects();
            bytes = count.bytes();
        }
    }

    private final int most;
    private final Map<String, Entry> entries = new TreeMap<>();
    private boolean isAvailable = true;

    /**
     * Has counted nothing yet.
     *
     * @param most how many looks there can be
     */
    ClassCounts(int most) {
        this.most = most;
        before();
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
        Map<String, Count> counts = isAvailable ? ClassHistogram.take() : null;
        isAvailable = counts != null;
        if (counts != null) {
            counts.keySet().forEach(name -> entries.computeIfAbsent(name, key -> new Entry(most)));
            entries.forEach(
                    (name, entry) -> entry.set(counts.getOrDefault(name, NONE), isGrowth));
        }
        return isAvailable;
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

    /** Returns what is known of a class; null if nothing. */
    @Nullable LiveSeries of(String className) {
        Entry entry = isAvailable ? entries.get(ClassHistogram.withoutNumber(className)) : null;
        return entry == null ? null : entry.series;
    }

    List<String> classes() {
        return new ArrayList<>(entries.keySet());
    }
}
