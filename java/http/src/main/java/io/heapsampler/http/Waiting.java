// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.http.Snapshots.Writer;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A response over some seconds: it takes snapshots at equal distances and renders all of them. The
 * early ones are kept packed, within the budget of the responses.
 *
 * <p>Only one response waits at a time; others are refused. Every second it writes a beat, which
 * keeps the connection alive and fails when the client has left. When the seconds are over, it
 * frees the place before it writes the result: a client that does not read it blocks no other.
 */
final class Waiting implements Body {

    /** After its seconds and this time, a response that is neither written nor closed is lost. */
    static final Duration GRACE = Duration.ofMinutes(2);

    private final Snapshots snapshots;
    private final AtomicReference<@Nullable Waiting> place;
    private final int seconds;
    private final int count;
    private final boolean afterGc;
    private final byte[] beat;
    private final Writer<List<HeapSnapshot>> writer;
    private final List<Rendered> kept = new ArrayList<>();
    private final long endNanos;
    private Runnable afterWait = () -> {};

    /**
     * Takes the place and the first snapshot.
     *
     * @param place the response that waits, for all of an endpoint
     * @param count the number of snapshots, the last of which is taken at the end
     * @param beat means nothing in the format of the response
     */
    Waiting(
            Snapshots snapshots,
            AtomicReference<@Nullable Waiting> place,
            int seconds,
            int count,
            boolean afterGc,
            byte[] beat,
            Writer<List<HeapSnapshot>> writer)
            throws Refusal, IOException {
        this.snapshots = snapshots;
        this.place = place;
        this.seconds = seconds;
        this.count = count;
        this.afterGc = afterGc;
        this.beat = beat;
        this.writer = writer;
        this.endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        enter();
        try {
            keepIfDue(0);
        } catch (Refusal | IOException | RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private void enter() throws Refusal {
        long now = System.nanoTime();
        Waiting other = place.get();
        boolean isFree = other == null || other.endNanos + GRACE.toNanos() - now < 0;
        if (!isFree || !place.compareAndSet(other, this)) {
            long left = other == null ? 0 : TimeUnit.NANOSECONDS.toSeconds(other.endNanos - now);
            throw Refusal.later(
                    429, left + 1, "Another client waits for a delta already. Try again later.");
        }
    }

    private void keepIfDue(int second) throws Refusal, IOException {
        if (second * (count - 1) >= kept.size() * seconds) {
            Rendered packed = snapshots.renderAlone(afterGc, Snapshots::pack);
            packed.revocableAfter(GRACE.plusSeconds(seconds));
            kept.add(packed);
        }
    }

    @Override
    public long length() {
        return -1;
    }

    @Override
    public Duration waits() {
        return snapshots.options().second.multipliedBy(seconds);
    }

    @Override
    public void afterWait(Runnable action) {
        afterWait = action;
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        Body result = await(out);
        try {
            afterWait.run();
            result.writeTo(out);
        } finally {
            result.close();
        }
    }

    private Body await(OutputStream out) throws IOException {
        try {
            long begin = System.nanoTime();
            long second = snapshots.options().second.toNanos();
            for (int i = 1; i <= seconds; i++) {
                out.write(beat);
                out.flush();
                sleepUntil(begin + i * second);
                if (i < seconds) {
                    keepIfDue(i);
                }
            }
            return snapshots.body(snapshots.renderAlone(afterGc, this::render));
        } catch (Refusal e) {
            throw new IOException(e.text(), e);
        } finally {
            close();
        }
    }

    private static void sleepUntil(long nanos) throws IOException {
        try {
            TimeUnit.NANOSECONDS.sleep(nanos - System.nanoTime());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for a delta", e);
        }
    }

    private void render(HeapSnapshot last, OutputStream out) throws Refusal, IOException {
        List<HeapSnapshot> all = new ArrayList<>();
        for (Rendered packed : kept) {
            all.add(Snapshots.unpack(packed));
        }
        all.add(last);
        if (all.stream().map(HeapSnapshot::startedAt).distinct().count() > 1) {
            throw new Refusal(503, "The sampler was reset meanwhile. Try again.");
        }
        writer.write(all, out);
    }

    @Override
    public void close() {
        place.compareAndSet(this, null);
        kept.forEach(Rendered::release);
    }
}
