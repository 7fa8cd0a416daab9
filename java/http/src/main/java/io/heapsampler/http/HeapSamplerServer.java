// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.heapsampler.ApiStatus;
import io.heapsampler.HeapSampler;
import io.heapsampler.internal.shared.DaemonThreads;
import io.heapsampler.internal.shared.SampleSource;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
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
 * <p>Its threads are daemons, so that it does not keep a JVM from ending; they are as many as there
 * are requests, but 64 at most. A client has 10 seconds from its first byte to send line and
 * headers, and as many to send a form. Up to 1,024 requests wait for a thread; the server closes
 * the connections of more. While requests wait, the server disconnects the slowest clients: those
 * that have not sent their request within 250 ms, and those that have not read for 2 seconds. The
 * JDK's server closes connections that send nothing after 30 to 45 seconds. Safe for use by many
 * threads.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
public final class HeapSamplerServer implements AutoCloseable {

    private final HttpServer server;
    private final HeapSamplerEndpoint endpoint;
    private final ServerThreads threads;
    private final Deadlines deadlines = new Deadlines();

    private HeapSamplerServer(
            HttpServer server, HeapSamplerEndpoint endpoint, Duration readTimeout) {
        this.server = server;
        this.endpoint = endpoint;
        this.threads = new ServerThreads(deadlines, readTimeout);
        HeapSamplerHandler handler = new HeapSamplerHandler(endpoint, deadlines);
        server.createContext(
                "/",
                exchange -> {
                    ServerThreads.headersAreRead();
                    handler.handle(exchange);
                });
        server.setExecutor(threads);
    }

    /**
     * Returns a builder.
     *
     * @return a new builder
     * @throws UnsupportedOperationException if the module {@code jdk.httpserver} is missing
     */
    public static Builder builder() {
        if (ModuleLayer.boot().findModule("jdk.httpserver").isEmpty()) {
            throw new UnsupportedOperationException(
                    "HeapSamplerServer needs the module jdk.httpserver, which this runtime lacks."
                            + " Start it with --add-modules jdk.httpserver, or require that module"
                            + " in module-info.java. HeapSamplerServlet works without it.");
        }
        return new Builder();
    }

    /**
     * Returns where the server listens.
     *
     * @return address and port
     */
    public InetSocketAddress address() {
        return server.getAddress();
    }

    HeapSamplerEndpoint endpoint() {
        return endpoint;
    }

    /** Stops the server and breaks off what is under way. Can be called twice. */
    @Override
    public void close() {
        threads.close();
        server.stop(0);
        deadlines.close();
    }

    @Override
    public String toString() {
        return "HeapSamplerServer[" + address() + "]";
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
         * @param value the loopback address by default; another one needs options that say who may
         *     ask
         * @return this
         */
        public Builder address(InetAddress value) {
            address = Objects.requireNonNull(value, "address");
            return this;
        }

        /**
         * Sets the port.
         *
         * @param value from 0, for any that is free, to 65,535; 6060 by default, as Go programs use
         *     it
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
         * Sets which clients may request what.
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
         * Sets what a POST to {@code start} and {@code stop} calls: {@link HeapSampler#start()} and
         * {@link HeapSampler#stop()} by default. A tool with {@linkplain HeapSampler#share a hold
         * of its own} takes and gives back that hold instead.
         *
         * @param start starts sampling; does nothing if it is started
         * @param stop gives back what {@code start} has taken, if anything
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
         * Starts the server. A token that other machines would send without TLS is warned of in the
         * log.
         *
         * @return a running server, to be closed
         * @throws IOException if the port is not available; the message says which
         * @throws IllegalStateException if other machines could ask and nothing says who may; or if
         *     {@link #steering} is set for a {@linkplain EndpointOptions.Builder#recording
         *     recording}
         */
        public HeapSamplerServer start() throws IOException {
            SampleSource source = source();
            if (!address.isLoopbackAddress()) {
                requireDecision();
                warnOfPlainToken();
            }
            HeapSamplerServer running =
                    new HeapSamplerServer(
                            listen(), new HeapSamplerEndpoint(options, source), readTimeout);
            try {
                CompletableFuture.runAsync(running.server::start, Builder::runAsDaemon).join();
                return running;
            } catch (RuntimeException | Error e) {
                running.close();
                throw e;
            }
        }

        private SampleSource source() {
            if (steered == null) {
                return options.source();
            }
            if (options.recording() != null) {
                throw new IllegalStateException(
                        "steering() changes the process-wide sampler, but the options serve a"
                                + " recording. Leave one of the two away.");
            }
            return steered;
        }

        /** The thread that the JDK's server makes is a daemon if the one that starts it is. */
        private static void runAsDaemon(Runnable work) {
            DaemonThreads.of(work, "heapsampler-http-start").start();
        }

        private void requireDecision() {
            if (!options.isAuthenticated() && !options.allowsUnauthenticated()) {
                throw new IllegalStateException(
                        "The server would listen on "
                                + address.getHostAddress()
                                + ", where other machines can reach it, and nothing says who may"
                                + " ask. Set EndpointOptions.token() or authenticator(), or call"
                                + " allowUnauthenticated() if everybody may.");
            }
        }

        private void warnOfPlainToken() {
            if (options.token() != null && tls == null) {
                SeldomLog.logger()
                        .log(
                                Level.WARNING,
                                "The server listens on "
                                        + address.getHostAddress()
                                        + " without TLS: anyone who can read the network can read"
                                        + " the token. Call HeapSamplerServer.Builder.tls(), or"
                                        + " listen on the loopback address behind a proxy that has"
                                        + " TLS.");
            }
        }

        private HttpServer listen() throws IOException {
            InetSocketAddress where = new InetSocketAddress(address, port);
            try {
                if (tls == null) {
                    return HttpServer.create(where, ServerThreads.WAITING);
                }
                HttpsServer server = HttpsServer.create(where, ServerThreads.WAITING);
                server.setHttpsConfigurator(new HttpsConfigurator(tls));
                return server;
            } catch (IOException e) {
                throw new IOException(
                        "Cannot listen on "
                                + address.getHostAddress()
                                + ", port "
                                + port
                                + ": "
                                + e.getMessage()
                                + ". Choose another port, or 0 for any that is free.",
                        e);
            }
        }
    }
}
