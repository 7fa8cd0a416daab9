// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.List;

/** Two objects that hold each other, and a static field that holds one of them. */
public final class Cycle extends Case {
    private static Target held;

    private static final class Target {
        private Other other;
    }

    private static final class Other {
        private Target target;
        private final Other self = this;
    }

    @Override
    public Object hold() throws Exception {
        Other other = new Other();
        other.target = new Target();
        other.target.other = other;
        held = other.target;
        return other.target;
    }

    @Override
    public List<String> paths() {
        return List.of("static Cycle.held: Cycle$Target");
    }
}
