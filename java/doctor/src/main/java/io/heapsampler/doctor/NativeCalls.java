// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import com.sun.management.ThreadMXBean;
import io.heapsampler.internal.shared.LibraryCode;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks which threads run native code, once a second for a minute, while collections wait for
 * critical sections: the JVM does not report which code holds them. Such a section must not block,
 * so a thread in native code counts if it gets processor time. A look stops all threads, so they
 * end with the second one that takes longer than a pause may. To be used by one thread.
 */
final class NativeCalls {

    static final int LOOKS = 60;

    /** The next minute of looks begins this much later at the earliest. */
    static final long APART_MILLIS = 600_000;

    /**
     * After this many looks that took longer than a pause there are no more. Those that met a
     * collection do not count.
     */
    private static final int TOO_SLOW = 2;

    private static final int FRAMES = 16;

    /**
     * How long processor time is measured at least. A look that finds no memory waits for the
     * section to end, after it has seen the stacks: then it is as long as that.
     */
    private static final long MEASURED_MILLIS = 10;

    /** The least processor time of that: others only wake up meanwhile. */
    private static final double LEAST_SHARE = 0.1;

    /** Packages of the JDK whose native code uses critical sections. */
    private static final List<String> OF_JDK = Table.words("critical");

    private final History history;
    private final VmClock clock;
    private final double pauseMax;
    private final LongSupplier collections;
    private final ThreadMXBean threads;
    private int left;
    private int slow;
    private long begun = Long.MIN_VALUE / 2;

    /** With the milliseconds that a pause may take, and what counts collections. */
    NativeCalls(
            History history,
            VmClock clock,
            double pauseMax,
            LongSupplier collections,
            ThreadMXBean threads) {
        this.history = history;
        this.clock = clock;
        this.pauseMax = pauseMax;
        this.collections = collections;
        this.threads = threads;
    }

    static long collections() {
        long sum = 0;
        for (GarbageCollectorMXBean each : ManagementFactory.getGarbageCollectorMXBeans()) {
            sum += each.getCollectionCount();
        }
        return sum;
    }

    /** Begins with the looks if a warning requires them, or ends them; now is by any clock. */
    void update(List<Finding> findings, long now) {
        boolean isMeant = false;
        for (Finding finding : findings) {
            isMeant |= finding.id().equals("jni.critical") && finding.severity() != Severity.INFO;
        }
        if (!isMeant) {
            left = 0;
        } else if (now - begun >= APART_MILLIS) {
            begun = now;
            left = LOOKS;
            slow = 0;
        }
    }

    /** Looks once, if that is wanted, and adds each thread that was found to the history. */
    void look() {
        if (left <= 0) {
            return;
        }
        long at = clock.now();
        long collected = collections.getAsLong();
        long[] ids = threads.getAllThreadIds();
        long[] before = threads.getThreadCpuTime(ids);
        long began = System.nanoTime();
        ThreadInfo[] all = threads.getThreadInfo(ids, FRAMES);
        double millis = (System.nanoTime() - began) / 1e6;
        slow += millis > pauseMax && collected == collections.getAsLong() ? 1 : 0;
        left = slow == TOO_SLOW ? 0 : left - 1;
        boolean isAny = false;
        for (ThreadInfo each : all) {
            isAny |= isNative(each);
        }
        if (!isAny || !sleep()) {
            return;
        }
        long[] after = threads.getThreadCpuTime(ids);
        double least = LEAST_SHARE * (System.nanoTime() - began);
        for (int i = 0; i < ids.length; i++) {
            boolean isKnown = before[i] >= 0 && after[i] >= 0; // Not so if it has ended.
            if (isKnown && after[i] - before[i] >= least && isNative(all[i])) {
                add(all[i], at);
            }
        }
    }

    private static boolean isNative(@Nullable ThreadInfo thread) {
        return thread != null && isNative(thread.getStackTrace());
    }

    private static boolean isNative(StackTraceElement[] stack) {
        return stack.length > 0 && stack[0].isNativeMethod() && isMeant(stack[0].getClassName());
    }

    private static boolean isMeant(String className) {
        return !LibraryCode.isOfJdk(className) || OF_JDK.stream().anyMatch(className::startsWith);
    }

    private static boolean sleep() {
        try {
            Thread.sleep(MEASURED_MILLIS);
            return true;
        } catch (InterruptedException e) {
            return false; // As for the doctor's thread: only closing ends it.
        }
    }

    private void add(ThreadInfo thread, long at) {
        List<String> stack = new ArrayList<>();
        for (StackTraceElement frame : thread.getStackTrace()) {
            String place = frame.getClassName() + "." + frame.getMethodName();
            int line = frame.getLineNumber();
            stack.add((line > 0 ? place + ":" + line : place).intern());
        }
        history.add(new JvmEvent(JvmEvent.NATIVE_CALL, at, 0, Map.of(), stack));
    }
}
