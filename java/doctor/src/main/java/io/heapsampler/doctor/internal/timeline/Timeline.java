// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.timeline;

import java.util.List;

/**
 * A period of the JVM, second by second, with each collection in it. Rules are functions of a
 * timeline, so a recorded one can be judged again.
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @param settings the settings of the JVM
 * @param ticks the state of the JVM, oldest first; older ones may be further apart than a second
 * @param collections the notifications of the collectors, oldest first
 * @param events the events of Flight Recorder, oldest first; empty if the JVM does not have it
 * @param beans collections without a notification, for each collector
 * @param completeFromMillis the time from which no collection is missing, milliseconds since 1970;
 *     earlier, only {@linkplain CollectionKind#isOld() old collections} are kept
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
     * @param settings the settings of the JVM
     * @param ticks the state of the JVM
     * @param collections the notifications of the collectors
     * @param events the events of Flight Recorder
     * @param beans collections without a notification
     * @param completeFromMillis the time from which no collection is missing
     */
    public Timeline {
        ticks = List.copyOf(ticks);
        collections = List.copyOf(collections);
        events = List.copyOf(events);
        beans = List.copyOf(beans);
    }

    /**
     * Makes a complete timeline.
     *
     * @param settings the settings of the JVM
     * @param ticks the state of the JVM
     * @param collections the notifications of the collectors
     * @param events the events of Flight Recorder
     */
    public Timeline(
            JvmSettings settings,
            List<Tick> ticks,
            List<GcEvent> collections,
            List<JvmEvent> events) {
        this(settings, ticks, collections, events, List.of(), Long.MIN_VALUE);
    }
}
