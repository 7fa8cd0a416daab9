// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Weak references, and objects with finalizers, that die by the hundred thousand. */
final class References implements Program {

    private static final long REST_NANOS = 1_000_000;

    private final List<Object> weak = new ArrayList<>();
    private final ReferenceQueue<Object> queue = new ReferenceQueue<>();
    private final int most;
    private final boolean isFinalized;
    private final boolean rests;
    private long opened;

    private References(int most, boolean isFinalized, boolean rests) {
        this.most = most;
        this.isFinalized = isFinalized;
        this.rests = rests;
    }

    /** Weak ones and finalizers, as many as the finalizer thread can take. */
    static References many() {
        return new References(1_000_000, true, false);
    }

    /** A few weak ones, and a rest whenever they are dropped. */
    static References few() {
        return new References(2_000, false, true);
    }

    @Override
    public void run(BooleanSupplier running) {
        while (running.getAsBoolean()) {
            if (weak.size() < most) {
                refer();
            } else {
                weak.clear();
                rest();
            }
            Sink.last = new byte[128];
            while (queue.poll() != null) {
                Thread.onSpinWait();
            }
        }
    }

    private void rest() {
        if (rests) {
            LockSupport.parkNanos(REST_NANOS);
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
