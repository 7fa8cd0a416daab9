// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** A class loader, held by an instance of a class that it has loaded. */
public final class LoaderOfInstance extends Case {
    private static final List<Object> PLUGINS = new ArrayList<>();

    /** Loaded by the target. */
    public static final class Plugin implements Supplier<Object> {
        private static final Object STATE = new Object();

        @Override
        public Object get() {
            return STATE;
        }
    }

    private static final class Target extends OwnLoader {}

    @Override
    public Object hold() throws Exception {
        Target target = new Target();
        PLUGINS.add(target.instanceOf(Plugin.class));
        return target;
    }

    @Override
    public List<String> paths() {
        return List.of(
                "static LoaderOfInstance.PLUGINS: ArrayList > ArrayList.elementData: Object[] > []:"
                    + " LoaderOfInstance$Plugin > class: class LoaderOfInstance$Plugin > loader:"
                    + " LoaderOfInstance$Target");
    }
}
