// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import io.heapsampler.internal.shared.DaemonThreads;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The threads of {@link HeapSamplerServer}. The JDK's server hands a request over with its first
 * byte; the rest is read in a thread of ours. A client has its time from then on, whether it has a
 * thread or waits for one. While clients wait, those that have kept their thread for longest lose
 * their connection, so that slow ones hold no other up.
 */
final class ServerThreads implements Executor {

    static final int THREADS = 64;

    /** Requests that wait for a thread. The server closes the connections of more. */
    static final int WAITING = 1024;

    /** The time that the client of this thread has to send its line and headers. */
    private static final ThreadLocal<Deadlines.@Nullable Deadline> READING = new ThreadLocal<>();

    private final Deadlines deadlines;
    private final Duration readTimeout;
    private final AtomicBoolean isMakingRoom = new AtomicBoolean();
    private final SeldomLog failures = new SeldomLog(System::nanoTime);
    private final ThreadPoolExecutor threads;

    ServerThreads(Deadlines deadlines, Duration readTimeout) {
        this.deadlines = deadlines;
        this.readTimeout = readTimeout;
        AtomicInteger number = new AtomicInteger();
        threads =
                new ThreadPoolExecutor(
                        THREADS,
                        THREADS,
                        10,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(WAITING),
                        work -> {
                            String name = "heapsampler-http-" + number.incrementAndGet();
                            return DaemonThreads.of(work, name);
                        });
        threads.allowCoreThreadTimeOut(true);
    }

    /** Throws {@link RejectedExecutionException} if there is no room; the server disconnects. */
    @Override
    public void execute(Runnable work) {
        Deadlines.Deadline deadline = deadlines.accept(readTimeout, HeapSamplerHandler.READ_GRACE);
        try {
            threads.execute(() -> run(work, deadline));
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            deadline.end();
            throw new RejectedExecutionException("no thread is free for a request", e);
        }
        makeRoom();
    }

    private void run(Runnable work, Deadlines.Deadline deadline) {
        deadline.attach();
        READING.set(deadline);
        try {
            work.run();
        } finally {
            deadline.end();
            READING.remove();
        }
    }

    /** Is called when line and headers of the request of this thread have been read. */
    static void headersAreRead() {
        Deadlines.Deadline deadline = READING.get();
        if (deadline != null) {
            deadline.end();
        }
    }

    private void makeRoom() {
        if (!threads.getQueue().isEmpty() && isMakingRoom.compareAndSet(false, true)) {
            try {
                deadlines.soon(this::makeRoomNow);
            } catch (RejectedExecutionException | OutOfMemoryError e) {
                // It is closed, or the next request tries again.
                isMakingRoom.set(false);
            }
        }
    }

    private void makeRoomNow() {
        try {
            deadlines.makeRoom(threads.getQueue().size());
        } catch (RuntimeException e) {
            failures.warn("Slow clients were not disconnected although others wait.", e);
        } finally {
            isMakingRoom.set(false);
        }
        makeRoom();
    }

    void close() {
        threads.shutdownNow();
    }
}
