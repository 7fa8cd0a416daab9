// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * The runs of a trial that looks at the heap between them: their number, their time, and how many
 * are left until the next look. If the first looks leave a question open, later runs follow, which
 * take two seconds or as long as all runs before, as {@link RunTime} counts it. Used by one thread.
 */
final class TrialRuns {

    private static final long PATIENCE_NANOS = 2_000_000_000L;

    private final long patienceNanos;
    private final RunTime time = new RunTime();
    private int count;

    /** Runs until the next look. */
    private int left;

    /** Later runs between two looks. */
    private int distance;

    /** The maximum of the counted time, in nanoseconds. */
    private long patience = Long.MAX_VALUE;

    /**
     * No run yet.
     *
     * @param runs until the first look
     */
    TrialRuns(int runs) {
        this(runs, PATIENCE_NANOS);
    }

    /** With another time in place of the two seconds. */
    TrialRuns(int runs, long patienceNanos) {
        this.left = runs;
        this.patienceNanos = patienceNanos;
    }

    /** Runs the code once more. */
    void run(Subject subject) throws Throwable {
        time.begin();
        subject.run();
        time.end();
        count++;
        left--;
    }

    int count() {
        return count;
    }

    /** Returns the mean time of a run. */
    long meanNanos() {
        return time.passed() / count;
    }

    /** Sets the number of runs until the next look. */
    void lookAfter(int runs) {
        left = runs;
    }

    boolean isLookDue() {
        return left == 0;
    }

    /** Begins the later runs. */
    void beginLater() {
        distance = LeakRule.distance(count);
        patience = time.counted() + Math.max(patienceNanos, time.counted());
        lookLater();
    }

    /** The next look follows at the distance of the later ones. */
    void lookLater() {
        left = distance;
    }

    /** Have the later runs used up their time? */
    boolean isLate() {
        return time.counted() > patience;
    }

    /**
     * The time of runs, as a limit on it counts. A busy machine makes each run wait, and fewer runs
     * would show less, so waiting counts a quarter: a run counts its thread's processor time, or a
     * quarter of the elapsed time if that is more. If the JVM does not report the processor time,
     * as on a virtual thread, all of the elapsed time counts. Not thread-safe.
     */
    static final class RunTime {

        private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
        private static final int WAITING = 4;

        private long beginNanos;
        private long beginCpuNanos;
        private long passed;
        private long counted;

        /** A run begins on this thread. */
        void begin() {
            beginCpuNanos = cpuNanos();
            beginNanos = System.nanoTime();
        }

        /** The run has ended, on the same thread. */
        void end() {
            long nanos = System.nanoTime() - beginNanos;
            passed += nanos;
            long cpuNanos = beginCpuNanos < 0 ? nanos : cpuNanos() - beginCpuNanos;
            counted += Math.min(nanos, Math.max(cpuNanos, nanos / WAITING));
        }

        /** Returns the elapsed nanoseconds of all runs. */
        long passed() {
            return passed;
        }

        /** Returns the nanoseconds that count: no more than passed, and no less than a quarter. */
        long counted() {
            return counted;
        }

        private static long cpuNanos() {
            try {
                return THREADS.getCurrentThreadCpuTime();
            } catch (UnsupportedOperationException e) {
                return -1;
            }
        }
    }
}
