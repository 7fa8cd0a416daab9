// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A value of a concurrent map. */
public final class ConcurrentMapValue extends Case {
    private static final class Target {}

    private static final Map<String, Object> MAP = new ConcurrentHashMap<>();

    @Override
    public Object hold() throws Exception {
        Target target = new Target();
        MAP.put("key", target);
        return target;
    }

    @Override
    public List<String> paths() {
        return List.of(
                "static ConcurrentMapValue.MAP: ConcurrentHashMap > ConcurrentHashMap.table:"
                        + " ConcurrentHashMap$Node[] > []: ConcurrentHashMap$Node >"
                        + " ConcurrentHashMap$Node.val: ConcurrentMapValue$Target");
    }
}
