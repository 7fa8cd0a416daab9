// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.lang.ref.WeakReference;
import java.util.List;

/** A weak reference alone. */
public final class WeakOnly extends Case {
    private static final class Target {}

    private static WeakReference<Object> held;

    @Override
    public Object hold() throws Exception {
        Target target = new Target();
        held = new WeakReference<>(target);
        return target;
    }

    @Override
    public List<String> paths() {
        return List.of("ONLY_WEAK");
    }
}
