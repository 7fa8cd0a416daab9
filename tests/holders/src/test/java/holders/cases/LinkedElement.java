// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.LinkedList;
import java.util.List;

/** An element in the middle of a linked list: its nodes are alike and told once. */
public final class LinkedElement extends Case {
    private static final class Target {}

    private static final List<Object> LIST = new LinkedList<>();

    @Override
    public Object hold() throws Exception {
        for (int i = 0; i < 100; i++) {
            LIST.add("none");
        }
        Target target = new Target();
        LIST.set(30, target);
        return target;
    }

    @Override
    public List<String> paths() {
        return List.of(
                "static LinkedElement.LIST: LinkedList > LinkedList.first: LinkedList$Node >"
                        + " LinkedList$Node.next: LinkedList$Node* > LinkedList$Node.item:"
                        + " LinkedElement$Target");
    }
}
