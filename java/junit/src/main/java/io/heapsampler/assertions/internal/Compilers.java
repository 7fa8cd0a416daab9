// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.locks.LockSupport;

/** Waits until the JVM's compilers have nothing more to do, or for a while. */
final class Compilers {

    private static final long QUIET_NANOS = 20_000_000;
    private static final long LONGEST_NANOS = 300_000_000;

    private Compilers() {}

    static void settle() {
        CompilationMXBean bean = ManagementFactory.getCompilationMXBean();
        if (bean == null || !bean.isCompilationTimeMonitoringSupported()) {
            return;
        }
        long start = System.nanoTime();
        long quietSince = start;
        long time = bean.getTotalCompilationTime();
        long now = start;
        while (now - quietSince < QUIET_NANOS && now - start < LONGEST_NANOS) {
            LockSupport.parkNanos(QUIET_NANOS / 10);
            now = System.nanoTime();
            long later = bean.getTotalCompilationTime();
            if (later != time) {
                time = later;
                quietSince = now;
            }
        }
    }
}
