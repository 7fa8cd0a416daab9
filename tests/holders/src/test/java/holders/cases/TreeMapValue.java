// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A value deep in a tree, whose way there goes left and right. */
public final class TreeMapValue extends Case {
    private static final class Target {}

    private static final Map<Integer, Object> MAP = new TreeMap<>();

    @Override
    public Object hold() throws Exception {
        for (int i = 0; i < 100; i++) {
            MAP.put(i, "none");
        }
        Target target = new Target();
        MAP.put(42, target);
        return target;
    }

    @Override
    public List<String> paths() {
        return List.of(
                "static TreeMapValue.MAP: TreeMap > TreeMap.root: TreeMap$Entry > ... >"
                        + " TreeMap$Entry.value: TreeMapValue$Target");
    }
}
