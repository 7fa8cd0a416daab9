// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import java.util.concurrent.atomic.LongAdder;

/** Counts the entries of methods that {@link Everything} has instrumented. */
public final class Entries {

    private static final LongAdder COUNT = new LongAdder();

    private Entries() {}

    /** Called at each entry. */
    public static void count() {
        COUNT.increment();
    }

    static long sum() {
        return COUNT.sum();
    }
}
