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
 * Renders responses into memory, so that the status reports a failure, and no client, however slow,
 * keeps a snapshot. At most two are rendered at a time; clients that request the same meanwhile
 * share the result. Safe for use by many threads.
 */
final class Renderer {

    private static final int AT_A_TIME = 2;
    private static final long PATIENCE_SECONDS = 30;

    private final Semaphore permits = new Semaphore(AT_A_TIME, true);
    private final ConcurrentHashMap<String, FutureTask<Rendered>> underWay =
            new ConcurrentHashMap<>();
    private final Rendered.Budget budget;
    private final long maxBytes;

    Renderer(EndpointOptions options) {
        this.maxBytes = options.maxResponseBytes;
        this.budget = new Rendered.Budget(2 * maxBytes);
    }

    /** Writes a response. */
    interface Work {
        void writeTo(OutputStream out) throws IOException, Refusal;
    }

    long used() {
        return budget.used();
    }

    /** Renders, or waits for a thread that renders the same. The caller releases the result. */
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
            } // Else it was released before this thread held it: render it again.
        }
    }

    /** Renders for one client. The caller releases the result. */
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
            work.writeTo(rendered);
            isDone = true;
            return rendered;
        } catch (IOException e) {
            if (e.getCause() instanceof Refusal tooLarge) {
                throw tooLarge;
            }
            throw e;
        } finally {
            if (!isDone) {
                rendered.release();
            }
        }
    }

    private void enter() throws Refusal {
        try {
            if (!permits.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw busy();
            }
        } catch (InterruptedException e) {
            throw interrupted();
        }
    }

    private static Refusal busy() {
        return Refusal.later(503, 5, "The server is busy with other responses. Try again later.");
    }

    private static Refusal interrupted() {
        Thread.currentThread().interrupt();
        return busy();
    }

    private static Rendered get(FutureTask<Rendered> task) throws Refusal, IOException {
        try {
            return task.get(2 * PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw interrupted();
        } catch (TimeoutException e) {
            throw busy();
        } catch (ExecutionException e) {
            throw failure(e.getCause());
        }
    }

    /** Throws what the rendering threw; each waiting thread gets an exception of its own. */
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
