// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.support;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** Virtual threads, for code that has to compile on JDK 17. */
public final class VirtualThreads {

    private final MethodHandle start;

    /**
     * Finds them.
     *
     * @throws NoSuchMethodException before JDK 21
     */
    public VirtualThreads() throws NoSuchMethodException, IllegalAccessException {
        start =
                MethodHandles.lookup()
                        .findStatic(
                                Thread.class,
                                "startVirtualThread",
                                MethodType.methodType(Thread.class, Runnable.class));
    }

    /** Starts one. */
    public Thread start(Runnable work) {
        try {
            return (Thread) start.invokeExact(work);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }
}
