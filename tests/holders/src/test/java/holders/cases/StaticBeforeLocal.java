// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.lang.ref.Reference;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** A static field and a local variable: the path begins at the static field. */
public final class StaticBeforeLocal extends Case {
    private static final class Target {}

    private static Object held;
    private final AtomicReference<Object> made = new AtomicReference<>();

    @Override
    public Object hold() throws Exception {
        new Waiting(waiting -> stay(new Target(), made, waiting)).start();
        held = made.getAndSet(null);
        return held;
    }

    @Override
    public List<String> paths() {
        return List.of("static StaticBeforeLocal.held: StaticBeforeLocal$Target");
    }

    private static void stay(Object local, AtomicReference<Object> made, Waiting waiting) {
        made.set(local);
        waiting.run();
        Reference.reachabilityFence(local);
    }
}
