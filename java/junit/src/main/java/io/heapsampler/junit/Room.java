// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import java.util.concurrent.atomic.AtomicLong;

/** Bytes that files may still take. Safe for use by many threads. */
final class Room {

    private final String setting;
    private final AtomicLong left;

    /** Makes room as a configuration parameter limits it. */
    Room(String setting, long bytes) {
        this.setting = setting;
        this.left = new AtomicLong(bytes);
    }

    /** Returns the name of the parameter. */
    String setting() {
        return setting;
    }

    /** Takes some; false if that much is not left, and then nothing is taken. */
    boolean take(int bytes) {
        if (left.addAndGet(-bytes) >= 0) {
            return true;
        }
        left.addAndGet(bytes);
        return false;
    }

    /** Returns bytes that were taken and not used. */
    void giveBack(long bytes) {
        left.addAndGet(bytes);
    }
}
