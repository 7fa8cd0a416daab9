// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.internal.shared.AllocatedBytes;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The JVM's own counts: the bytes that a thread, or all threads, have allocated. Exact, and reading
 * them allocates nothing.
 */
public final class Counters {

    /** Why there is no figure where a count ends up below 0. */
    public static final String SWITCHED_OFF =
            "The JVM stopped counting allocated bytes during the run. Let nothing call"
                    + " ThreadMXBean.setThreadAllocatedMemoryEnabled(false).";

    private static final int SOME = 16 * 1024;
    private static final int MUCH = 1024 * 1024;
    private static final int FEW_LOOKS = 20;
    private static final int MOST_LOOKS = 100;

    /** Keeps garbage from being optimised away. */
    @SuppressWarnings("unused")
    private static volatile byte @Nullable [] sink;

    private Counters() {}

    /** Bytes of the calling thread; null if the JVM does not count them. */
    public static @Nullable LongSupplier ofThread() {
        return AllocatedBytes.isCounted() && ThreadBytes.read() >= 0 ? ThreadBytes::read : null;
    }

    /**
     * Bytes of all threads, those that have ended included; null on a JDK that has no such count.
     */
    public static @Nullable LongSupplier ofAll() {
        LongSupplier others = ofOthers();
        return others == null ? null : () -> others.getAsLong() + AllocatedBytes.ofThisThread();
    }

    /** The same without those of the calling thread. */
    public static @Nullable LongSupplier ofOthers() {
        return AllocatedBytes.hasTotal() && ofThread() != null ? Counters::settled : null;
    }

    /**
     * Reads the count of the other threads when it stands still. While a thread ends, the JVM may
     * count its bytes twice, and then it answers the same figure until the truth has caught up: a
     * difference of two bare readings can be 0 where a megabyte was allocated. So this thread,
     * whose bytes are known, allocates until the count of all moves with it.
     */
    private static long settled() {
        long others = AllocatedBytes.total() - AllocatedBytes.ofThisThread();
        for (int i = 0; i < MOST_LOOKS; i++) {
            sink = new byte[i < FEW_LOOKS ? SOME : MUCH];
            sink = null;
            long now = AllocatedBytes.total() - AllocatedBytes.ofThisThread();
            if (now == others) {
                break;
            }
            others = now;
            LockSupport.parkNanos(i < FEW_LOOKS ? 10_000 : 1_000_000);
        }
        return others;
    }
}
