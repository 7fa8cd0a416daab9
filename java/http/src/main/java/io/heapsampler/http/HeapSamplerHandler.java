// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.ByteArrayInputStream;
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
 *
 * <p>Safe for use by many threads.
 */
public final class HeapSamplerHandler implements HttpHandler {

    /** For the form of a POST, which is short. */
    static final Duration READ_TIMEOUT = Duration.ofSeconds(10);

    private final HeapSamplerEndpoint endpoint;
    private final Deadlines deadlines = new Deadlines();

    /**
     * Makes a handler with an endpoint of its own.
     *
     * @param options who may ask for what
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
        this.endpoint = Objects.requireNonNull(endpoint, "endpoint");
    }

    /**
     * Answers one request.
     *
     * @param exchange the request, and where the answer goes
     * @throws IOException if the client has left or is too slow, or the figures cannot be had; the
     *     server breaks off the connection then
     */
    @Override
    public void handle(HttpExchange exchange) throws IOException {
        try (EndpointResponse response = endpoint.handle(request(exchange, form(exchange)))) {
            Deadlines.Deadline writing = deadlines.begin(timeFor(response));
            try {
                send(response, exchange);
            } finally {
                writing.end();
            }
        }
        // Not when it failed: closing would end the response properly.
        exchange.close();
    }

    private byte[] form(HttpExchange exchange) throws IOException {
        if (!exchange.getRequestMethod().equals("POST")) {
            return new byte[0];
        }
        Deadlines.Deadline reading = deadlines.begin(READ_TIMEOUT);
        try {
            return exchange.getRequestBody().readNBytes(Parameters.MAX_FORM + 1);
        } finally {
            reading.end();
        }
    }

    private Duration timeFor(EndpointResponse response) {
        EndpointOptions options = endpoint.options();
        return response.contentLength() < 0
                ? options.writeTimeout().plusSeconds(options.maxSeconds())
                : options.writeTimeout();
    }

    private static EndpointRequest request(HttpExchange exchange, byte[] form) {
        URI target = exchange.getRequestURI();
        String path = target.getRawPath();
        EndpointRequest.Builder request =
                EndpointRequest.builder(exchange.getRequestMethod(), path == null ? "" : path)
                        .query(target.getRawQuery())
                        .authority(target.getRawAuthority())
                        .remoteAddress(exchange.getRemoteAddress().getAddress())
                        .body(new ByteArrayInputStream(form));
        exchange.getRequestHeaders()
                .forEach((name, values) -> values.forEach(value -> request.header(name, value)));
        return request.build();
    }

    private static void send(EndpointResponse response, HttpExchange exchange) throws IOException {
        Headers headers = exchange.getResponseHeaders();
        response.headers().forEach(headers::set);
        long length = response.contentLength();
        // To this method, -1 means no body and 0 one of unknown length.
        if (length == 0 || exchange.getRequestMethod().equals("HEAD")) {
            exchange.sendResponseHeaders(response.status(), -1);
            return;
        }
        exchange.sendResponseHeaders(response.status(), Math.max(length, 0));
        OutputStream out = exchange.getResponseBody();
        response.writeTo(out);
        out.close();
    }
}
