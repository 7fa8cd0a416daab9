// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Renders responses into memory, so that a failure is told by the status, and no client, be it ever
 * so slow, keeps a snapshot. At most two are rendered at a time, and clients who ask for the same
 * meanwhile get the same.
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
}
