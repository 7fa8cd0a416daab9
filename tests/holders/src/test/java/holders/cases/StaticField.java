// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.List;

/** A static field. */
public final class StaticField extends Case {
    private static final class Target {}

    private static Object held;

    @Override
    public Object hold() throws Exception {
        held = new Target();
        return held;
    }

    @Override
    public List<String> paths() {
        return List.of("static StaticField.held: StaticField$Target");
    }
}
