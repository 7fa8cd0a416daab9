// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import io.heapsampler.http.Renderer.Budget;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/**
 * Rendered bytes, for one client or several that requested the same at the same time. Its memory is
 * given back when the last of them has it, or when others need it and none of them has read for a
 * while.
 */
final class Rendered {

    /** A client that reads nothing for this time may lose its response to others. */
    static final Duration STALL = Duration.ofSeconds(2);

    private static final int CHUNK = 16 * 1024;

    private final Budget budget;
    private final long maxBytes;
    private final IntFunction<byte[]> allocator;
    private final List<byte[]> chunks = new ArrayList<>();
    private int inLast = CHUNK;
    private int holders = 1;
    private long length;
    private boolean isRevoked;
    private volatile long patienceNanos;
    private volatile long sinceNanos;

    Rendered(Budget budget, long maxBytes) {
        this(budget, maxBytes, byte[]::new);
    }

    /** For tests of a lack of memory. */
    Rendered(Budget budget, long maxBytes, IntFunction<byte[]> allocator) {
        this.budget = budget;
        this.maxBytes = maxBytes;
        this.allocator = allocator;
    }

    /** There is no room for the response, now or ever. */
    static final class TooLarge extends IOException {

        private static final long serialVersionUID = 1L;

        private final boolean isEver;

        TooLarge(boolean isEver) {
            super("the response is too large");
            this.isEver = isEver;
        }

        Refusal refusal() {
            return isEver
                    ? new Refusal(
                            503,
                            "The response would be larger than allowed. Lower"
                                    + " EndpointOptions.maxSites() or raise maxResponseBytes().")
                    : Refusal.later(503, 1, "Too many responses are under way. Try again later.");
        }
    }

    long length() {
        return length;
    }

    /** Returns a stream that fills this, at first; there must be no other holder yet. */
    OutputStream output() {
        return new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                write(new byte[] {(byte) b}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                append(bytes, offset, length);
            }
        };
    }

    private void append(byte[] bytes, int offset, int length) throws TooLarge {
        if (this.length + length > maxBytes) {
            throw new TooLarge(true);
        }
        int done = 0;
        while (done < length) {
            if (inLast == CHUNK) {
                addChunk();
            }
            int count = Math.min(length - done, CHUNK - inLast);
            System.arraycopy(bytes, offset + done, chunks.get(chunks.size() - 1), inLast, count);
            inLast += count;
            done += count;
        }
        this.length += length;
    }

    private void addChunk() throws TooLarge {
        if (!budget.take(CHUNK)) {
            throw new TooLarge(false);
        }
        boolean isAdded = false;
        try {
            chunks.add(allocator.apply(CHUNK));
            isAdded = true;
        } finally {
            if (!isAdded) {
                budget.give(CHUNK);
            }
        }
        inLast = 0;
    }

    /** Adds a holder, unless the memory has been given back. */
    synchronized boolean hold() {
        if (holders == 0 || isRevoked) {
            return false;
        }
        holders++;
        sinceNanos = System.nanoTime();
        return true;
    }

    synchronized void release() {
        holders--;
        if (holders == 0) {
            budget.forget(this);
            giveBack();
        }
    }

    /** Allows others to take the memory when nothing has been read for this time. */
    void revocableAfter(Duration patience) {
        patienceNanos = patience.toNanos();
        sinceNanos = System.nanoTime();
        budget.mayRevoke(this);
    }

    long patienceLeft(long nowNanos) {
        return sinceNanos + patienceNanos - nowNanos;
    }

    /** Takes the memory away from those who hold this, unless one has read or come since. */
    synchronized void tryRevoke(long nowNanos) {
        if (holders == 0) {
            return;
        }
        if (patienceLeft(nowNanos) >= 0) {
            budget.mayRevoke(this);
            return;
        }
        isRevoked = true;
        giveBack();
    }

    private void giveBack() {
        budget.give((long) CHUNK * chunks.size());
        chunks.clear();
    }

    private synchronized byte[] chunk(int index) throws IOException {
        if (isRevoked) {
            throw new IOException(
                    "nothing was read of the response for a while, and others needed its memory");
        }
        sinceNanos = System.nanoTime();
        return chunks.get(index);
    }

    /** Writes all to a client, who may take so long for it. */
    void writeTo(OutputStream out, long timeoutNanos) throws IOException {
        long end = System.nanoTime() + timeoutNanos;
        int count = 0;
        for (long at = 0; at < length; at += CHUNK) {
            if (System.nanoTime() - end > 0) {
                throw new IOException("the client reads too slowly");
            }
            out.write(chunk(count++), 0, (int) Math.min(CHUNK, length - at));
        }
    }

    /** Returns a stream of all of it. */
    InputStream input() {
        return new InputStream() {
            private long at;

            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
            }

            @Override
            public int read(byte[] bytes, int offset, int count) throws IOException {
                if (at == length) {
                    return -1;
                }
                int from = (int) (at % CHUNK);
                int read = (int) Math.min(Math.min(count, CHUNK - from), length - at);
                System.arraycopy(chunk((int) (at / CHUNK)), from, bytes, offset, read);
                at += read;
                return read;
            }
        };
    }

    /** Returns a body that releases this when it is closed. */
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
                Rendered.this.writeTo(out, timeoutNanos);
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
