// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.List;
import java.util.function.Supplier;

/** A static field of a class with a loader of its own, which a static field holds. */
public final class LoadedStatic extends Case {
    /** Loaded once. */
    public static final class Target {}

    private static Object instance;

    /** Loaded by a loader of its own. */
    public static final class Plugin implements Supplier<Object> {
        private static Object held;

        @Override
        public Object get() {
            held = new Target();
            return held;
        }
    }

    @Override
    public Object hold() throws Exception {
        Supplier<?> plugin = OwnLoader.make(Plugin.class);
        instance = plugin;
        return plugin.get();
    }

    @Override
    public List<String> paths() {
        return List.of("static LoadedStatic$Plugin.held: LoadedStatic$Target");
    }
}
