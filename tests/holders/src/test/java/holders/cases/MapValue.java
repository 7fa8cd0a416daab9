// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A value of a map with a thousand others. */
public final class MapValue extends Case {
    private static final class Target {}

    private static final Map<String, Object> MAP = new HashMap<>();

    @Override
    public Object hold() throws Exception {
        for (int i = 0; i < 1_000; i++) {
            MAP.put("key " + i, "none");
        }
        Target target = new Target();
        MAP.put("key 500", target);
        return target;
    }

    @Override
    public List<String> paths() {
        return List.of(
                "static MapValue.MAP: HashMap > HashMap.table: HashMap$Node[] > []: HashMap$Node >"
                        + " HashMap$Node.value: MapValue$Target");
    }
}
