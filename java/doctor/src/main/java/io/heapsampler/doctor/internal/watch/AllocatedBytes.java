// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import com.sun.management.ThreadMXBean;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How much all threads have allocated. JDK 21, and later updates of 17, tell it; before that it is
 * the sum over the threads there are, each looked at once a second: what a thread allocates after
 * the last look at it is lost. Not safe for use by many threads.
 */
final class AllocatedBytes {

    private static final int WARM_UP = 200;

    private final @Nullable ThreadMXBean threads;
    private final @Nullable MethodHandle total;

    /** What each thread had allocated at the last look; only where there is no total. */
    private Map<Long, Long> last = new HashMap<>();

    private long sum;

    AllocatedBytes() {
        this(true);
    }

    AllocatedBytes(boolean useTotal) {
        this.threads =
                ManagementFactory.getThreadMXBean() instanceof ThreadMXBean bean
                                && bean.isThreadAllocatedMemorySupported()
                        ? bean
                        : null;
        this.total = threads == null || !useTotal ? null : find(threads);
        // After 127 calls the JDK makes a class for the handle: now, and not when memory has run
        // out.
        for (int i = 0; total != null && i < WARM_UP; i++) {
            invoke(total);
        }
    }

    private static @Nullable MethodHandle find(ThreadMXBean bean) {
        try {
            return MethodHandles.publicLookup()
                    .findVirtual(
                            ThreadMXBean.class,
                            "getTotalThreadAllocatedBytes",
                            MethodType.methodType(long.class))
                    .bindTo(bean);
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }

    /** Returns bytes since the JVM began, −1 if it does not tell. */
    long now() {
        if (threads == null) {
            return -1;
        }
        return total == null ? sumOf(threads) : invoke(total);
    }

    /** Returns the same without making an object, −1 also where there is no total. */
    long nowWithoutRoom() {
        return total == null ? -1 : invoke(total);
    }

    private static long invoke(MethodHandle total) {
        try {
            return (long) total.invoke();
        } catch (Error e) {
            throw e;
        } catch (Throwable e) {
            return -1;
        }
    }

    private long sumOf(ThreadMXBean bean) {
        long[] ids = bean.getAllThreadIds();
        long[] bytes = bean.getThreadAllocatedBytes(ids);
        Map<Long, Long> now = new HashMap<>(ids.length * 2);
        long more = 0;
        for (int i = 0; i < ids.length; i++) {
            if (bytes[i] >= 0) {
                more += bytes[i] - last.getOrDefault(ids[i], 0L);
                now.put(ids[i], bytes[i]);
            }
        }
        last = now; // Both or none, should memory run out on the way.
        sum += more;
        return sum;
    }
}
