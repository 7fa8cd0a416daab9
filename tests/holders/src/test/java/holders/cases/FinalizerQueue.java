// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import io.heapsampler.support.Until;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * An object whose finalizer has not run yet holds it; another one blocks the thread that runs them.
 * Both are made before sampling starts: on ZGC, {@code -Xcheck:jni} turns each check of a sampled
 * object into a load that keeps it alive.
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
        private Target target;

        @Override
        @SuppressWarnings("deprecation")
        protected void finalize() {
            target.hashCode(); // The JVM skips empty finalizers.
        }
    }

    private Plug plug;
    private Owner owner;

    @Override
    public void prepare() {
        plug = new Plug();
        owner = new Owner();
    }

    @Override
    public Object hold() throws Exception {
        plug = null;
        boolean isBlocked =
                Until.within(
                        PATIENCE_SECONDS,
                        () -> {
                            System.gc();
                            return BLOCKED.getCount() == 0;
                        });
        if (!isBlocked) {
            throw new IllegalStateException("The finalizer of the plug did not run");
        }
        Target target = new Target();
        owner.target = target;
        owner = null;
        return target;
    }

    @Override
    public List<String> paths() {
        return List.of(
                "finalizer: FinalizerQueue$Owner > FinalizerQueue$Owner.target:"
                        + " FinalizerQueue$Target");
    }
}
