// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** Threads with names of their own; virtual ones for code that has to compile on JDK 17. */
final class NamedThreads {

    private static final int STACK_BYTES = 128 * 1024;

    /** Whether this JVM has virtual threads. */
    static final boolean HAS_VIRTUAL = Runtime.version().feature() >= 21;

    private static final MethodHandle VIRTUAL = HAS_VIRTUAL ? find() : null;

    private NamedThreads() {}

    /** Starts a platform thread. */
    static Thread start(String name, Runnable work) {
        Thread thread = new Thread(null, work, name, STACK_BYTES);
        thread.start();
        return thread;
    }

    /** Starts a virtual thread. */
    static Thread startVirtual(String name, Runnable work) {
        try {
            return (Thread) VIRTUAL.invokeExact(name, work);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /** Thread.ofVirtual().name(name).start(work). */
    private static MethodHandle find() {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            Class<?> builder = Class.forName("java.lang.Thread$Builder$OfVirtual");
            MethodHandle make =
                    lookup.findStatic(Thread.class, "ofVirtual", MethodType.methodType(builder));
            MethodHandle name =
                    lookup.findVirtual(
                            builder, "name", MethodType.methodType(builder, String.class));
            MethodHandle start =
                    lookup.findVirtual(
                            builder, "start", MethodType.methodType(Thread.class, Runnable.class));
            MethodHandle named = MethodHandles.foldArguments(name, make);
            return MethodHandles.collectArguments(start, 0, named);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
