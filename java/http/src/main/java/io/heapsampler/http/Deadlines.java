// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Breaks off reading and writing that takes too long. The JDK's server blocks in the channel of its
 * client, and an interrupt closes the channel under it. The one thread ends when there is nothing
 * to wait for.
 */
final class Deadlines {

    private final ScheduledThreadPoolExecutor timer;

    Deadlines() {
        timer =
                new ScheduledThreadPoolExecutor(
                        1,
                        work -> {
                            Thread thread = new Thread(work, "heapsampler-http-deadlines");
                            thread.setDaemon(true);
                            return thread;
                        });
        timer.setKeepAliveTime(5, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
        timer.setRemoveOnCancelPolicy(true);
    }

    /** The time that the calling thread has for something. */
    static final class Deadline {
        private final Thread thread = Thread.currentThread();
        private @Nullable ScheduledFuture<?> timeout;
        private boolean isMet;
        private boolean isMissed;

        private synchronized void strike() {
            if (!isMet) {
                isMissed = true;
                thread.interrupt();
            }
        }

        /** Ends the time. The thread is not interrupted any more, nor still interrupted. */
        synchronized void end() {
            if (!isMet) {
                isMet = true;
                if (isMissed) {
                    Thread.interrupted();
                }
                if (timeout != null) {
                    timeout.cancel(false);
                }
            }
        }
    }

    Deadline begin(Duration time) {
        Deadline deadline = new Deadline();
        synchronized (deadline) {
            deadline.timeout =
                    timer.schedule(deadline::strike, time.toMillis(), TimeUnit.MILLISECONDS);
        }
        return deadline;
    }

    void close() {
        timer.shutdownNow();
    }
}
