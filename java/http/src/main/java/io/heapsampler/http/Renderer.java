// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Renders responses into memory, so that the status reports a failure, and no client, however slow,
 * keeps a snapshot. At most two are rendered at a time, and clients that request the same meanwhile
 * get the same.
 */
final class Renderer {

    private static final int AT_A_TIME = 2;
    private static final long PATIENCE_SECONDS = 30;

    private final Semaphore permits = new Semaphore(AT_A_TIME, true);
    private final ConcurrentHashMap<String, FutureTask<Rendered>> underWay =
            new ConcurrentHashMap<>();
    private final Budget budget;
    private final long maxBytes;

    Renderer(EndpointOptions options) {
        this.maxBytes = options.maxResponseBytes();
        this.budget = new Budget(2 * maxBytes);
    }

    /** Writes a response. */
    interface Work {
        void writeTo(OutputStream out) throws IOException, Refusal;
    }

    long used() {
        return budget.used();
    }

    /** Renders, or waits for another who renders the same. The caller must release the result. */
    Rendered shared(String key, Work work) throws Refusal, IOException {
        while (true) {
            FutureTask<Rendered> mine = new FutureTask<>(() -> alone(work));
            FutureTask<Rendered> other = underWay.putIfAbsent(key, mine);
            if (other == null) {
                try {
                    mine.run();
                } finally {
                    underWay.remove(key, mine);
                }
                return get(mine);
            }
            Rendered theirs = get(other);
            if (theirs.hold()) {
                return theirs;
            } // Else they were quicker than we; once more.
        }
    }

    /** Renders for one client. The caller must release the result. */
    Rendered alone(Work work) throws Refusal, IOException {
        enter();
        try {
            return fill(work);
        } finally {
            permits.release();
        }
    }

    /** Renders for a caller that has a permit already. */
    Rendered fill(Work work) throws Refusal, IOException {
        Rendered rendered = new Rendered(budget, maxBytes);
        boolean isDone = false;
        try {
            OutputStream out = rendered.output();
            work.writeTo(out);
            isDone = true;
            return rendered;
        } catch (Rendered.TooLarge e) {
            throw e.refusal();
        } finally {
            if (!isDone) {
                rendered.release();
            }
        }
    }

    private void enter() throws Refusal {
        try {
            if (permits.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw busy();
    }

    private static Refusal busy() {
        return Refusal.later(503, 5, "The server is busy with other responses. Try again later.");
    }

    private static Rendered get(FutureTask<Rendered> task) throws Refusal, IOException {
        try {
            return task.get(2 * PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw busy();
        } catch (TimeoutException e) {
            throw busy();
        } catch (ExecutionException e) {
            throw failure(e.getCause());
        }
    }

    /** Throws what the rendering threw, as its own for each who waited for it. */
    private static Refusal failure(@Nullable Throwable cause) throws Refusal, IOException {
        if (cause instanceof IOException io) {
            throw new IOException(io);
        }
        if (cause instanceof RuntimeException runtime) {
            throw runtime;
        }
        if (cause instanceof Error error) {
            throw error;
        }
        return cause instanceof Refusal refusal ? refusal : busy();
    }

    /**
     * Bytes that all responses together may hold. When there is no room for another one, those
     * whose clients have read nothing for too long lose theirs: so does a response that is never
     * closed.
     */
    static final class Budget {

        private final long most;
        private final Set<Rendered> revocable = new HashSet<>();
        private long used;

        Budget(long most) {
            this.most = most;
        }

        /** Takes room, from others if need be; returns false if there is none. */
        boolean take(long bytes) {
            while (!tryTake(bytes)) {
                Rendered stalled = removeStalled();
                if (stalled == null) {
                    return false;
                }
                stalled.tryRevoke(System.nanoTime());
            }
            return true;
        }

        private synchronized boolean tryTake(long bytes) {
            if (used + bytes > most) {
                return false;
            }
            used += bytes;
            return true;
        }

        private synchronized @Nullable Rendered removeStalled() {
            long now = System.nanoTime();
            Rendered longest =
                    revocable.stream()
                            .min(Comparator.comparingLong(rendered -> rendered.patienceLeft(now)))
                            .filter(rendered -> rendered.patienceLeft(now) < 0)
                            .orElse(null);
            revocable.remove(longest);
            return longest;
        }

        synchronized void give(long bytes) {
            used -= bytes;
        }

        /** From now on its room may be taken when its patience is at an end. */
        synchronized void mayRevoke(Rendered rendered) {
            revocable.add(rendered);
        }

        synchronized void forget(Rendered rendered) {
            revocable.remove(rendered);
        }

        synchronized long used() {
            return used;
        }
    }
}
