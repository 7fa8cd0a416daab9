// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import io.heapsampler.HeapSampler;
import io.heapsampler.SnapshotOptions;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.util.SplittableRandom;

/**
 * Forced collections, one upon the other, from several threads, while objects of every strength of
 * reachability are sampled; the amount is the collections of the main thread.
 */
final class Collections implements Scenario {

    private static final int REFERENCES = 2_000;

    private final ReferenceQueue<Object> queue = new ReferenceQueue<>();

    @Override
    public String run(long amount) throws Exception {
        long before = HeapSampler.status().collections();
        try (Crew crew = new Crew()) {
            for (int i = 0; i < 2; i++) {
                SplittableRandom random = new SplittableRandom(i);
                crew.repeat("allocator " + i, () -> Junk.make(random, 1_000));
            }
            crew.repeat("collector", System::gc);
            crew.repeat("referrer", this::refer);
            for (long i = 0; i < amount && !crew.hasFailed(); i++) {
                if (i % 2 == 0) {
                    System.gc();
                } else {
                    Control.check(HeapSampler.snapshot(SnapshotOptions.afterGc()));
                }
            }
        }
        return "collections=" + (HeapSampler.status().collections() - before);
    }

    private void refer() {
        Object[] references = new Object[REFERENCES];
        for (int i = 0; i < REFERENCES; i++) {
            Object target = new byte[i % 100];
            references[i] =
                    switch (i % 3) {
                        case 0 -> new WeakReference<>(target, queue);
                        case 1 -> new SoftReference<>(target, queue);
                        default -> new PhantomReference<>(target, queue);
                    };
        }
        Junk.keep(7, references);
        while (queue.poll() != null) {
            Junk.keep(8, new Object());
        }
    }
}
