// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import io.heapsampler.assertions.ThrowingRunnable;

/** Code that loads a class, or allocates, most of it in a thread of its own. */
public final class GuestThread {

    /** The bytes that loading it takes are more. */
    public static final long LEAST = Guests.WASTE;

    private GuestThread() {}

    /** Returns code that loads a class, once, in a new thread. */
    public static ThrowingRunnable loading() {
        Runnable guest = Guests.inLoader(Guests.Calling.class);
        return () -> Sink.join(guest::run);
    }

    /** Returns code that allocates this many arrays of a kilobyte in a new thread. */
    public static ThrowingRunnable allocating(int kilobytes) {
        return () -> Sink.join(() -> Sink.kilobytes(kilobytes));
    }

    /** Returns code that allocates an array in the calling thread, and does something else. */
    public static ThrowingRunnable here(int bytes, Runnable more) {
        return () -> {
            Sink.last = new byte[bytes - 16];
            more.run();
        };
    }
}
