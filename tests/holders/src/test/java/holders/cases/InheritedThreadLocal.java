// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.List;

/** A thread-local that a thread has inherited, and its parent no longer has. */
public final class InheritedThreadLocal extends Case {
    private static final class Target {}

    private static final InheritableThreadLocal<Object> LOCAL = new InheritableThreadLocal<>();
    private long thread;

    @Override
    public Object hold() throws Exception {
        Target target = new Target();
        LOCAL.set(target);
        thread = new Waiting().start();
        LOCAL.remove();
        return target;
    }

    @Override
    public List<String> paths() {
        return List.of(
                "thread: Thread > Thread.inheritableThreadLocals: ThreadLocal$ThreadLocalMap >"
                    + " ThreadLocal$ThreadLocalMap.table: ThreadLocal$ThreadLocalMap$Entry[] > []:"
                    + " ThreadLocal$ThreadLocalMap$Entry > ThreadLocal$ThreadLocalMap$Entry.value:"
                    + " InheritedThreadLocal$Target");
    }

    @Override
    public long thread() {
        return thread;
    }
}
