// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** A task in the queue of an executor whose only thread is busy. */
public final class ExecutorQueue extends Case {
    private static final class Target {}

    private static final ThreadPoolExecutor EXECUTOR =
            new ThreadPoolExecutor(
                    1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), Waiting::thread);

    private record Task(Target target) implements Runnable {
        @Override
        public void run() {}
    }

    @Override
    public Object hold() throws Exception {
        EXECUTOR.execute(new Waiting());
        Target target = new Target();
        EXECUTOR.execute(new Task(target));
        return target;
    }

    @Override
    public List<String> paths() {
        return List.of(
                "static ExecutorQueue.EXECUTOR: ThreadPoolExecutor > ThreadPoolExecutor.workQueue:"
                        + " LinkedBlockingQueue > ... > LinkedBlockingQueue$Node.item:"
                        + " ExecutorQueue$Task > ExecutorQueue$Task.target: ExecutorQueue$Target");
    }
}
