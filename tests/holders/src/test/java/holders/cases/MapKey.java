// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A key of a map. */
public final class MapKey extends Case {
    private static final class Target {}

    private static final Map<Object, String> MAP = new HashMap<>();

    @Override
    public Object hold() throws Exception {
        Target target = new Target();
        MAP.put(target, "value");
        return target;
    }

    @Override
    public List<String> paths() {
        return List.of(
                "static MapKey.MAP: HashMap > HashMap.table: HashMap$Node[] > []: HashMap$Node >"
                        + " HashMap$Node.key: MapKey$Target");
    }
}
