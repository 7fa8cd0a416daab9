// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import io.heapsampler.GarbageCollector;
import io.heapsampler.HeapSampler;
import java.lang.ref.SoftReference;
import java.util.List;

/** A soft reference alone. */
public final class SoftOnly extends Case {
    private static final class Target {}

    private static SoftReference<Object> held;

    @Override
    public Object hold() throws Exception {
        Target target = new Target();
        held = new SoftReference<>(target);
        return target;
    }

    @Override
    public List<String> paths() {
        return List.of(
                "static SoftOnly.held: SoftReference > Reference.referent: SoftOnly$Target~");
    }

    @Override
    public boolean mayBeCleared() {
        GarbageCollector collector = HeapSampler.status().collector();
        return collector == GarbageCollector.SHENANDOAH
                || collector == GarbageCollector.SHENANDOAH_GENERATIONAL;
    }
}
