// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.List;

/** Two objects that hold each other, and nothing else does. */
public final class DeadCycle extends Case {
    private static final class Target {
        private final Other other = new Other();
    }

    private static final class Other {
        private Target target;
    }

    @Override
    public Object hold() throws Exception {
        Target target = new Target();
        target.other.target = target;
        return target;
    }

    @Override
    public List<String> paths() {
        return List.of("ONLY_WEAK");
    }
}
