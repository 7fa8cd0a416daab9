// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** A class loader, held by a thread-local whose value is of a class of it. */
public final class LoaderOfThreadLocal extends Case {
    private long thread;

    /** Loaded by the target. */
    public static final class Plugin implements Supplier<Object> {
        private static final ThreadLocal<Object> LOCAL = new ThreadLocal<>();

        @Override
        public Object get() {
            LOCAL.set(this);
            return "none";
        }
    }

    private static final class Target extends OwnLoader {}

    private final AtomicReference<Object> made = new AtomicReference<>();

    @Override
    public Object hold() throws Exception {
        thread =
                Waiting.after(
                                () -> {
                                    Target target = new Target();
                                    target.instanceOf(Plugin.class).get();
                                    made.set(target);
                                })
                        .start();
        return made.getAndSet(null);
    }

    @Override
    public List<String> paths() {
        return List.of(
                "thread: Thread > Thread.threadLocals: ThreadLocal$ThreadLocalMap >"
                    + " ThreadLocal$ThreadLocalMap.table: ThreadLocal$ThreadLocalMap$Entry[] > []:"
                    + " ThreadLocal$ThreadLocalMap$Entry > ThreadLocal$ThreadLocalMap$Entry.value:"
                    + " LoaderOfThreadLocal$Plugin > class: class LoaderOfThreadLocal$Plugin >"
                    + " loader: LoaderOfThreadLocal$Target");
    }

    @Override
    public long thread() {
        return thread;
    }
}
