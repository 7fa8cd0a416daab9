// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.support;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The buffers that threads allocate in. JDK 17 to 24 count the unused end of one to the object that
 * did not fit: by 20 % too much where one of 3 KiB takes two arrays of 1 KiB.
 */
public final class Buffers {

    private static final List<GarbageCollectorMXBean> COLLECTORS =
            ManagementFactory.getGarbageCollectorMXBeans();

    /** Those of Serial, Parallel and G1, who size a buffer by what its thread has allocated. */
    private static final Set<String> SIZED_BY_SHARE =
            Set.of("Copy", "PS Scavenge", "G1 Young Generation");

    private static final int FIXED_FEATURE = 25;
    private static final int CHUNK = 64 * 1024;
    private static final long MOST = 8L << 30;

    /** Where objects go so that no compiler can do without them. */
    private static volatile byte @Nullable [] sink;

    private Buffers() {}

    /**
     * Makes that of the calling thread a large one if it may be small: gives it all of a young
     * generation, out of which a collection has swept what others had filled.
     */
    public static void grow() {
        if (Runtime.version().feature() >= FIXED_FEATURE || !isSizedByShare()) {
            return;
        }
        System.gc();
        long before = collections();
        for (long done = 0; done < MOST && collections() == before; done += CHUNK) {
            sink = new byte[CHUNK];
        }
        sink = null;
    }

    private static boolean isSizedByShare() {
        return COLLECTORS.stream().anyMatch(each -> SIZED_BY_SHARE.contains(each.getName()));
    }

    private static long collections() {
        return COLLECTORS.stream().mapToLong(GarbageCollectorMXBean::getCollectionCount).sum();
    }
}
