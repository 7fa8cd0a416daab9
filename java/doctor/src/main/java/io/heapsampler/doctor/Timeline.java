// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.util.List;

/**
 * What was watched: a piece of the past, second by second, with each collection in it. Rules are
 * functions of it, so that a recorded one can be judged again.
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @param settings what the JVM was started with
 * @param ticks the state of the JVM, oldest first; older ones may be further apart than a second
 * @param collections what the collectors told, oldest first
 * @param events what Flight Recorder told, oldest first; empty where it is not there
 * @param beans what each collector's bean counted and no notification told
 * @param completeFromMillis since when no collection is missing, milliseconds since 1970; earlier,
 *     only those that {@link CollectionKind#isOld()} were kept
 */
public record Timeline(
        JvmSettings settings,
        List<Tick> ticks,
        List<GcEvent> collections,
        List<JvmEvent> events,
        List<BeanCounts> beans,
        long completeFromMillis) {
    /**
     * Copies the lists.
     *
     * @param settings what the JVM was started with
     * @param ticks the state of the JVM
     * @param collections what the collectors told
     * @param events what Flight Recorder told
     * @param beans what no notification told
     * @param completeFromMillis since when no collection is missing
     */
    public Timeline {
        ticks = List.copyOf(ticks);
        collections = List.copyOf(collections);
        events = List.copyOf(events);
        beans = List.copyOf(beans);
    }

    /**
     * Makes one from which nothing is missing.
     *
     * @param settings what the JVM was started with
     * @param ticks the state of the JVM
     * @param collections what the collectors told
     * @param events what Flight Recorder told
     */
    public Timeline(
            JvmSettings settings,
            List<Tick> ticks,
            List<GcEvent> collections,
            List<JvmEvent> events) {
        this(settings, ticks, collections, events, List.of(), Long.MIN_VALUE);
    }
}
