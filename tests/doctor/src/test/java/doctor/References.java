// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Weak references, and objects with finalizers, that die by the hundred thousand. */
final class References implements Program {

    private final List<Object> weak = new ArrayList<>();
    private final ReferenceQueue<Object> queue = new ReferenceQueue<>();
    private final int most;
    private final boolean isFinalized;
    private long opened;

    References(int most, boolean isFinalized) {
        this.most = most;
        this.isFinalized = isFinalized;
    }

    @Override
    public void run(BooleanSupplier running) {
        while (running.getAsBoolean()) {
            if (weak.size() < most) {
                refer();
            } else {
                weak.clear();
            }
            Sink.last = new byte[128];
            while (queue.poll() != null) {
                Thread.onSpinWait();
            }
        }
    }

    private void refer() {
        // What waits for its finalizer fills the heap: no more than the finalizer thread can take.
        if (isFinalized && opened - Closing.closed < most) {
            Sink.last = new Closing();
            opened++;
        }
        weak.add(new WeakReference<>(new Object(), queue));
    }

    /** An old driver's connection: an empty finalizer would not be registered. */
    private static final class Closing {

        @SuppressWarnings({"NonFinalStaticField", "NonAtomicVolatileUpdate"})
        private static volatile long closed;

        @Override
        @SuppressWarnings({"deprecation", "removal", "Finalize"})
        protected void finalize() {
            closed++;
        }
    }
}
