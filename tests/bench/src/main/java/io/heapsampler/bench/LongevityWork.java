// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * A program that never does the same twice: threads, hidden classes, stacks, loaded classes. It
 * counts what it allocates.
 */
final class LongevityWork {

    /** How many there are to be of each kind. */
    record Size(int platform, int virtual, int hidden, int stacks, int loaded) {

        static Size of(double scale, double platformShare) {
            int threads = (int) (10_000_000 * scale);
            int platform = (int) (threads * platformShare);
            return new Size(
                    platform,
                    threads - platform,
                    (int) (2_000_000 * scale),
                    (int) (3_000_000 * scale),
                    (int) (20_000 * scale));
        }

        /** The part of one round. */
        Size of(int rounds) {
            return new Size(
                    platform / rounds,
                    virtual / rounds,
                    hidden / rounds,
                    stacks / rounds,
                    loaded / rounds);
        }
    }

    /** 2 KiB with its array, in each platform thread. */
    static final class PlatformMark {}

    /** 2 KiB with its array, in each virtual thread. */
    static final class VirtualMark {}

    /** 2 KiB with its array, on each stack. */
    static final class StackMark {}

    private static final int MARK_LENGTH = 508;
    private static final int LEVELS = 16;
    private static final int PATTERN_STEP = 40_503; // odd: no two numbers have one pattern
    private static final int PLATFORM_BATCH = 16;
    private static final int VIRTUAL_BATCH = 500;
    private static final int DRIVERS = 3;

    private final FreshClasses classes;
    private final ExecutorService drivers =
            Executors.newFixedThreadPool(DRIVERS, LongevityWork::driver);
    private long platform; // these five: written by one driver each, read while none works
    private long virtual;
    private long hidden;
    private int stacks;
    private int loaded;
    private static volatile Object sink;

    LongevityWork(FreshClasses classes) {
        this.classes = classes;
    }

    private static Thread driver(Runnable work) {
        Thread thread = new Thread(work, "driver");
        thread.setDaemon(true);
        return thread;
    }

    long platform() {
        return platform;
    }

    long virtual() {
        return virtual;
    }

    long hidden() {
        return hidden;
    }

    int stacks() {
        return stacks;
    }

    int loaded() {
        return loaded;
    }

    /**
     * Begins the platform threads of a round. They have a time of their own, since each sets the
     * generator of the JVM anew: while they come and go, samples are not independent.
     */
    List<Future<?>> beginPlatform(Size size) {
        return begin(List.of(() -> platform(size)));
    }

    /** Begins the rest of the work of a round. */
    List<Future<?>> beginRest(Size size) {
        return begin(List.of(() -> virtual(size), () -> classes(size), () -> stacks(size)));
    }

    private List<Future<?>> begin(List<Callable<Void>> work) {
        List<Future<?>> all = new ArrayList<>();
        work.forEach(each -> all.add(drivers.submit(each)));
        return all;
    }

    private Void platform(Size size) throws InterruptedException {
        Thread[] batch = new Thread[PLATFORM_BATCH];
        for (int done = 0; done < size.platform(); done += batch.length) {
            for (int i = 0; i < batch.length; i++) {
                Runnable work = () -> sink = new PlatformMark[MARK_LENGTH];
                batch[i] = NamedThreads.start("request-" + platform++, work);
            }
            join(batch);
        }
        return null;
    }

    private Void virtual(Size size) throws InterruptedException {
        Thread[] batch = new Thread[VIRTUAL_BATCH];
        for (int done = 0; done < size.virtual(); done += batch.length) {
            for (int i = 0; i < batch.length; i++) {
                Runnable work = () -> sink = new VirtualMark[MARK_LENGTH];
                batch[i] = NamedThreads.startVirtual("virtual-" + virtual++, work);
            }
            join(batch);
        }
        return null;
    }

    private static void join(Thread[] batch) throws InterruptedException {
        for (Thread thread : batch) {
            thread.join();
        }
    }

    private Void classes(Size size) throws ReflectiveOperationException {
        int every = Math.max(1, size.hidden() / Math.max(1, size.loaded()));
        int end = loaded + size.loaded();
        for (int i = 0; i < size.hidden(); i++) {
            classes.hide();
            hidden++;
            if (i % every == 0 && loaded < end) {
                classes.load(++loaded);
            }
        }
        return null;
    }

    private Void stacks(Size size) {
        DeepCalls calls = DeepCalls.ofLevels(LEVELS, () -> sink = new StackMark[MARK_LENGTH]);
        for (int i = 0; i < size.stacks(); i++) {
            calls.call(stacks++ * PATTERN_STEP);
        }
        return null;
    }

    /** Runs something on a stack that was never used before; numbers count down from -1. */
    static void onFreshStack(int number, Runnable bottom) {
        DeepCalls.ofLevels(LEVELS, bottom).call(number * PATTERN_STEP);
    }
}
