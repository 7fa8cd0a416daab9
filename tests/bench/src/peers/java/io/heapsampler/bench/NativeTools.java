// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

/**
 * What HeapSampler is compared with and has no Java of its own: the empty callback, the minimal
 * agent, and a way to force an interval on other libraries; {@code tests/native/bench/peers.c}.
 * {@code -Dbench.library} names the library.
 */
final class NativeTools {

    /** A callback that only counts. */
    static final int EMPTY = 0;

    /** What JEP 331 describes: stack and weak reference, in a table under one lock. */
    static final int MINIMAL = 1;

    static {
        System.load(System.getProperty("bench.library"));
    }

    private NativeTools() {}

    /** Starts one of the two; answers a {@code jvmtiError}. */
    static native int start(int work, int interval);

    static native void stop();

    /** Samples of both since the library was loaded. */
    static native long samples();

    /** Objects that the minimal agent tracks. */
    static native long tracked();

    /** Frames of the deepest stack that the minimal agent has walked since it was started. */
    static native long deepest();

    /**
     * Lets every library get this interval, whatever it requests; negative: what it requests.
     */
    static native void forceInterval(long bytes);
}
