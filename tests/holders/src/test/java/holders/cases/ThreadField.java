// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.List;

/** A field of a running thread. */
public final class ThreadField extends Case {
    private static final class Target {}

    private long thread;

    private static final class Worker extends Thread {
        private final Target target = new Target();
        private final Waiting waiting = new Waiting();

        @Override
        public void run() {
            waiting.run();
        }
    }

    @Override
    public Object hold() throws Exception {
        Worker worker = new Worker();
        worker.setDaemon(true);
        worker.start();
        worker.waiting.await();
        thread = Waiting.idOf(worker);
        return worker.target;
    }

    @Override
    public List<String> paths() {
        return List.of(
                "thread: ThreadField$Worker > ThreadField$Worker.target: ThreadField$Target");
    }

    @Override
    public long thread() {
        return thread;
    }
}
