// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.SnapshotOptions;
import io.heapsampler.internal.shared.ClosedRecordingException;
import io.heapsampler.internal.shared.SampleSource;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Ensures that operations with a cost for the application happen one at a time: forced collections,
 * which keep a distance as well, and waiting for {@code seconds}. A client that comes too early
 * gets the time for a retry.
 */
final class Costly {

    /**
     * A caller that neither writes nor closes a response loses its place this long after its time.
     */
    static final Duration GRACE = Duration.ofMinutes(2);

    private final SampleSource source;
    private final long gcSpacingNanos;
    private final AtomicReference<@Nullable Place> waiting = new AtomicReference<>();

    private volatile boolean allowsGc;
    private boolean isCollecting;
    private boolean hasCollected;
    private long lastGcNanos;

    Costly(SampleSource source, EndpointOptions options) {
        this.source = source;
        this.gcSpacingNanos = options.gcSpacing().toNanos();
        this.allowsGc = options.allowsGc();
    }

    /** The right to wait. */
    static final class Place implements AutoCloseable {
        private final AtomicReference<@Nullable Place> owner;
        private final long endNanos;

        private Place(AtomicReference<@Nullable Place> owner, long endNanos) {
            this.owner = owner;
            this.endNanos = endNanos;
        }

        @Override
        public void close() {
            owner.compareAndSet(this, null);
        }
    }

    boolean allowsGc() {
        return allowsGc;
    }

    void allowGc(boolean value) {
        allowsGc = value;
    }

    /** Takes the only place for the given number of seconds. */
    Place enter(int seconds) throws Refusal {
        long now = System.nanoTime();
        Place mine = new Place(waiting, now + TimeUnit.SECONDS.toNanos(seconds));
        Place other = waiting.get();
        boolean isFree = other == null || other.endNanos + GRACE.toNanos() - now < 0;
        if (!isFree || !waiting.compareAndSet(other, mine)) {
            long left = other == null ? 0 : TimeUnit.NANOSECONDS.toSeconds(other.endNanos - now);
            throw Refusal.later(
                    429, left + 1, "Another client waits for a delta already. Try again later.");
        }
        return mine;
    }

    HeapSnapshot snapshotAfterGc() throws Refusal {
        requireGc();
        beginGc();
        try {
            return source.snapshot(SnapshotOptions.afterGc());
        } catch (ClosedRecordingException e) {
            throw Refusal.gone(source);
        } finally {
            endGc();
        }
    }

    void requireGc() throws Refusal {
        if (!allowsGc) {
            throw new Refusal(
                    403, "Forced collections are switched off here. Ask without \"gc=1\".");
        }
    }

    private synchronized void beginGc() throws Refusal {
        if (isCollecting) {
            throw Refusal.later(429, 1, "Another collection is under way. Try again later.");
        }
        long left = lastGcNanos + gcSpacingNanos - System.nanoTime();
        if (hasCollected && left > 0) {
            throw Refusal.later(
                    429,
                    TimeUnit.NANOSECONDS.toSeconds(left) + 1,
                    "A collection was forced a moment ago. Try again later, or without \"gc=1\".");
        }
        isCollecting = true;
    }

    private synchronized void endGc() {
        isCollecting = false;
        hasCollected = true;
        lastGcNanos = System.nanoTime();
    }
}
