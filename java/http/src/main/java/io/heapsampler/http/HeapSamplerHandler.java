// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.heapsampler.ApiStatus;
import io.heapsampler.http.Deadlines.Deadline;
import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.time.Duration;
import java.util.Objects;

/**
 * Serves the endpoint from the JDK's own HTTP server.
 *
 * <pre>{@code
 * HttpServer server = HttpServer.create(new InetSocketAddress("localhost", 8080), 0);
 * EndpointOptions options = EndpointOptions.builder().token(System.getenv("HEAP_TOKEN")).build();
 * server.createContext("/debug/", new HeapSamplerHandler(options));
 * server.setExecutor(Executors.newFixedThreadPool(8));
 * }</pre>
 *
 * <p>The server needs an executor: without one, a request for {@code seconds} blocks all others.
 * The form of a POST is read after the client has been authenticated; the client has 10 seconds for
 * it. The rest of a refused request is not awaited: the connection is closed. Line and headers are
 * read by the server, which has no timeout for them unless you set one.
 *
 * <p>Safe for use by many threads.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
public final class HeapSamplerHandler implements HttpHandler {

    /** For the form of a POST, which is short. */
    static final Duration READ_TIMEOUT = Duration.ofSeconds(10);

    /** The same while other clients wait for the thread. */
    static final Duration READ_GRACE = Duration.ofMillis(250);

    private final HeapSamplerEndpoint endpoint;
    private final Deadlines deadlines;
    private final SeldomLog failures = new SeldomLog(System::nanoTime);

    /**
     * Makes a handler with an endpoint of its own.
     *
     * @param options decide which clients are served
     * @throws IllegalStateException as {@link
     *     HeapSamplerEndpoint#HeapSamplerEndpoint(EndpointOptions)}
     */
    public HeapSamplerHandler(EndpointOptions options) {
        this(new HeapSamplerEndpoint(options));
    }

    /**
     * Makes a handler.
     *
     * @param endpoint serves the requests
     */
    public HeapSamplerHandler(HeapSamplerEndpoint endpoint) {
        this(endpoint, new Deadlines());
    }

    HeapSamplerHandler(HeapSamplerEndpoint endpoint, Deadlines deadlines) {
        this.endpoint = Objects.requireNonNull(endpoint, "endpoint");
        this.deadlines = deadlines;
    }

    /**
     * Serves one request.
     *
     * @param exchange the request and its response
     * @throws IOException if the client has left or is too slow, or the figures cannot be obtained;
     *     the server closes the connection then
     */
    @Override
    public void handle(HttpExchange exchange) throws IOException {
        try {
            answer(exchange);
        } catch (Error e) {
            // The server closes the connection after an exception only.
            report(e);
            throw new IOException("an answer about the heap failed", e);
        }
    }

    private void report(Error e) {
        try {
            failures.warn("A connection was closed early: an answer about the heap failed.", e);
        } catch (Error again) {
            // There may be no memory for a line of the log. The connection is closed without it.
        }
    }

    private void answer(HttpExchange exchange) throws IOException {
        RequestBody form = new RequestBody(exchange, deadlines);
        try (EndpointResponse response = endpoint.handle(request(exchange, form))) {
            Deadline writing = begin(response.body());
            try {
                send(response, exchange, form, writing);
            } finally {
                writing.end();
            }
        }
        // Not when it failed: closing would end the response properly.
        form.endExchange();
    }

    /** A client that waits for its seconds keeps its thread, until they are over. */
    Deadline begin(Body body) {
        Duration time = endpoint.options().writeTimeout.plus(body.waits());
        Duration grace = body.waits().isZero() ? Rendered.STALL : time;
        Deadline writing = deadlines.begin(time, grace);
        body.afterWait(() -> writing.grace(Rendered.STALL));
        return writing;
    }

    private static EndpointRequest request(HttpExchange exchange, RequestBody form) {
        URI target = exchange.getRequestURI();
        String path = target.getRawPath();
        EndpointRequest.Builder request =
                EndpointRequest.builder(exchange.getRequestMethod(), path == null ? "" : path)
                        .query(target.getRawQuery())
                        .authority(target.getRawAuthority())
                        .remoteAddress(exchange.getRemoteAddress().getAddress())
                        .body(form);
        exchange.getRequestHeaders()
                .forEach((name, values) -> values.forEach(value -> request.header(name, value)));
        return request.build();
    }

    private static void send(
            EndpointResponse response, HttpExchange exchange, RequestBody form, Deadline writing)
            throws IOException {
        Headers headers = exchange.getResponseHeaders();
        response.headers().forEach(headers::set);
        long length = response.contentLength().orElse(-1);
        boolean isAtEnd = form.skipBuffered();
        if (!isAtEnd) {
            headers.set("Connection", "close");
        }
        // To this method, -1 means no body and 0 one of unknown length.
        if (length == 0 || exchange.getRequestMethod().equals("HEAD")) {
            if (!isAtEnd) {
                // Some JDKs would wait for the rest of the request here.
                throw new IOException("the client has not sent all of its request");
            }
            exchange.sendResponseHeaders(response.status(), -1);
            return;
        }
        exchange.sendResponseHeaders(response.status(), Math.max(length, 0));
        OutputStream client = exchange.getResponseBody();
        response.writeTo(
                new FilterOutputStream(client) {
                    @Override
                    public void write(byte[] bytes, int offset, int length) throws IOException {
                        out.write(bytes, offset, length);
                        writing.progress(); // The client has taken something.
                    }
                });
        if (length < 0 || isAtEnd) {
            client.close();
        }
    }

    /**
     * The body of a request, for the thread that serves it. It is read when the endpoint has let
     * the client in. The rest of a refused request is not awaited; the JDK's server itself would
     * wait for it before it closes an exchange.
     */
    private static final class RequestBody extends FilterInputStream {

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
            Deadline reading = deadlines.begin(READ_TIMEOUT, READ_GRACE);
            try {
                return super.readNBytes(length);
            } finally {
                reading.end();
            }
        }

        /**
         * Skips the part that has arrived with the headers, without waiting. Returns true at the
         * end.
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
         * Closes the connection. The server forgets it only if the stream of the response is
         * closed, and waits for the rest of the request then; the interrupt closes the channel
         * instead.
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

        /**
         * Reads on for a while: a connection that is closed early is reset, and the answer is lost.
         */
        private void drain() {
            Deadline draining = deadlines.begin(DRAIN_TIMEOUT, READ_GRACE);
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
}
