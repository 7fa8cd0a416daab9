// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.assertions.internal.LeakTrial.RunTime;
import java.lang.management.ManagementFactory;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class RunTimeTest {

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
}
