// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Rendered bytes, for one client or several that requested the same at the same time. The last
 * holder gives the memory back. Before that, another response can take it if no holder has read for
 * a while: that covers responses that are never closed.
 *
 * <p>One thread fills it; then any thread can read. The monitor of the budget guards the state.
 */
final class Rendered extends OutputStream {

    /** A client that reads nothing for this time may lose its response to others. */
    static final Duration STALL = Duration.ofSeconds(2);

    private static final int CHUNK = 16 * 1024;

    private final Budget budget;
    private final long maxBytes;
    private final List<byte[]> chunks = new ArrayList<>();
    private int inLast = CHUNK;
    private long length;
    private long taken;
    private int holders = 1;
    private boolean isRevoked;
    private long patienceNanos;
    private long sinceNanos;

    Rendered(Budget budget, long maxBytes) {
        this.budget = budget;
        this.maxBytes = maxBytes;
    }

    /** The memory that all responses together may hold. */
    static class Budget {

        private final long most;
        private final Set<Rendered> revocable = new HashSet<>();
        private long used;

        Budget(long most) {
            this.most = most;
        }

        /** Takes memory, from stalled clients if need be; returns false if there is not enough. */
        synchronized boolean take(long bytes) {
            while (used + bytes > most) {
                Optional<Rendered> stalled = longestStalled();
                if (stalled.isEmpty()) {
                    return false;
                }
                stalled.get().isRevoked = true;
                stalled.get().giveBack();
            }
            used += bytes;
            return true;
        }

        private Optional<Rendered> longestStalled() {
            long now = System.nanoTime();
            return revocable.stream()
                    .min(Comparator.comparingLong(rendered -> rendered.patienceLeft(now)))
                    .filter(rendered -> rendered.patienceLeft(now) < 0);
        }

        /** Returns a chunk that is not counted yet. A test fails here. */
        byte[] allocate() {
            return new byte[CHUNK];
        }

        synchronized long used() {
            return used;
        }
    }

    long length() {
        return length;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    /** Fails with a {@link Refusal} as the cause if there is no room. */
    @Override
    public void write(byte[] bytes, int offset, int count) throws IOException {
        if (length + count > maxBytes) {
            throw new IOException(
                    new Refusal(
                            503,
                            "The response would be larger than allowed. Lower"
                                    + " EndpointOptions.maxSites() or raise maxResponseBytes()."));
        }
        for (int done = 0; done < count; ) {
            if (inLast == CHUNK) {
                addChunk();
            }
            int part = Math.min(count - done, CHUNK - inLast);
            System.arraycopy(bytes, offset + done, chunks.get(chunks.size() - 1), inLast, part);
            inLast += part;
            done += part;
        }
        length += count;
    }

    private void addChunk() throws IOException {
        byte[] chunk = budget.allocate();
        if (!budget.take(CHUNK)) {
            String message = "Too many responses are under way. Try again later.";
            throw new IOException(Refusal.later(503, 1, message));
        }
        taken += CHUNK;
        chunks.add(chunk);
        inLast = 0;
    }

    /** Adds a holder, unless the memory has been given back. */
    boolean hold() {
        synchronized (budget) {
            if (holders == 0 || isRevoked) {
                return false;
            }
            holders++;
            sinceNanos = System.nanoTime();
            return true;
        }
    }

    /** Removes a holder. Does nothing if there is none. */
    void release() {
        synchronized (budget) {
            if (holders > 0 && --holders == 0) {
                giveBack();
            }
        }
    }

    /** Allows others to take the memory when nothing has been read for this time. */
    void revocableAfter(Duration patience) {
        synchronized (budget) {
            patienceNanos = patience.toNanos();
            sinceNanos = System.nanoTime();
            if (holders > 0 && !isRevoked) {
                budget.revocable.add(this);
            }
        }
    }

    long patienceLeft(long nowNanos) {
        return sinceNanos + patienceNanos - nowNanos;
    }

    private void giveBack() {
        budget.revocable.remove(this);
        budget.used -= taken;
        taken = 0;
        chunks.clear();
    }

    /** Returns the chunk of a byte to be read: its client has not stalled. */
    private byte[] chunk(long at) throws IOException {
        synchronized (budget) {
            if (isRevoked) {
                throw new IOException(
                        "nothing was read of the response for a while, and others needed its"
                                + " memory");
            }
            sinceNanos = System.nanoTime();
            return chunks.get((int) (at / CHUNK));
        }
    }

    /** Returns a stream of all of it, whose memory is not revoked any more. */
    InputStream input() throws IOException {
        List<InputStream> parts = new ArrayList<>();
        for (long at = 0; at < length; at += CHUNK) {
            parts.add(new ByteArrayInputStream(chunk(at), 0, (int) Math.min(CHUNK, length - at)));
        }
        return new SequenceInputStream(Collections.enumeration(parts));
    }

    /**
     * Returns a body that releases this when it is closed.
     *
     * @param timeoutNanos the time that the client has to read it
     */
    Body body(long timeoutNanos) {
        revocableAfter(STALL);
        return new Body() {
            private boolean isClosed;

            @Override
            public long length() {
                return length;
            }

            @Override
            public void writeTo(OutputStream out) throws IOException {
                long end = System.nanoTime() + timeoutNanos;
                for (long at = 0; at < length; at += CHUNK) {
                    if (System.nanoTime() - end > 0) {
                        throw new IOException("the client reads too slowly");
                    }
                    out.write(chunk(at), 0, (int) Math.min(CHUNK, length - at));
                }
            }

            @Override
            public synchronized void close() {
                if (!isClosed) {
                    isClosed = true;
                    release();
                }
            }
        };
    }
}
