// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import java.util.concurrent.locks.LockSupport;

/** Waits until the JVM's compilers have nothing more to do, or for a while. */
final class Compilers {

    private static final long PAUSE_NANOS = 2_000_000;
    private static final long LONGEST_NANOS = 5_000_000_000L;

    private Compilers() {}

    /**
     * Waits. A busy machine may keep a compiler from its work for seconds, in which its time does
     * not grow either; so the JVM is asked what there is to compile. Where it cannot be asked,
     * nobody waits.
     */
    static void settle() throws NotMeasuredException {
        Aside.call(
                () -> {
                    long start = System.nanoTime();
                    String queue = JvmCommand.run("compilerQueue");
                    while (queue != null
                            && !isEmpty(queue)
                            && System.nanoTime() - start < LONGEST_NANOS) {
                        LockSupport.parkNanos(PAUSE_NANOS);
                        queue = JvmCommand.run("compilerQueue");
                    }
                    return null;
                });
    }

    /**
     * Is there nothing to compile?
     *
     * @param queue headings that end with a colon, and below each what is compiled or waits for it
     */
    static boolean isEmpty(String queue) {
        return queue.lines()
                .map(String::strip)
                .allMatch(line -> line.isEmpty() || line.endsWith(":") || line.equals("Empty"));
    }
}
