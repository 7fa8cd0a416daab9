// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.lang.ref.Reference;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

/** A local variable of a virtual thread that is parked and has no carrier. */
public final class ParkedVirtualThread extends Case {
    private static final class Target {}

    private static Thread thread;
    private final AtomicReference<Object> made = new AtomicReference<>();

    @Override
    public Object hold() throws Exception {
        thread = new Waiting(waiting -> stay(new Target(), made, waiting)).startVirtual();
        return made.getAndSet(null);
    }

    @Override
    public List<String> paths() {
        return List.of(
                "local ParkedVirtualThread.stay: ParkedVirtualThread$Target",
                "local: ParkedVirtualThread$Target"); // Without the method if found in a child.
    }

    private static void stay(Object local, AtomicReference<Object> made, Waiting waiting) {
        made.set(local);
        waiting.run();
        Reference.reachabilityFence(local);
    }

    @Override
    public int since() {
        return 21;
    }

    @Override
    public long thread() {
        return Waiting.idOf(thread);
    }

    /** Not its own outcome, since {@link LargeArray} is in the same heap. */
    @Override
    public Set<String> missedByPasses() {
        return Set.of("LARGE_ARRAY", "NOT_POSSIBLE");
    }
}
