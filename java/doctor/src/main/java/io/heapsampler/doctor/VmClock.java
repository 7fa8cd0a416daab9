// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.lang.management.ManagementFactory;

/**
 * The time of the timeline: milliseconds since 1970 as they were when the doctor began, and from
 * there by the clock that nobody sets. Notifications tell their time since the start of the JVM, so
 * both have one origin. Immutable.
 */
final class VmClock {

    /** The wall time at which the JVM started. */
    private final long start;

    VmClock() {
        this.start = System.currentTimeMillis() - uptime();
    }

    private static long uptime() {
        return ManagementFactory.getRuntimeMXBean().getUptime();
    }

    /** Returns the time now. */
    long now() {
        return start + uptime();
    }

    /** Returns the time that is so long after the start of the JVM. */
    long at(long millisSinceStart) {
        return start + millisSinceStart;
    }
}
