// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.ApiStatus;
import io.heapsampler.assertions.internal.Counters;
import java.util.function.LongSupplier;

/**
 * Counts the bytes that the calling thread allocates, exactly. Reading it allocates nothing.
 *
 * <pre>{@code
 * AllocationProbe probe = AllocationProbe.ofThread();
 * parser.parse(input);
 * long bytes = probe.bytes();
 * }</pre>
 *
 * <p>A probe belongs to the thread that created it or reset it last. As a parameter of a test
 * method it starts right before the body. {@link #reset()} at the start of the body leaves out the
 * few bytes that JUnit's call allocates.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
@CheckReturnValue
public final class AllocationProbe {

    private final LongSupplier counter;
    private Thread thread = Thread.currentThread();
    private long start;

    private AllocationProbe(LongSupplier counter) {
        this.counter = counter;
        reset();
    }

    /**
     * Returns a probe of the calling thread.
     *
     * @return a probe that starts now
     * @throws IllegalStateException if the JVM does not count the bytes of this thread: it is a
     *     virtual one, or the JVM is not HotSpot
     */
    public static AllocationProbe ofThread() {
        LongSupplier counter = Counters.ofThread();
        if (counter == null) {
            throw new IllegalStateException(
                    "The JVM does not count the bytes that the thread \""
                            + Thread.currentThread().getName()
                            + "\" allocates. Use a platform thread of a HotSpot JVM, or a"
                            + " HeapRecording, which also sees virtual threads.");
        }
        return new AllocationProbe(counter);
    }

    /**
     * Returns the bytes that the thread has allocated since the start.
     *
     * @return bytes, 0 or more
     * @throws IllegalStateException if called by another thread, or if something has switched the
     *     JVM's count off
     */
    public long bytes() {
        long now = counter.getAsLong();
        if (now < 0) {
            throw new IllegalStateException(Counters.SWITCHED_OFF);
        }
        if (Thread.currentThread() != thread) {
            throw new IllegalStateException(
                    "This probe counts the bytes of the thread \""
                            + thread.getName()
                            + "\", but was read in \""
                            + Thread.currentThread().getName()
                            + "\". Create a probe in the thread whose bytes you count.");
        }
        return now - start;
    }

    /** Starts anew, and counts the calling thread from now on. */
    public void reset() {
        thread = Thread.currentThread();
        start = counter.getAsLong();
    }
}
