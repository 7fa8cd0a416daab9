// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.support;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Threads that do not keep the JVM alive. */
public final class Turns {

    private Turns() {}

    /** Returns as many threads as JVMs may run at a time: {@code HEAPSAMPLER_JOBS}, or 2. */
    public static ExecutorService ofJvms() {
        String jobs = System.getenv("HEAPSAMPLER_JOBS");
        return daemons(
                jobs == null
                        ? Math.min(2, Runtime.getRuntime().availableProcessors())
                        : Integer.parseInt(jobs));
    }

    /** Returns as many threads. */
    public static ExecutorService daemons(int count) {
        return Executors.newFixedThreadPool(
                count,
                work -> {
                    Thread thread = new Thread(work, "turn");
                    thread.setDaemon(true);
                    return thread;
                });
    }
}
