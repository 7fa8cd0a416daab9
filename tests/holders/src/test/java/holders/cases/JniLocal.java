// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import holders.Native;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** A local reference of a native method that calls Java. */
public final class JniLocal extends Case {
    private static final class Target {}

    private final AtomicReference<Object> made = new AtomicReference<>();
    private long thread;

    @Override
    public Object hold() throws Exception {
        thread = new Waiting(waiting -> Native.withLocal(this::make, waiting)).start();
        return made.getAndSet(null);
    }

    @Override
    public List<String> paths() {
        return List.of("jni-local Native.withLocal: JniLocal$Target");
    }

    private Object make() {
        Target target = new Target();
        made.set(target);
        return target;
    }

    @Override
    public long thread() {
        return thread;
    }
}
