// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

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

    /** Counts with no run between. */
    static final int IDLE_COUNTS = 6;

    private final int most;

    /** By the names of the JVM. */
    private final Map<String, Entry> entries = new HashMap<>();

    private final Map<String, LiveSeries> idle = new HashMap<>();

    private boolean isAvailable = true;
    private boolean isApart;

    /**
     * Counts once, so that what counting keeps is there before the first look. No figure of that
     * look is compared with an earlier one.
     *
     * @param most how many looks there can be
     */
    ClassCounts(int most) {
        this.most = most;
        count(false);
    }

    /**
     * To be called before a run, if something else has happened since the last one.
     *
     * @return can the JVM tell?
     */
    boolean before() {
        isApart = true;
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
        isAvailable = isAvailable && JvmCommand.countObjects(this::add);
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

    /**
     * Counts some classes while the code does not run, to see which of them change by themselves.
     *
     * @param names the names that samples have; what was counted before is not counted again
     * @param pauseNanos between two counts: about as long as a run takes, since other threads free
     *     as much in a pause as they do in a run that is as long
     * @return was there something to count?
     */
    boolean countIdle(Set<String> names, long pauseNanos) {
        Map<String, LiveSeries> counts = new HashMap<>();
        names.forEach(name -> counts.put(name, new LiveSeries(IDLE_COUNTS)));
        counts.keySet().removeAll(idle.keySet());
        for (int i = 0; i < IDLE_COUNTS && isAvailable && !counts.isEmpty(); i++) {
            if (i > 0) {
                LockSupport.parkNanos(pauseNanos);
            }
            int number = i;
            isAvailable =
                    JvmCommand.countObjects(
                            (rawName, objects, bytes) -> {
                                LiveSeries ofClass = counts.get(JvmCommand.javaName(rawName));
                                if (ofClass != null) {
                                    ofClass.add(number, (double) objects, (double) bytes);
                                }
                            });
        }
        idle.putAll(counts);
        return !counts.isEmpty() && count(false);
    }

    /** Returns the counts of a class while the code did not run; null if there are none. */
    @Nullable LiveSeries idle(String name) {
        return idle.get(name);
    }

    /** Was there a run before which something else happened, so that windows do not join? */
    boolean isApart() {
        return isApart;
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
                        byName.merge(JvmCommand.javaName(rawName), entry.series, LiveSeries::plus));
        return byName;
    }
}
