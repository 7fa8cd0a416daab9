// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** A local variable of a frame that C1 has compiled. */
public final class C1Local extends Case {
    private static final class Target {}

    private final AtomicReference<Object> made = new AtomicReference<>();
    private long thread;

    @Override
    public void prepare() {
        Frames.compile(C1Local.class, 3, () -> Frames.sink = stay("none", null));
    }

    @Override
    public Object hold() throws Exception {
        thread = new Waiting(waiting -> call(waiting)).start();
        return made.getAndSet(null);
    }

    @Override
    public List<String> paths() {
        return List.of("local C1Local.stay: C1Local$Target");
    }

    private void call(Waiting waiting) {
        Target target = new Target();
        made.set(target);
        Frames.sink = stay(target, waiting);
    }

    private static Object stay(Object local, Waiting waiting) {
        Frames.pass(waiting);
        return local;
    }

    @Override
    public long thread() {
        return thread;
    }
}
