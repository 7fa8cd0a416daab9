// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.util.List;
import java.util.Map;

/**
 * An event of the JVM that adds details to the notifications: a call of {@code System.gc()} with
 * its caller, a failed evacuation, an allocation that stalled, a phase of a pause.
 *
 * @param type such as {@code SystemGC}
 * @param atMillis when it began, milliseconds since 1970
 * @param durationMillis how long it took; 0 for an instant
 * @param values what rules use: {@code name} of a phase
 * @param stack the frames, leaf first, as {@code Class.method:line}; may be empty
 */
record JvmEvent(
        String type,
        long atMillis,
        double durationMillis,
        Map<String, String> values,
        List<String> stack) {

    /** The type of a snapshot that the doctor took. */
    static final String OWN_SNAPSHOT = "OwnSnapshot";

    /** The type of a thread that ran native code while collections waited for such code. */
    static final String NATIVE_CALL = "NativeCall";

    JvmEvent {
        values = Map.copyOf(values);
        stack = List.copyOf(stack);
    }

    /**
     * Returns whether a pause began during this event, as one does that the event caused.
     *
     * @param clocksMillis by how much the clocks of events and of collections may differ
     */
    boolean contains(GcEvent pause, long clocksMillis) {
        return pause.atMillis() >= atMillis - clocksMillis
                && pause.atMillis() <= atMillis + durationMillis + clocksMillis;
    }

    /** The same for a snapshot of the doctor's. */
    boolean hasCaused(GcEvent pause) {
        return type.equals(OWN_SNAPSHOT) && contains(pause, 20);
    }
}
