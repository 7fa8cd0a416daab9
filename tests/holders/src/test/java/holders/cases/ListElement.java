// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.ArrayList;
import java.util.List;

/** An element of a list. */
public final class ListElement extends Case {
    private static final class Target {}

    private static final List<Object> LIST = new ArrayList<>();

    @Override
    public Object hold() throws Exception {
        for (int i = 0; i < 100; i++) {
            LIST.add("none");
        }
        Target target = new Target();
        LIST.add(target);
        return target;
    }

    @Override
    public List<String> paths() {
        return List.of(
                "static ListElement.LIST: ArrayList > ArrayList.elementData: Object[] > []:"
                        + " ListElement$Target");
    }
}
