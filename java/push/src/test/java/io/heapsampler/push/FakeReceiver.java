// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import static java.util.concurrent.TimeUnit.SECONDS;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.zip.GZIPInputStream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/** A receiver that gives the prepared responses, and then 200. */
final class FakeReceiver implements AutoCloseable {

    /** Enough for a loaded machine. */
    private static final int PATIENCE_SECONDS = 120;

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final BlockingQueue<Request> requests = new LinkedBlockingQueue<>();
    private final Deque<Reply> replies = new ArrayDeque<>();
    private final CountDownLatch isClosed = new CountDownLatch(1);

    FakeReceiver() throws IOException {
        this(HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0));
    }

    /** Over TLS; a client must also show a certificate. */
    FakeReceiver(SSLContext context) throws IOException {
        this(https(context, true));
    }

    /** Over TLS; any client is served. */
    static FakeReceiver forAll(SSLContext context) throws IOException {
        return new FakeReceiver(https(context, false));
    }

    private FakeReceiver(HttpServer server) {
        this.server = server;
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    private static HttpServer https(SSLContext context, boolean needsCertificate)
            throws IOException {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        HttpsServer server = HttpsServer.create(address, 0);
        SSLParameters parameters = context.getDefaultSSLParameters();
        parameters.setNeedClientAuth(needsCertificate);
        server.setHttpsConfigurator(
                new HttpsConfigurator(context) {
                    @Override
                    public void configure(HttpsParameters connection) {
                        connection.setSSLParameters(parameters);
                    }
                });
        return server;
    }

    /** What a client has sent. */
    record Request(URI uri, Headers headers, byte[] body, long nanoTime) {

        byte[] unzipped() {
            try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(body))) {
                return in.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** What to answer. */
    interface Reply {
        void to(HttpExchange exchange) throws IOException, InterruptedException;
    }

    URI address() {
        String scheme = server instanceof HttpsServer ? "https" : "http";
        return URI.create(scheme + "://127.0.0.1:" + server.getAddress().getPort());
    }

    synchronized FakeReceiver then(Reply reply) {
        replies.add(reply);
        return this;
    }

    /** Answers with a status, headers (name, value, …) and a text. */
    static Reply status(int status, String text, String... headers) {
        return exchange -> {
            byte[] body = text.getBytes(StandardCharsets.UTF_8);
            for (int i = 0; i < headers.length; i += 2) {
                exchange.getResponseHeaders().set(headers[i], headers[i + 1]);
            }
            exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
        };
    }

    /** Never answers. */
    Reply silence() {
        return exchange -> isClosed.await();
    }

    /** Begins to answer, and never ends. */
    Reply endless() {
        return exchange -> {
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write(1);
            exchange.getResponseBody().flush();
            isClosed.await();
        };
    }

    private synchronized Reply next() {
        Reply reply = replies.poll();
        return reply == null ? status(200, "{}") : reply;
    }

    private void handle(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        requests.add(
                new Request(
                        exchange.getRequestURI(),
                        exchange.getRequestHeaders(),
                        body,
                        System.nanoTime()));
        try (exchange) {
            next().to(exchange);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for the next request. */
    Request take() throws InterruptedException {
        Request request = requests.poll(PATIENCE_SECONDS, SECONDS);
        if (request == null) {
            throw new AssertionError("no request within " + PATIENCE_SECONDS + " s");
        }
        return request;
    }

    /** What came and was not taken. */
    List<Request> others() {
        return List.copyOf(requests);
    }

    @Override
    public void close() {
        isClosed.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
