// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.List;

/** A thread that the JVM starts at its end. */
public final class ShutdownHook extends Case {
    private static final class Target {}

    private static final class Hook extends Thread {
        private final Target target = new Target();

        @Override
        public void run() {}
    }

    @Override
    public Object hold() throws Exception {
        Hook hook = new Hook();
        Runtime.getRuntime().addShutdownHook(hook);
        return hook.target;
    }

    @Override
    public List<String> paths() {
        return List.of(
                "static ApplicationShutdownHooks.hooks: IdentityHashMap > IdentityHashMap.table:"
                        + " Object[] > []: ShutdownHook$Hook > ShutdownHook$Hook.target:"
                        + " ShutdownHook$Target");
    }
}
