// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.time.Instant;
import java.util.List;

/**
 * A period of the JVM, second by second, with each collection in it, all oldest first. Rules are
 * functions of a timeline, so a recorded one can be judged again.
 *
 * @param ticks the state of the JVM; older ones may be further apart than a second
 * @param collections the notifications of the collectors
 * @param events details from other sources; empty if there are none
 * @param completeFromMillis the time from which no collection is missing, milliseconds since 1970;
 *     earlier, only {@linkplain CollectionKind#isOld() old collections} are kept
 * @param ahead by how many milliseconds the wall clock is ahead of all these times
 */
record Timeline(
        JvmSettings settings,
        List<Tick> ticks,
        List<GcEvent> collections,
        List<JvmEvent> events,
        long completeFromMillis,
        long ahead) {

    Timeline {
        ticks = List.copyOf(ticks);
        collections = List.copyOf(collections);
        events = List.copyOf(events);
    }

    /** Makes a complete timeline. */
    Timeline(
            JvmSettings settings,
            List<Tick> ticks,
            List<GcEvent> collections,
            List<JvmEvent> events) {
        this(settings, ticks, collections, events, Long.MIN_VALUE, 0);
    }

    /** Returns a time of this timeline as the wall clock shows it now. */
    Instant shown(long millis) {
        return Instant.ofEpochMilli(millis + ahead);
    }
}
