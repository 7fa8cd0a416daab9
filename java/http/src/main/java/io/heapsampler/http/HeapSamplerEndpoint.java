// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import io.heapsampler.ApiStatus;
import io.heapsampler.HeapSamplingUnavailableException;
import io.heapsampler.internal.shared.SampleSource;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Answers requests about the process-wide sampler, or about {@linkplain
 * EndpointOptions.Builder#recording one recording}: Go's {@code /debug/pprof/} with {@code heap},
 * {@code allocs} and {@code delta_heap}, and {@code /debug/heapsampler/} with a page, reports,
 * snapshots, status, metrics, and the diagnosis of a running {@code GcDoctor}. It belongs to no
 * server: a framework passes requests to it and sends its responses.
 *
 * <pre>{@code
 * EndpointOptions options = EndpointOptions.builder().token(System.getenv("HEAP_TOKEN")).build();
 * HeapSamplerEndpoint endpoint = new HeapSamplerEndpoint(options);
 * try (EndpointResponse response = endpoint.handle(request)) {
 *     setStatus(response.status());
 *     response.headers().forEach(this::setHeader);
 *     response.writeTo(getOutputStream());
 * }
 * }</pre>
 *
 * <p>The {@linkplain EndpointOptions options} must say who may ask. A GET never changes the
 * sampler. A GET that forces a collection ({@code gc=1}), waits for a change ({@code seconds}) or
 * moves the beginning of the next {@code delta_heap} is refused to pages of other servers.
 * Collections and waits happen one at a time; other requests meanwhile get 429 and {@code
 * Retry-After}.
 *
 * <p>Safe for use by many threads. It has no threads of its own: a request with {@code seconds}
 * holds the calling thread for that long.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
public final class HeapSamplerEndpoint {

    private final EndpointOptions options;
    private final Gatekeeper gatekeeper;
    private final Snapshots snapshots;
    private final PprofRoutes pprof;
    private final Map<String, Route> routes;
    private final SeldomLog unavailable = new SeldomLog(System::nanoTime);
    private final SeldomLog failures = new SeldomLog(System::nanoTime);

    /**
     * Makes an endpoint for a server of the application.
     *
     * @param options which clients may request what
     * @throws IllegalStateException if the options have no token, no authenticator and no {@link
     *     EndpointOptions.Builder#allowUnauthenticated}
     */
    public HeapSamplerEndpoint(EndpointOptions options) {
        this(requireDecision(Objects.requireNonNull(options, "options")), options.source());
    }

    /**
     * For our own socket as well, where the address of the connection is known: without a decision,
     * only clients on the same machine are served.
     */
    HeapSamplerEndpoint(EndpointOptions options, SampleSource source) {
        this.options = options;
        this.gatekeeper = new Gatekeeper(options);
        this.snapshots = new Snapshots(source, options);
        Map<String, Route> all = new HashMap<>();
        this.pprof = new PprofRoutes(snapshots);
        pprof.addTo(all);
        SnapshotRoutes reads = new SnapshotRoutes(snapshots);
        reads.addTo(all);
        new ControlRoutes(snapshots, reads).addTo(all);
        new DoctorRoutes(snapshots).addTo(all);
        this.routes = Map.copyOf(all);
    }

    private static EndpointOptions requireDecision(EndpointOptions options) {
        if (!options.isAuthenticated() && !options.allowsUnauthenticated()) {
            throw new IllegalStateException(
                    "The endpoint would answer on a server of the application, and nothing says who"
                        + " may ask. Choose one of three: EndpointOptions.token() for clients that"
                        + " know a secret, authenticator() to let the application decide, or"
                        + " allowUnauthenticated() if every client that reaches the server may."
                        + " There is no default for clients on the same machine: behind a reverse"
                        + " proxy on this machine every client looks local.");
        }
        return options;
    }

    EndpointOptions options() {
        return options;
    }

    /** Bytes held for responses under way. */
    long heldBytes() {
        return snapshots.renderer().used();
    }

    /**
     * Answers a request. A mistake of the client also results in an answer, and so does a failure,
     * which is logged.
     *
     * @param request the request of the client
     * @return the answer, to be closed
     */
    public EndpointResponse handle(EndpointRequest request) {
        boolean isPprof = request.path().startsWith(options.prefix() + "/debug/pprof");
        try {
            return serve(request);
        } catch (Refusal e) {
            return Answers.refusal(e, isPprof);
        } catch (HeapSamplingUnavailableException e) {
            unavailable.warn("A request was answered with 503: the sampler is not available.", e);
            return Answers.refusal(
                    new Refusal(
                            503,
                            "The sampler is not available ("
                                    + e.reason()
                                    + "). The log of the application says why."),
                    isPprof);
        } catch (OutOfMemoryError e) {
            // The application is short of memory, and asks why: later there may be enough.
            return Answers.refusal(
                    Refusal.later(503, 10, "There is no memory for this answer. Try again later."),
                    isPprof);
        } catch (IOException
                | RuntimeException
                | LinkageError
                | StackOverflowError
                | AssertionError e) {
            failures.warn("A request was answered with 500: an answer about the heap failed.", e);
            return Answers.refusal(
                    new Refusal(500, "This failed. The log of the application says why."), isPprof);
        }
    }

    private EndpointResponse serve(EndpointRequest request) throws Refusal, IOException {
        Gatekeeper.Proof proof = gatekeeper.check(request);
        if (snapshots.source().closedReason() != null) {
            pprof.forgetLast();
            throw Refusal.gone(snapshots.source());
        }
        String path = request.path();
        Route route =
                path.startsWith(options.prefix())
                        ? routes.get(path.substring(options.prefix().length()))
                        : null;
        if (route == null) {
            throw unknown(path);
        }
        String method = request.method();
        if (!route.accepts(method)) {
            throw new Refusal(
                    405,
                    "This address answers to " + route.allowed() + " only.",
                    Map.of("Allow", route.allowed()));
        }
        Parameters parameters = Parameters.of(request);
        if (route.hasEffect(parameters)) {
            gatekeeper.requireNoForeignPage(request, proof);
        }
        if (method.equals("HEAD")) {
            return Answers.ok(route.contentType(), Body.of(""));
        }
        return route.action().serve(request, parameters);
    }

    private Refusal unknown(String path) {
        return new Refusal(
                404,
                path.startsWith(options.prefix() + PprofRoutes.ROOT)
                        ? "Unknown profile"
                        : "There is nothing at this address. See /debug/pprof/ and"
                                + " /debug/heapsampler/.");
    }
}
