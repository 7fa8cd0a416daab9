// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.List;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.TimeUnit;

/** A task of a timer that no field holds; its thread does. */
public final class TimerQueue extends Case {
    private static final class Target {}

    private static final class Task extends TimerTask {
        private final Target target = new Target();

        @Override
        public void run() {}
    }

    @Override
    public Object hold() throws Exception {
        Task task = new Task();
        new Timer(true).schedule(task, TimeUnit.DAYS.toMillis(1));
        return task.target;
    }

    @Override
    public List<String> paths() {
        return List.of(
                "thread: TimerThread > TimerThread.queue: TaskQueue > TaskQueue.queue: TimerTask[]"
                        + " > []: TimerQueue$Task > TimerQueue$Task.target: TimerQueue$Target");
    }
}
