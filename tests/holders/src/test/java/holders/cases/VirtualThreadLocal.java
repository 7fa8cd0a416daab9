// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** A thread-local of a virtual thread that waits. */
public final class VirtualThreadLocal extends Case {
    private static final class Target {}

    private static final ThreadLocal<Object> LOCAL = new ThreadLocal<>();
    private static Thread thread;
    private final AtomicReference<Object> made = new AtomicReference<>();

    @Override
    public Object hold() throws Exception {
        Waiting waiting =
                Waiting.after(
                        () -> {
                            Target target = new Target();
                            LOCAL.set(target);
                            made.set(target);
                        });
        thread = waiting.startVirtual();
        return made.getAndSet(null);
    }

    @Override
    public List<String> paths() {
        return List.of(
                "thread: VirtualThread > Thread.threadLocals: ThreadLocal$ThreadLocalMap >"
                    + " ThreadLocal$ThreadLocalMap.table: ThreadLocal$ThreadLocalMap$Entry[] > []:"
                    + " ThreadLocal$ThreadLocalMap$Entry > ThreadLocal$ThreadLocalMap$Entry.value:"
                    + " VirtualThreadLocal$Target");
    }

    @Override
    public int since() {
        return 21;
    }

    /** No number of the thread is in the path. */
    @Override
    public Object atRoot() {
        return thread;
    }
}
