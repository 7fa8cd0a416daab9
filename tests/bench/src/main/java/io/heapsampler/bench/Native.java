// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

/**
 * Samples every allocation with the public interface alone, watches the callbacks of HeapSampler,
 * and reads clocks that Java does not offer; {@code tests/native/bench/bench.c}. {@code
 * -Dbench.library} names the library.
 */
final class Native {

    /** A callback that only counts: the price of the JVM's own way to it. */
    static final int EMPTY = 0;

    /** A callback that walks the stack. */
    static final int WALK = 1;

    /** A callback that walks the stack, makes a weak reference and deletes an old one. */
    static final int ALL = 2;

    static {
        System.load(System.getProperty("bench.library"));
    }

    private Native() {}

    /** Samples every allocation with a callback that does this work. */
    static void startBare(int work) {
        startBare(work, 0);
    }

    /**
     * Samples at this interval. With {@link #ALL} only one thread may allocate meanwhile; with less
     * work several may, and then some samples are not counted.
     */
    static void startBare(int work, int interval) {
        int error = start(work, interval);
        if (error != 0) {
            throw new IllegalStateException(
                    "the JVM refuses to sample for the bare library: jvmtiError " + error);
        }
    }

    private static native int start(int work, int interval);

    static native void stop();

    /** Samples since the library was loaded. */
    static native long samples();

    /** Frames of the stack that was walked last. */
    static native long frames();

    static native long threadCpuNanos();

    static native long processCpuNanos();

    /**
     * Lets the callbacks of the library that is loaded next be watched; before HeapSampler is used.
     */
    static native void watchNextLibrary();

    /** Watches the callbacks in the calling thread. */
    static native void watchThread();

    /** Notes callbacks in the window of this number from now on, 1 to 3, or in none, 0. */
    static native void window(int number);

    /**
     * Returns what was noted in a window: nanoseconds in the lower 30 bits; bit 31 says that the
     * scheduler took the processor away meanwhile, bit 30 that the callback waited.
     */
    static native int[] callbacks(int window);

    /** Returns the bytes that malloc keeps free, in all its arenas. */
    static native long mallocFreeBytes();
}
