// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.heapsampler.ApiStatus;
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
 * <p>The server needs an executor: without one, a request for {@code seconds} holds all others up.
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
     * @param options which clients may request what
     * @throws IllegalStateException if the options have no token, no authenticator and no {@link
     *     EndpointOptions.Builder#allowUnauthenticated}
     */
    public HeapSamplerHandler(EndpointOptions options) {
        this(new HeapSamplerEndpoint(options));
    }

    /**
     * Makes a handler.
     *
     * @param endpoint what answers
     */
    public HeapSamplerHandler(HeapSamplerEndpoint endpoint) {
        this(endpoint, new Deadlines());
    }

    HeapSamplerHandler(HeapSamplerEndpoint endpoint, Deadlines deadlines) {
        this.endpoint = Objects.requireNonNull(endpoint, "endpoint");
        this.deadlines = deadlines;
    }

    /**
     * Answers one request.
     *
     * @param exchange the request, and where the answer goes
     * @throws IOException if the client has left or is too slow, or the figures cannot be obtained;
     *     the server breaks off the connection then
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
            failures.warn("A connection was broken off: an answer about the heap failed.", e);
        } catch (Error again) {
            // There may be no memory for a line of the log. The connection is closed without it.
        }
    }

    private void answer(HttpExchange exchange) throws IOException {
        RequestBody form = new RequestBody(exchange, deadlines);
        try (EndpointResponse response = endpoint.handle(request(exchange, form))) {
            Deadlines.Deadline writing = begin(response.body());
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
    Deadlines.Deadline begin(Body body) {
        Duration time = endpoint.options().writeTimeout().plus(body.waits());
        Duration grace = body.waits().isZero() ? Rendered.STALL : time;
        Deadlines.Deadline writing = deadlines.begin(time, grace);
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
            EndpointResponse response,
            HttpExchange exchange,
            RequestBody form,
            Deadlines.Deadline writing)
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
        OutputStream out = exchange.getResponseBody();
        response.writeTo(new Progress(out, writing));
        if (length < 0 || isAtEnd) {
            out.close();
        }
    }

    /** Notes when the client has taken something. */
    private static final class Progress extends FilterOutputStream {
        private final Deadlines.Deadline deadline;

        Progress(OutputStream out, Deadlines.Deadline deadline) {
            super(out);
            this.deadline = deadline;
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
            deadline.progress();
        }
    }
}
