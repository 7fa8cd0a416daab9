// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** A component of a record in an atomic reference. */
public final class RecordComponent extends Case {
    private static final class Target {}

    private static final AtomicReference<Pair> HELD = new AtomicReference<>();

    private record Pair(String name, Object value) {}

    @Override
    public Object hold() throws Exception {
        Target target = new Target();
        HELD.set(new Pair("name", target));
        return target;
    }

    @Override
    public List<String> paths() {
        return List.of(
                "static RecordComponent.HELD: AtomicReference > AtomicReference.value:"
                    + " RecordComponent$Pair > RecordComponent$Pair.value: RecordComponent$Target");
    }
}
