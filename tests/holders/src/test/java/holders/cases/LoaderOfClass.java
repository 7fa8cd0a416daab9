// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.List;
import java.util.function.Supplier;

/** A class loader, held by a class object in a map, as in a registry. */
public final class LoaderOfClass extends Case {
    private static Class<?> registered;

    /** Loaded by the target. */
    public static final class Plugin implements Supplier<Object> {
        @Override
        public Object get() {
            return "none";
        }
    }

    private static final class Target extends OwnLoader {}

    @Override
    public Object hold() throws Exception {
        Target target = new Target();
        registered = target.instanceOf(Plugin.class).getClass();
        return target;
    }

    @Override
    public List<String> paths() {
        return List.of(
                "static LoaderOfClass.registered: class LoaderOfClass$Plugin > loader:"
                        + " LoaderOfClass$Target");
    }
}
