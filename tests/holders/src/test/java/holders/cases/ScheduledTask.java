// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** A task that is due in a day. */
public final class ScheduledTask extends Case {
    private static final class Target {}

    private static final ScheduledThreadPoolExecutor EXECUTOR =
            new ScheduledThreadPoolExecutor(1, Waiting::thread);

    private record Task(Target target) implements Runnable {
        @Override
        public void run() {}
    }

    @Override
    public Object hold() throws Exception {
        Target target = new Target();
        var unused = EXECUTOR.schedule(new Task(target), 1, TimeUnit.DAYS);
        return target;
    }

    @Override
    public List<String> paths() {
        return List.of(
                "static ScheduledTask.EXECUTOR: ScheduledThreadPoolExecutor >"
                    + " ThreadPoolExecutor.workQueue: ScheduledThreadPoolExecutor$DelayedWorkQueue"
                    + " > ScheduledThreadPoolExecutor$DelayedWorkQueue.queue:"
                    + " RunnableScheduledFuture[] > []:"
                    + " ScheduledThreadPoolExecutor$ScheduledFutureTask > FutureTask.callable:"
                    + " Executors$RunnableAdapter > Executors$RunnableAdapter.task:"
                    + " ScheduledTask$Task > ScheduledTask$Task.target: ScheduledTask$Target");
    }
}
