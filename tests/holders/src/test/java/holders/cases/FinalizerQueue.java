// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import io.heapsampler.support.Until;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * An object whose finalizer has not run yet holds it; another one blocks the thread that runs them.
 */
public final class FinalizerQueue extends Case {

    private static final int PATIENCE_SECONDS = 60;
    private static final CountDownLatch BLOCKED = new CountDownLatch(1);

    private static final class Target {}

    private static final class Plug {
        @Override
        @SuppressWarnings("deprecation")
        protected void finalize() {
            BLOCKED.countDown();
            Waiting.forever();
        }
    }

    private static final class Owner {
        private final Target target = new Target();

        @Override
        @SuppressWarnings("deprecation")
        protected void finalize() {
            target.hashCode(); // The JVM skips empty finalizers.
        }
    }

    @Override
    public Object hold() throws Exception {
        drop();
        Until.within(
                PATIENCE_SECONDS,
                () -> {
                    System.gc();
                    return BLOCKED.getCount() == 0;
                });
        return new Owner().target;
    }

    private static void drop() {
        Object unused = new Plug();
    }

    @Override
    public List<String> paths() {
        return List.of(
                "finalizer: FinalizerQueue$Owner > FinalizerQueue$Owner.target:"
                        + " FinalizerQueue$Target");
    }
}
