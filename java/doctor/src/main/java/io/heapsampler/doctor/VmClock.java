// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.lang.management.ManagementFactory;
import java.lang.management.RuntimeMXBean;
import java.util.function.LongSupplier;

/**
 * The clock of the timeline: milliseconds since 1970. It reads the wall clock when the doctor
 * starts, and then follows the monotonic clock. After the wall clock was set, or the machine has
 * slept, the two differ; {@link #ahead()} returns the difference. It is needed for displayed times.
 * Immutable.
 */
final class VmClock {

    /** No JVM takes longer to get ready; a longer time means that the wall clock was set. */
    private static final long LONGEST_START = 60_000;

    private static final RuntimeMXBean JVM = ManagementFactory.getRuntimeMXBean();

    private final LongSupplier wall;
    private final LongSupplier uptime;

    /** The wall time at which the JVM began, from which its uptime counts. */
    final long start;

    /** The wall time at which it was ready, from which notifications count. */
    private final long ready;

    VmClock() {
        this(System::currentTimeMillis, JVM::getUptime, JVM.getStartTime());
    }

    /** With clocks of one's own, for tests. */
    VmClock(LongSupplier wall, LongSupplier uptime, long readyAtWall) {
        this.wall = wall;
        this.uptime = uptime;
        this.start = wall.getAsLong() - uptime.getAsLong();
        long took = readyAtWall - start;
        this.ready = took >= 0 && took <= LONGEST_START ? readyAtWall : start;
    }

    long now() {
        return start + uptime.getAsLong();
    }

    /** Returns by how many milliseconds the wall clock is ahead of this one; below 0: behind. */
    long ahead() {
        return wall.getAsLong() - now();
    }

    /**
     * Returns the time of a collection that is over. If it seems to end in the future, the wall
     * clock was set before the doctor began.
     */
    long at(long millisSinceReady, long durationMillis) {
        return Math.min(ready + millisSinceReady, now() - durationMillis);
    }
}
