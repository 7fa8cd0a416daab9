// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.lang.management.ManagementFactory;

/**
 * The time of the timeline: milliseconds since 1970 as they were when the doctor began, and from
 * there by the clock that nobody sets. Notifications count from the moment at which the JVM was
 * ready, some tenths of a second after it began, from which its uptime counts; {@code
 * RuntimeMXBean.getStartTime()} is that moment. Immutable.
 */
final class VmClock {

    /** No JVM takes longer to get ready; what says so tells of a wall clock that was set. */
    private static final long LONGEST_START = 60_000;

    /** The wall time at which the JVM began. */
    private final long start;

    /** The wall time at which it was ready. */
    private final long ready;

    VmClock() {
        this.start = System.currentTimeMillis() - uptime();
        long took = ManagementFactory.getRuntimeMXBean().getStartTime() - start;
        this.ready = took >= 0 && took <= LONGEST_START ? start + took : start;
    }

    private static long uptime() {
        return ManagementFactory.getRuntimeMXBean().getUptime();
    }

    /** Returns the time now. */
    long now() {
        return start + uptime();
    }

    /** Returns the time of a notification, which is so long after the JVM was ready. */
    long at(long millisSinceReady) {
        return ready + millisSinceReady;
    }
}
