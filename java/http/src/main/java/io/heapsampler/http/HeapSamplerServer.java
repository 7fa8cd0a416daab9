// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.heapsampler.ApiStatus;
import io.heapsampler.HeapSampler;
import io.heapsampler.http.Deadlines.Deadline;
import io.heapsampler.internal.shared.DaemonThreads;
import io.heapsampler.internal.shared.SampleSource;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A small HTTP server for applications that have none. By default it listens on the loopback
 * address and serves clients on the same machine without a token.
 *
 * <pre>{@code
 * HeapSampler.start();
 * try (HeapSamplerServer server = HeapSamplerServer.builder().port(6060).start()) {
 *     // go tool pprof http://localhost:6060/debug/pprof/heap
 *     work();
 * }
 * }</pre>
 *
 * <p>Give it a token when other machines can reach it, directly or through a proxy: behind a
 * reverse proxy, a tunnel or a port forwarding every client looks like one on this machine. Beyond
 * this machine it needs {@linkplain Builder#tls TLS} as well, or a proxy that has TLS.
 *
 * <p>It has a daemon thread for each request, up to 64. A client has 10 seconds from its first byte
 * to send line and headers, and as many to send a form. Up to 1,024 requests wait for a thread; the
 * server closes the connections of more. While requests wait, the server disconnects the slowest
 * clients: those that have not sent their request within 250 ms, and those that have not read for 2
 * seconds. The JDK's server closes connections that send nothing after 30 to 45 seconds. Safe for
 * use by many threads.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
public final class HeapSamplerServer implements AutoCloseable {

    private final HttpServer server;
    private final HeapSamplerEndpoint endpoint;
    private final Threads threads;
    private final Deadlines deadlines = new Deadlines();

    private HeapSamplerServer(
            HttpServer server, HeapSamplerEndpoint endpoint, Duration readTimeout) {
        this.server = server;
        this.endpoint = endpoint;
        this.threads = new Threads(deadlines, readTimeout);
        HeapSamplerHandler handler = new HeapSamplerHandler(endpoint, deadlines);
        server.createContext(
                "/",
                exchange -> {
                    Threads.headersAreRead();
                    handler.handle(exchange);
                });
        server.setExecutor(threads);
    }

    /**
     * {@return a new builder}
     *
     * @throws UnsupportedOperationException if the module {@code jdk.httpserver} is missing
     */
    public static Builder builder() {
        if (ModuleLayer.boot().findModule("jdk.httpserver").isEmpty()) {
            throw new UnsupportedOperationException(
                    """
                    HeapSamplerServer needs the module jdk.httpserver, which this runtime lacks. \
                    Start it with --add-modules jdk.httpserver, or require that module in \
                    module-info.java. HeapSamplerServlet works without it.\
                    """);
        }
        return new Builder();
    }

    /** {@return the address and port where the server listens} */
    public InetSocketAddress address() {
        return server.getAddress();
    }

    HeapSamplerEndpoint endpoint() {
        return endpoint;
    }

    /** Stops the server and closes its connections. Can be called twice. */
    @Override
    public void close() {
        threads.shutdownNow();
        server.stop(0);
        deadlines.close();
    }

    @Override
    public String toString() {
        return "HeapSamplerServer[" + address() + "]";
    }

    /**
     * The JDK's server hands a request over with its first byte; one of these threads reads the
     * rest. The time of a client begins then, whether it has a thread or waits for one. While
     * clients wait, those that have kept their thread for longest lose their connection: slow ones
     * block no other.
     */
    static final class Threads extends ThreadPoolExecutor {

        static final int THREADS = 64;

        /** Requests that wait for a thread. The server closes the connections of more. */
        static final int WAITING = 1024;

        /** The time that the client of this thread has to send line and headers. */
        private static final ThreadLocal<@Nullable Deadline> READING = new ThreadLocal<>();

        private final Deadlines deadlines;
        private final Duration readTimeout;
        private final AtomicBoolean isMakingRoom = new AtomicBoolean();
        private final SeldomLog failures = new SeldomLog(System::nanoTime);

        Threads(Deadlines deadlines, Duration readTimeout) {
            super(THREADS, THREADS, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(WAITING));
            this.deadlines = deadlines;
            this.readTimeout = readTimeout;
            AtomicInteger number = new AtomicInteger();
            setThreadFactory(
                    work -> DaemonThreads.of(work, "heapsampler-http-" + number.incrementAndGet()));
            allowCoreThreadTimeOut(true);
        }

        /**
         * Throws {@link RejectedExecutionException} if there is no room; the server disconnects.
         */
        @Override
        public void execute(Runnable work) {
            Deadline deadline = deadlines.accept(readTimeout, HeapSamplerHandler.READ_GRACE);
            try {
                super.execute(() -> run(work, deadline));
            } catch (RejectedExecutionException | OutOfMemoryError e) {
                deadline.end();
                throw new RejectedExecutionException("no thread is free for a request", e);
            }
            makeRoom();
        }

        private void run(Runnable work, Deadline deadline) {
            deadline.attach();
            READING.set(deadline);
            try {
                work.run();
            } finally {
                deadline.end();
                READING.remove();
            }
        }

        /** Is called when line and headers of the request of this thread have been read. */
        static void headersAreRead() {
            Deadline deadline = READING.get();
            if (deadline != null) {
                deadline.end();
            }
        }

        private void makeRoom() {
            if (!getQueue().isEmpty() && isMakingRoom.compareAndSet(false, true)) {
                try {
                    deadlines.soon(this::makeRoomNow);
                } catch (RejectedExecutionException | OutOfMemoryError e) {
                    // It is closed, or the next request tries again.
                    isMakingRoom.set(false);
                }
            }
        }

        private void makeRoomNow() {
            try {
                deadlines.makeRoom(getQueue().size());
            } catch (RuntimeException e) {
                failures.warn("Slow clients were not disconnected although others wait.", e);
            } finally {
                isMakingRoom.set(false);
            }
            makeRoom();
        }
    }

    /** Builds a {@link HeapSamplerServer}. For one thread. */
    public static final class Builder {

        private InetAddress address = InetAddress.getLoopbackAddress();
        private int port = 6060;
        private EndpointOptions options = EndpointOptions.defaults();
        private @Nullable SSLContext tls;
        private Duration readTimeout = HeapSamplerHandler.READ_TIMEOUT;
        private @Nullable SampleSource steered;

        private Builder() {}

        /**
         * Sets the address to listen on.
         *
         * @param value the loopback address by default; another one needs options that decide which
         *     clients are served
         * @return this
         */
        public Builder address(InetAddress value) {
            address = Objects.requireNonNull(value, "address");
            return this;
        }

        /**
         * Sets the port: 6060 by default, as in Go programs.
         *
         * @param value from 0, for any free port, to 65,535
         * @return this
         * @throws IllegalArgumentException if it is out of range
         */
        public Builder port(int value) {
            if (value < 0 || value > 65_535) {
                throw new IllegalArgumentException("port must be from 0 to 65535: " + value);
            }
            port = value;
            return this;
        }

        /**
         * Sets the options, which decide which clients are served.
         *
         * @param value the options
         * @return this
         */
        public Builder options(EndpointOptions value) {
            options = Objects.requireNonNull(value, "options");
            return this;
        }

        /**
         * Serves HTTPS instead of HTTP.
         *
         * @param context has the key and the certificate of this server; plain HTTP unless given
         * @return this
         */
        public Builder tls(SSLContext context) {
            tls = Objects.requireNonNull(context, "context");
            return this;
        }

        /**
         * Sets the actions of a POST to {@code start} and {@code stop}: {@link HeapSampler#start()}
         * and {@link HeapSampler#stop()} by default. A tool with {@linkplain HeapSampler#share a
         * hold of its own} takes and gives back that hold instead.
         *
         * @param start starts sampling; does nothing if it is started
         * @param stop gives the hold back, if {@code start} has taken one
         * @return this
         */
        public Builder steering(Runnable start, Runnable stop) {
            Objects.requireNonNull(start, "start");
            Objects.requireNonNull(stop, "stop");
            steered = SampleSource.ofProcess(start, stop);
            return this;
        }

        Builder readTimeout(Duration value) {
            readTimeout = value;
            return this;
        }

        /**
         * Starts the server. Logs a warning if other machines would send a token without TLS.
         *
         * @return a running server, to be closed
         * @throws IOException if the port is not available; the message says which
         * @throws IllegalStateException if other machines could send requests and the options do
         *     not decide which clients are served; or if {@link #steering} is set for a {@linkplain
         *     EndpointOptions.Builder#recording recording}
         */
        public HeapSamplerServer start() throws IOException {
            SampleSource source = source();
            requireDecision();
            HeapSamplerEndpoint endpoint = new HeapSamplerEndpoint(options, source);
            HeapSamplerServer running = new HeapSamplerServer(listen(), endpoint, readTimeout);
            try {
                // The thread that the JDK's server makes is a daemon if its creator is one.
                Executor daemon = work -> DaemonThreads.of(work, "heapsampler-http-start").start();
                CompletableFuture.runAsync(running.server::start, daemon).join();
                return running;
            } catch (RuntimeException | Error e) {
                running.close();
                throw e;
            }
        }

        private SampleSource source() {
            if (steered != null && options.recording != null) {
                throw new IllegalStateException(
                        "steering() changes the process-wide sampler, but the options serve a"
                                + " recording. Leave one of the two away.");
            }
            return steered == null ? options.source() : steered;
        }

        private void requireDecision() {
            String host = address.getHostAddress();
            if (address.isLoopbackAddress()) {
                return;
            }
            if (!options.isDecided()) {
                throw new IllegalStateException(
                        """
                        The server would listen on %s, where other machines can reach it, and its \
                        options do not decide which clients are served. Set EndpointOptions.token() \
                        or authenticator(), or call allowUnauthenticated() to serve every client.\
                        """
                                .formatted(host));
            }
            if (options.token != null && tls == null) {
                String warning =
                        """
                        The server listens on %s without TLS: anyone who can read the network can \
                        read the token. Call HeapSamplerServer.Builder.tls(), or listen on the \
                        loopback address behind a proxy that has TLS.\
                        """;
                SeldomLog.logger().log(Level.WARNING, warning.formatted(host));
            }
        }

        private HttpServer listen() throws IOException {
            InetSocketAddress where = new InetSocketAddress(address, port);
            try {
                if (tls == null) {
                    return HttpServer.create(where, Threads.WAITING);
                }
                HttpsServer server = HttpsServer.create(where, Threads.WAITING);
                server.setHttpsConfigurator(new HttpsConfigurator(tls));
                return server;
            } catch (IOException e) {
                String place = address.getHostAddress() + ", port " + port + ": ";
                String advice = ". Choose another port, or 0 for any that is free.";
                throw new IOException("Cannot listen on " + place + e.getMessage() + advice, e);
            }
        }
    }
}
