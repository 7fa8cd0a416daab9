// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.trial;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Measures what is known of leaks and of uses without one, without HeapSampler: the heap in use
 * after collections, over 2,000 calls of the body of a test, or 11,000 where they are fast.
 * Arguments: the group, and perhaps the test. Run it with {@code -XX:+UseSerialGC
 * -Dtrial.keys=200000}: the figures of that collector are exact.
 */
public final class Facts {

    private static final int WARM_UP = 200;
    private static final int CALLS = 1_000;
    private static final int PURGES = 16;
    private static final int PURGING_CALLS = 100;
    private static final int MANY = 10;
    private static final long FAST_NANOS = 100_000;
    private static final long MOST_NANOS = 20_000_000_000L;
    private static final double MOST_OF_HEAP = 0.6;

    /** Less is not a reference per fast call, nor an object per slow one. */
    private static final double LEAST_GROWTH = 25_000;

    /** Of what soft references hold, so much may stay until their owner is next used. */
    private static final double SOFT_SHARE = 0.1;

    private static final MemoryMXBean MEMORY = ManagementFactory.getMemoryMXBean();

    private Facts() {}

    /** Runs it. */
    public static void main(String[] args) throws Exception {
        Class<?> group = Groups.find(args[0]);
        int wrong = 0;
        for (Method test : Groups.tests(group)) {
            if (args.length == 1 || args[1].equals(test.getName())) {
                wrong += isAsKnown(test) ? 0 : 1;
            }
        }
        System.exit(wrong == 0 ? 0 : 1);
    }

    private static boolean isAsKnown(Method test) throws Exception {
        Constructor<?> constructor = test.getDeclaringClass().getDeclaredConstructor();
        constructor.setAccessible(true);
        test.setAccessible(true);
        call(test, constructor, WARM_UP);
        Truth truth = Groups.truth(test);
        long before = inUse(truth);
        long start = System.nanoTime();
        int first = call(test, constructor, CALLS);
        boolean isFast = System.nanoTime() - start < FAST_NANOS * first;
        long middle = inUse(truth);
        int second = 0;
        for (int i = 0; i < (isFast ? MANY : 1); i++) {
            second += call(test, constructor, CALLS);
            System.gc(); // Or a weak map would need a larger table for what is dead.
        }
        // Weak maps remove what is dead when they are used, some of them 16 entries at a time.
        for (int i = 0; i < (isFast ? PURGES : 1); i++) {
            inUse(truth);
            call(test, constructor, PURGING_CALLS);
        }
        long softly = inUse();
        long after = inUse(truth);
        double early = (double) (middle - before) / first;
        double late = (double) (after - middle) / second;
        double least = truth == Truth.SOFT ? SOFT_SHARE * (softly - middle) : LEAST_GROWTH;
        boolean isRight = after - middle >= least == truth.grows();
        System.out.printf(
                Locale.ROOT,
                "%-9s %-6s %10.1f %10.1f bytes per call in %d and %d calls: %s.%s%n",
                isRight ? "as known" : "ANOTHER",
                truth,
                early,
                late,
                first,
                second,
                test.getDeclaringClass().getSimpleName(),
                test.getName());
        return isRight;
    }

    /** Returns how often it was called: fewer times where it takes long, or the heap fills. */
    private static int call(Method test, Constructor<?> constructor, int times) throws Exception {
        long start = System.nanoTime();
        Runtime runtime = Runtime.getRuntime();
        for (int i = 1; i <= times; i++) {
            test.invoke(constructor.newInstance());
            boolean isFull =
                    i % 10 == 0
                            && MEMORY.getHeapMemoryUsage().getUsed()
                                    > MOST_OF_HEAP * runtime.maxMemory()
                            && inUse() > MOST_OF_HEAP * runtime.maxMemory();
            if (isFull || System.nanoTime() - start > MOST_NANOS) {
                return i;
            }
        }
        return times;
    }

    /** Without what soft references hold, where they do: memory runs out first. */
    private static long inUse(Truth truth) throws InterruptedException {
        if (truth == Truth.SOFT) {
            List<long[]> filling = new ArrayList<>();
            try {
                while (filling.size() < Integer.MAX_VALUE) {
                    filling.add(new long[1_000_000]);
                }
            } catch (OutOfMemoryError e) {
                filling.clear();
            }
        }
        return inUse();
    }

    /** Collects until two figures are about the same: references are cleared one by one. */
    private static long inUse() throws InterruptedException {
        long last = Long.MAX_VALUE;
        for (int i = 0; i < 10; i++) {
            System.gc();
            Thread.sleep(20); // The threads of references and cleaners have work after it.
            long now = MEMORY.getHeapMemoryUsage().getUsed();
            if (i > 1 && Math.abs(now - last) < 512) {
                return now;
            }
            last = now;
        }
        return last;
    }
}
