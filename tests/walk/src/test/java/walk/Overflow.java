// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Recursion until the stack is used up, which allocates on the last pages that are left. */
final class Overflow implements Scenario {

    private static final int STACK_BYTES = 640 * 1024;
    private static final int DEADLINE_SECONDS = 170;

    private final ExecutorService small =
            Executors.newSingleThreadExecutor(
                    work -> {
                        Thread thread = new Thread(null, work, "small stack", STACK_BYTES);
                        thread.setDaemon(true);
                        return thread;
                    });

    @Override
    public void round() throws Exception {
        small.submit(Overflow::dive).get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    }

    private static void dive() {
        try {
            down(0);
        } catch (StackOverflowError e) {
            Sink.last = new Object();
        }
    }

    private static int down(int depth) {
        if ((depth & 7) == 0) {
            Sink.last = new Object();
        }
        return (depth & 1) == 0 ? down(depth + 1) + 1 : other(depth + 1, depth, 2 * depth) - 1;
    }

    private static int other(int depth, int more, long even) {
        int below = down(depth) + more;
        Sink.last = new long[] {even};
        return below;
    }
}
