// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;

/**
 * Waits until a thread of the JVM has put the references that a collection has cleared into their
 * queues. A weak map drops the entries of what died only when it finds them there. On a busy
 * machine that thread is late, and the entries of several looks would look like growth.
 *
 * <p>Not thread-safe.
 */
final class ClearedReferences {

    /** Far beyond need. */
    private static final long MOST_MILLIS = 1_000;

    private final ReferenceQueue<Object> queue = new ReferenceQueue<>();
    private WeakReference<Object> reference = newReference();

    private WeakReference<Object> newReference() {
        return new WeakReference<>(new Object(), queue);
    }

    /** To be called after a collection that began since the last call, or since this was made. */
    void await() {
        try {
            queue.remove(MOST_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (reference.get() == null) {
            reference = newReference();
        }
    }
}
