// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import com.sun.net.httpserver.HttpExchange;
import java.io.FilterInputStream;
import java.io.IOException;
import java.time.Duration;

/**
 * The body of a request to the JDK's server, for the thread that answers it. It is read when the
 * endpoint has let the client in. The rest of a refused request is not awaited; the JDK's server
 * itself would wait for it before it closes an exchange.
 */
final class RequestBody extends FilterInputStream {

    /** A client may send this much before it reads the answer. */
    private static final int MOST_DRAINED = 16 << 20;

    private static final int MOST_SKIPPED = 8 * 1024;

    private static final Duration DRAIN_TIMEOUT = Duration.ofSeconds(2);

    private final HttpExchange exchange;
    private final Deadlines deadlines;
    private long left;
    private boolean isLetIn;

    RequestBody(HttpExchange exchange, Deadlines deadlines) {
        super(exchange.getRequestBody());
        this.exchange = exchange;
        this.deadlines = deadlines;
        this.left = length(exchange);
    }

    /** The server has checked the headers: there is one length, or chunks, or nothing. */
    private static long length(HttpExchange exchange) {
        if (exchange.getRequestHeaders().containsKey("Transfer-Encoding")) {
            return Long.MAX_VALUE;
        }
        String length = exchange.getRequestHeaders().getFirst("Content-Length");
        return length == null ? 0 : Long.parseLong(length.trim());
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        int count = in.read(bytes, offset, length);
        left = count < 0 ? 0 : left - count;
        return count;
    }

    /** Reads the form: the client has some time for it. */
    @Override
    public byte[] readNBytes(int length) throws IOException {
        isLetIn = true;
        Deadlines.Deadline reading =
                deadlines.begin(HeapSamplerHandler.READ_TIMEOUT, HeapSamplerHandler.READ_GRACE);
        try {
            return super.readNBytes(length);
        } finally {
            reading.end();
        }
    }

    /**
     * Skips the part that has arrived with the headers, without waiting. Returns true at the end.
     */
    boolean skipBuffered() throws IOException {
        byte[] bytes = new byte[MOST_SKIPPED];
        int skipped = 0;
        while (left > 0 && skipped < MOST_SKIPPED && in.available() > 0) {
            skipped += Math.max(0, read(bytes, 0, MOST_SKIPPED - skipped));
        }
        return left == 0;
    }

    /** Ends the exchange, of which the response has been sent. */
    void endExchange() throws IOException {
        if (left > 0 && isLetIn) {
            drain();
        }
        if (left > 0) {
            disconnect();
        }
        exchange.close();
    }

    /**
     * Closes the connection. The server forgets it only if the stream of the response is closed,
     * and waits for the rest of the request then; the interrupt closes the channel instead.
     */
    private void disconnect() throws IOException {
        boolean wasInterrupted = Thread.interrupted();
        Thread.currentThread().interrupt();
        try {
            exchange.getResponseBody().close();
        } finally {
            if (!wasInterrupted) {
                Thread.interrupted();
            }
        }
    }

    /** Reads on for a while: a connection that is closed early is reset, and the answer is lost. */
    private void drain() {
        Deadlines.Deadline draining = deadlines.begin(DRAIN_TIMEOUT, HeapSamplerHandler.READ_GRACE);
        try {
            byte[] bytes = new byte[16 * 1024];
            for (int drained = 0; left > 0 && drained < MOST_DRAINED; ) {
                drained += Math.max(0, read(bytes, 0, bytes.length));
            }
        } catch (IOException e) {
            // It has left, or takes too long.
        } finally {
            draining.end();
        }
    }
}
