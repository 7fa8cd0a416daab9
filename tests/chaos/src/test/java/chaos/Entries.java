// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import java.util.concurrent.atomic.AtomicLong;

/** Counts the entries of methods that {@link Everything} has instrumented. */
public final class Entries {

    private static final AtomicLong COUNT = new AtomicLong();

    private Entries() {}

    /** Called at each entry. */
    public static void count() {
        COUNT.incrementAndGet();
    }

    static long sum() {
        return COUNT.get();
    }
}
