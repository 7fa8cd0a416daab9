// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Many threads that are idle nearly always. Arguments: seconds, threads. */
final class ManyThreads {

    private ManyThreads() {}

    public static void main(String... args) {
        int threads = Integer.parseInt(args[1]);
        ScheduledExecutorService pool = Executors.newScheduledThreadPool(threads);
        for (int i = 0; i < threads; i++) {
            pool.scheduleAtFixedRate(
                    () -> Garbage.sink = Garbage.text(2_000), i, 2_000, TimeUnit.MILLISECONDS);
        }
        Pace.of(args).at(100, number -> Garbage.make(100));
        pool.shutdownNow();
    }
}
