// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

import java.util.ArrayList;
import java.util.List;

/** Short-lived threads: each has a first sample, on a stack where others were before. */
final class Starters implements Scenario {

    private static final int THREADS = 10;
    private static final int CALLS = 30;

    @Override
    public void round() throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int seed = i;
            threads.add(new Thread(null, () -> work(seed), "starter", (256L + 64 * i) * 1024));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static void work(int seed) {
        // A thread draws its first sample point with the interval that the JVM started with.
        Sink.last = new byte[4 << 20];
        for (int i = 0; i < CALLS; i++) {
            down(10 + seed, i);
        }
    }

    private static void down(int depth, int way) {
        Sink.last = new Object();
        if (depth > 0) {
            if (way % 3 == depth % 3) {
                down(depth - 1, way);
            } else {
                down(depth - 1, way + 1);
            }
        }
    }
}
