// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;

/** A value of a weak map whose key stays. */
public final class WeakMapValue extends Case {
    private static final class Target {}

    private static final Object KEY = new Object();
    private static final Map<Object, Object> MAP = new WeakHashMap<>();

    @Override
    public Object hold() throws Exception {
        Target target = new Target();
        MAP.put(KEY, target);
        return target;
    }

    @Override
    public List<String> paths() {
        return List.of(
                "static WeakMapValue.MAP: WeakHashMap > WeakHashMap.table: WeakHashMap$Entry[] >"
                        + " []: WeakHashMap$Entry > WeakHashMap$Entry.value: WeakMapValue$Target");
    }
}
