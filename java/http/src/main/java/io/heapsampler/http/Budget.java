// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import java.util.concurrent.atomic.AtomicLong;

/** Bytes that all responses together may hold. */
final class Budget {

    private final long most;
    private final AtomicLong used = new AtomicLong();

    Budget(long most) {
        this.most = most;
    }

    boolean take(long bytes) {
        if (used.addAndGet(bytes) <= most) {
            return true;
        }
        used.addAndGet(-bytes);
        return false;
    }

    void give(long bytes) {
        used.addAndGet(-bytes);
    }

    long used() {
        return used.get();
    }
}
