// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import io.heapsampler.internal.shared.DaemonThreads;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Ends reading and writing that takes too long. The JDK's server blocks in the channel of its
 * client, and an interrupt closes the channel under it. The one thread ends when there is nothing
 * to wait for. Safe for use by many threads.
 */
class Deadlines {

    private final Set<Deadline> running = ConcurrentHashMap.newKeySet();
    private final ScheduledThreadPoolExecutor timer;

    Deadlines() {
        ThreadFactory daemons = work -> DaemonThreads.of(work, "heapsampler-http-deadlines");
        timer = new ScheduledThreadPoolExecutor(1, daemons);
        timer.setKeepAliveTime(5, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
        timer.setRemoveOnCancelPolicy(true);
    }

    /** The time that a client has for something, and the thread that serves it. */
    final class Deadline {
        private volatile long graceNanos;
        private volatile long sinceNanos;
        private @Nullable Thread thread;
        private @Nullable Runnable cancel;
        private boolean isMet;
        private boolean isMissed;

        private Deadline(Duration grace) {
            this.graceNanos = grace.toNanos();
        }

        /** Gives it to the calling thread, which is interrupted when the time is over. */
        synchronized void attach() {
            thread = Thread.currentThread();
            sinceNanos = System.nanoTime();
            running.add(this);
            if (isMissed) {
                thread.interrupt();
            }
        }

        /** Notes that the client has taken something: its grace begins again. */
        void progress() {
            sinceNanos = System.nanoTime();
        }

        /** Begins another grace. */
        void grace(Duration grace) {
            progress(); // First, so that the time before does not count.
            graceNanos = grace.toNanos();
        }

        private synchronized void strike() {
            if (!isMet && !isMissed) {
                isMissed = true;
                if (thread != null) {
                    thread.interrupt();
                }
            }
        }

        private synchronized boolean isStruck() {
            return isMissed;
        }

        private long left(long nowNanos) {
            return sinceNanos + graceNanos - nowNanos;
        }

        /** Ends the time. The thread is not interrupted any more, nor still interrupted. */
        synchronized void end() {
            if (!isMet) {
                isMet = true;
                running.remove(this);
                if (isMissed && thread != null) {
                    Thread.interrupted();
                }
                if (cancel != null) {
                    cancel.run();
                }
            }
        }
    }

    /**
     * Begins the time of a client that has no thread yet.
     *
     * @param time its time in total
     * @param grace its time without progress while other clients wait for its thread
     */
    Deadline accept(Duration time, Duration grace) {
        Deadline deadline = new Deadline(grace);
        synchronized (deadline) {
            var timeout = timer.schedule(deadline::strike, time.toNanos(), TimeUnit.NANOSECONDS);
            deadline.cancel = () -> timeout.cancel(false);
        }
        return deadline;
    }

    /** Begins the time of the client that the calling thread serves. */
    Deadline begin(Duration time, Duration grace) {
        Deadline deadline = accept(time, grace);
        deadline.attach();
        return deadline;
    }

    /** Disconnects as many clients as wait for a thread, at most those whose grace is over. */
    void makeRoom(int waiting) {
        long now = System.nanoTime();
        long underWay = running.stream().filter(Deadline::isStruck).count();
        running.stream()
                .filter(deadline -> !deadline.isStruck())
                // Read once: the thread of a deadline changes it while others are sorted.
                .map(deadline -> Map.entry(deadline.left(now), deadline))
                .filter(late -> late.getKey() < 0)
                .sorted(Map.Entry.comparingByKey())
                .limit(Math.max(0, waiting - underWay))
                .forEach(late -> late.getValue().strike());
    }

    /**
     * Runs something soon, in the thread of the timer.
     *
     * @throws RejectedExecutionException if this is closed, and so are the connections
     */
    void soon(Runnable work) {
        var unused = timer.schedule(work, 20, TimeUnit.MILLISECONDS);
    }

    void close() {
        timer.shutdownNow();
    }
}
