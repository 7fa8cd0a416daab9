// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.util.List;

/** A method handle with a bound argument. */
public final class BoundHandle extends Case {
    private static final class Target {}

    private static MethodHandle held;

    @Override
    public Object hold() throws Exception {
        Target target = new Target();
        held = MethodHandles.constant(Object.class, target);
        return target;
    }

    @Override
    public List<String> paths() {
        return List.of(
                "static BoundHandle.held: BoundMethodHandle$Species_L >"
                        + " BoundMethodHandle$Species_L.argL0: BoundHandle$Target");
    }
}
