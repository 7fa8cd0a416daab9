// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * What was rendered, for one client or several who asked for the same at the same time. Its memory
 * is given back when the last of them has it.
 */
final class Rendered {

    private static final int CHUNK = 16 * 1024;

    private final Budget budget;
    private final long maxBytes;
    private final List<byte[]> chunks = new ArrayList<>();
    private int inLast = CHUNK;
    private int holders = 1;

    Rendered(Budget budget, long maxBytes) {
        this.budget = budget;
        this.maxBytes = maxBytes;
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
        return (long) CHUNK * chunks.size() + inLast - CHUNK;
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
        if (length() + length > maxBytes) {
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
    }

    private void addChunk() throws TooLarge {
        if (!budget.take(CHUNK)) {
            throw new TooLarge(false);
        }
        chunks.add(new byte[CHUNK]);
        inLast = 0;
    }

    /** Adds a holder, unless the last one has let go. */
    synchronized boolean hold() {
        if (holders == 0) {
            return false;
        }
        holders++;
        return true;
    }

    synchronized void release() {
        holders--;
        if (holders == 0) {
            budget.give((long) CHUNK * chunks.size());
        }
    }

    /** Writes all to a client, who may take so long for it. */
    void writeTo(OutputStream out, long timeoutNanos) throws IOException {
        long end = System.nanoTime() + timeoutNanos;
        for (int i = 0; i < chunks.size(); i++) {
            if (System.nanoTime() - end > 0) {
                throw new IOException("the client reads too slowly");
            }
            out.write(chunks.get(i), 0, i == chunks.size() - 1 ? inLast : CHUNK);
        }
    }

    /** Returns a body that releases this when it is closed. */
    Body body(long timeoutNanos) {
        return new Body() {
            private boolean isClosed;

            @Override
            public long length() {
                return Rendered.this.length();
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
