// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.List;

/** A constant of an interface. */
public final class InterfaceConstant extends Case {
    private static final class Target {}

    private interface Constants {
        Target HELD = new Target();
    }

    @Override
    public Object hold() throws Exception {
        return Constants.HELD;
    }

    @Override
    public List<String> paths() {
        return List.of("static InterfaceConstant$Constants.HELD: InterfaceConstant$Target");
    }
}
