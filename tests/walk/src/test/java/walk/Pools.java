// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Threads that do not keep the JVM alive. */
final class Pools {

    private Pools() {}

    static ExecutorService daemons(int count) {
        return Executors.newFixedThreadPool(
                count,
                work -> {
                    Thread thread = new Thread(work, "walk worker");
                    thread.setDaemon(true);
                    return thread;
                });
    }
}
