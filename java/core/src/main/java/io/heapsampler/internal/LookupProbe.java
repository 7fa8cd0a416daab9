// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import io.heapsampler.internal.shared.DaemonThreads;
import java.lang.reflect.Method;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Makes stacks of known shapes for the library to walk before it looks stacks up: plain calls, deep
 * ones, calls through an interface, calls that come back from native code. If one of them is not
 * what the JVM says, or none could be compared, the library never looks stacks up.
 *
 * <p>They are made on a thread of their own, which ends at once: the caller's stack may have frames
 * that no one can vouch for.
 */
final class LookupProbe implements Runnable {

    private static final int DEPTH = 40;
    private static final long PATIENCE_MILLIS = 30_000;

    /** A step down, by way of an interface. */
    private interface Step {
        boolean descend(int depth);
    }

    private static final class Left implements Step {
        @Override
        public boolean descend(int depth) {
            return LookupProbe.descend(depth - 1);
        }
    }

    private static final class Right implements Step {
        @Override
        public boolean descend(int depth) {
            return !LookupProbe.descend(depth - 1) ? false : depth > 0;
        }
    }

    private final Step[] steps = {new Left(), new Right()};
    private final CountDownLatch done = new CountDownLatch(1);
    private volatile boolean isProved;

    /** Tries them all; to be called once in the life of a process. */
    static void prove() {
        LookupProbe probe = new LookupProbe();
        Thread thread = DaemonThreads.of(probe, "HeapSampler probe");
        try {
            thread.start();
            probe.await();
        } catch (OutOfMemoryError e) {
            Log.debug("there is no thread to try stack lookups on", e);
        }
        NativeBindings.endTries(probe.isProved);
    }

    /**
     * Waits for the last try, not for the end of the thread: on JDK 17 that needs the monitor of
     * the thread group, which the caller may hold. Passes an interrupt on later, since there is one
     * try only.
     */
    private void await() {
        boolean isInterrupted = false;
        boolean isDone = false;
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
        while (!isDone && System.nanoTime() - end < 0) {
            try {
                isDone = done.await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void run() {
        try {
            isProved = tryAll();
        } finally {
            done.countDown();
        }
    }

    private boolean tryAll() {
        boolean isGood = NativeBindings.tryLookup() && descend(DEPTH);
        for (Step step : steps) {
            isGood = isGood && step.descend(DEPTH);
        }
        return isGood && reflect();
    }

    /** Calls itself from two places, and the library at the bottom. */
    private static boolean descend(int depth) {
        if (depth <= 0) {
            return NativeBindings.tryLookup();
        }
        return depth % 3 == 0 ? descend(depth - 1) : !descend(depth - 1) ? false : depth > 0;
    }

    /** Through the JVM's own native code, where it still has such for this. */
    private static boolean reflect() {
        try {
            Method method = LookupProbe.class.getDeclaredMethod("descend", int.class);
            return Boolean.TRUE.equals(method.invoke(null, 2));
        } catch (ReflectiveOperationException e) {
            Log.debug("a probe of stack lookups was not possible", e);
            return true; // the others have said what there is to say
        }
    }
}
