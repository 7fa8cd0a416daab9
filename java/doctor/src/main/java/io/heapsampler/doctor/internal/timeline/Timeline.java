// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.timeline;

import java.util.List;

/**
 * A period of the JVM, second by second, with each collection in it, all oldest first. Rules are
 * functions of a timeline, so a recorded one can be judged again.
 *
 * @param ticks the state of the JVM; older ones may be further apart than a second
 * @param collections the notifications of the collectors
 * @param events details from other sources; empty if there are none
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

    public Timeline {
        ticks = List.copyOf(ticks);
        collections = List.copyOf(collections);
        events = List.copyOf(events);
        beans = List.copyOf(beans);
    }

    /** Makes a complete timeline. */
    public Timeline(
            JvmSettings settings,
            List<Tick> ticks,
            List<GcEvent> collections,
            List<JvmEvent> events) {
        this(settings, ticks, collections, events, List.of(), Long.MIN_VALUE);
    }
}
