// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** The object that a thread has locked and another waits for. */
public final class Monitor extends Case {
    private static final class Target {}

    private final AtomicReference<Object> made = new AtomicReference<>();

    @Override
    public Object hold() throws Exception {
        new Waiting(waiting -> lock(new Target(), made, waiting)).start();
        return made.getAndSet(null);
    }

    @Override
    public List<String> paths() {
        return List.of("monitor: Monitor$Target", "local Monitor.lock: Monitor$Target");
    }

    private static void lock(Object local, AtomicReference<Object> made, Waiting waiting) {
        synchronized (local) {
            made.set(local);
            waiting.run();
        }
    }
}
