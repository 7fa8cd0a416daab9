// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;

/** A key of a weak map, which holds nothing. */
public final class WeakMapKey extends Case {
    private static final class Target {}

    private static final Map<Object, Object> MAP = new WeakHashMap<>();

    @Override
    public Object hold() throws Exception {
        Target target = new Target();
        MAP.put(target, "value");
        return target;
    }

    @Override
    public List<String> paths() {
        return List.of("ONLY_WEAK");
    }
}
