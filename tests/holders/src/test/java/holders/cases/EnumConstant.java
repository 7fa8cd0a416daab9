// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.List;

/** A field of an enum's constant. */
public final class EnumConstant extends Case {
    private static final class Target {}

    private enum Colour {
        RED,
        GREEN;

        private Object held;
    }

    @Override
    public Object hold() throws Exception {
        Colour.GREEN.held = new Target();
        return Colour.GREEN.held;
    }

    @Override
    public List<String> paths() {
        return List.of(
                "static EnumConstant$Colour.GREEN: EnumConstant$Colour > EnumConstant$Colour.held:"
                        + " EnumConstant$Target");
    }
}
