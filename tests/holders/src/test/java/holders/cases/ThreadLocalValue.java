// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** A thread-local of a platform thread. */
public final class ThreadLocalValue extends Case {
    private static final class Target {}

    private static final ThreadLocal<Object> LOCAL = new ThreadLocal<>();
    private final AtomicReference<Object> made = new AtomicReference<>();
    private long thread;

    @Override
    public Object hold() throws Exception {
        Waiting waiting =
                Waiting.after(
                        () -> {
                            Target target = new Target();
                            LOCAL.set(target);
                            made.set(target);
                        });
        thread = waiting.start();
        return made.getAndSet(null);
    }

    @Override
    public List<String> paths() {
        return List.of(
                "thread: Thread > Thread.threadLocals: ThreadLocal$ThreadLocalMap >"
                    + " ThreadLocal$ThreadLocalMap.table: ThreadLocal$ThreadLocalMap$Entry[] > []:"
                    + " ThreadLocal$ThreadLocalMap$Entry > ThreadLocal$ThreadLocalMap$Entry.value:"
                    + " ThreadLocalValue$Target");
    }

    @Override
    public long thread() {
        return thread;
    }
}
