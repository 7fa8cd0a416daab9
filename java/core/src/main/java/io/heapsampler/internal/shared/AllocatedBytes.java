// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import com.sun.management.ThreadMXBean;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;

/**
 * The JVM's own counts of allocated bytes. They are exact. Reading one count allocates nothing.
 * Everything is absent on a JVM other than HotSpot, and without the module {@code jdk.management}.
 *
 * <p>This class has no constant strings: when HotSpot first hands a method to its last compiler, it
 * makes all constant strings of the class, in the thread that calls the method, and these bytes
 * would count.
 *
 * <p>Safe for use by many threads.
 */
public final class AllocatedBytes {

    private static final boolean HAS_THREADS = hasThreads();

    private AllocatedBytes() {}

    /** Returns whether the JVM counts the bytes of each thread. */
    public static boolean isCounted() {
        return HAS_THREADS;
    }

    /** Returns the bytes of the calling thread; negative if the JVM has stopped counting them. */
    public static long ofThisThread() {
        return Threads.BEAN.getCurrentThreadAllocatedBytes();
    }

    /** Returns the IDs of all platform threads. Requires {@link #isCounted}. */
    public static long[] threadIds() {
        return Threads.BEAN.getAllThreadIds();
    }

    /**
     * Returns the bytes of some threads, -1 for a thread that has ended. Requires {@link
     * #isCounted}.
     */
    public static long[] of(long[] threadIds) {
        return Threads.BEAN.getThreadAllocatedBytes(threadIds);
    }

    /** Returns whether {@link #total} exists: JDK 21, and later updates of 17, have it. */
    public static boolean hasTotal() {
        return Total.HANDLE != null;
    }

    /**
     * Returns the bytes of all threads, including ended ones.
     *
     * @throws IllegalStateException if there is no such count
     */
    public static long total() {
        return Total.read();
    }

    private static boolean hasThreads() {
        try {
            return Threads.BEAN.isThreadAllocatedMemorySupported()
                    && Threads.BEAN.isThreadAllocatedMemoryEnabled();
        } catch (LinkageError | RuntimeException e) {
            return false; // not HotSpot, or no jdk.management
        }
    }

    /** A class of its own, because it links only with jdk.management. */
    private static final class Threads {

        static final ThreadMXBean BEAN = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    }

    /** A class of its own for its constant strings. */
    private static final class Total {

        static final @Nullable MethodHandle HANDLE = find();

        private Total() {}

        static long read() {
            MethodHandle total = HANDLE;
            if (total == null) {
                throw new IllegalStateException("the JVM does not count the bytes of all threads");
            }
            try {
                return (long) total.invokeExact();
            } catch (Error e) {
                throw e;
            } catch (Throwable e) {
                throw new IllegalStateException("the JVM's count of all allocated bytes failed", e);
            }
        }

        private static @Nullable MethodHandle find() {
            try {
                MethodHandle total =
                        MethodHandles.publicLookup()
                                .findVirtual(
                                        Class.forName("com.sun.management.ThreadMXBean"),
                                        "getTotalThreadAllocatedBytes",
                                        MethodType.methodType(long.class))
                                .bindTo(ManagementFactory.getThreadMXBean());
                return (long) total.invokeExact() < 0 ? null : total;
            } catch (Throwable e) {
                return null; // before JDK 21, or not HotSpot
            }
        }
    }
}
