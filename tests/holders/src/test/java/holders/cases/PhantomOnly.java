// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.util.List;

/** A phantom reference alone. */
public final class PhantomOnly extends Case {
    private static final class Target {}

    private static final ReferenceQueue<Object> QUEUE = new ReferenceQueue<>();
    private static PhantomReference<Object> held;

    @Override
    public Object hold() throws Exception {
        Target target = new Target();
        held = new PhantomReference<>(target, QUEUE);
        return target;
    }

    @Override
    public List<String> paths() {
        return List.of("ONLY_WEAK");
    }
}
