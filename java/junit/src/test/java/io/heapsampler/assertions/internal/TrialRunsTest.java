// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.assertions.ThrowingRunnable;
import io.heapsampler.assertions.internal.TrialRuns.RunTime;
import java.lang.management.ManagementFactory;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class TrialRunsTest {

    private static final long WAIT_NANOS = 100_000_000;
    private static final long WORK_NANOS = 30_000_000;

    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static void park() {
        long end = System.nanoTime() + WAIT_NANOS;
        while (System.nanoTime() < end) {
            LockSupport.parkNanos(end - System.nanoTime());
        }
    }

    private static void compute() {
        long end = cpuNanos() + WORK_NANOS;
        while (cpuNanos() < end) {
            Thread.onSpinWait();
        }
    }

    @Test
    void waitingCountsAQuarter() {
        RunTime time = new RunTime();
        time.begin();
        park();
        time.end();
        assertThat(time.passed()).isGreaterThanOrEqualTo(WAIT_NANOS);
        assertThat(time.counted()).isEqualTo(time.passed() / 4);
    }

    @Test
    void runsAddUp() {
        RunTime time = new RunTime();
        for (int run = 1; run <= 2; run++) {
            time.begin();
            compute();
            time.end();
            assertThat(time.counted()).isGreaterThanOrEqualTo(run * WORK_NANOS);
            assertThat(time.counted()).isLessThanOrEqualTo(time.passed());
        }
    }

    @Test
    void timeBetweenRunsDoesNotCount() {
        RunTime time = new RunTime();
        time.begin();
        time.end();
        park();
        time.begin();
        time.end();
        assertThat(time.passed()).isLessThan(WAIT_NANOS);
    }

    @Test
    void looksFollowAtTheGivenDistances() throws Throwable {
        ThrowingRunnable code = () -> {};
        Subject subject = new Subject("code", code, code, code, code);
        TrialRuns runs = new TrialRuns(3);

        assertThat(runsUntilLook(runs, subject)).isEqualTo(3);
        runs.lookAfter(5);
        assertThat(runsUntilLook(runs, subject)).isEqualTo(5);
        runs.beginLater();
        int distance = LeakRule.distance(8);
        assertThat(runsUntilLook(runs, subject)).isEqualTo(distance);
        runs.lookLater();
        assertThat(runsUntilLook(runs, subject)).isEqualTo(distance);
        assertThat(runs.count()).isEqualTo(8 + 2 * distance);
        assertThat(runs.isLate()).isFalse();
    }

    private static int runsUntilLook(TrialRuns runs, Subject subject) throws Throwable {
        int before = runs.count();
        while (!runs.isLookDue()) {
            runs.run(subject);
        }
        return runs.count() - before;
    }

    @Test
    void laterRunsEndWhenTheirTimeIsUp() throws Throwable {
        ThrowingRunnable code = TrialRunsTest::compute;
        Subject subject = new Subject("code", code, code, code, code);
        TrialRuns runs = new TrialRuns(1, 3 * WORK_NANOS);
        runs.run(subject);
        assertThat(runs.isLate()).isFalse();
        runs.beginLater();
        long begin = System.nanoTime();
        while (!runs.isLate()) {
            runs.run(subject);
        }
        assertThat(System.nanoTime() - begin).isGreaterThan(3 * WORK_NANOS);
    }
}
