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
 * Serves requests about the process-wide sampler, or about {@linkplain
 * EndpointOptions.Builder#recording one recording}: Go's {@code /debug/pprof/} with {@code heap},
 * {@code allocs} and {@code delta_heap}, and {@code /debug/heapsampler/} with a page, reports,
 * snapshots, status, metrics, the holders of live objects, and the diagnosis of a running {@code
 * GcDoctor}. It belongs to no server: a framework passes requests to it and sends its responses.
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
 * <p>The {@linkplain EndpointOptions options} must decide which clients are served. A GET never
 * changes the sampler. A GET that forces a collection ({@code gc=1}), waits for a change ({@code
 * seconds}) or moves the beginning of the next {@code delta_heap} is refused to pages of other
 * servers. Collections and waits happen one at a time; other requests meanwhile get 429 and {@code
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
    private final Map<String, Route> routes = new HashMap<>();
    private final SeldomLog unavailable = new SeldomLog(System::nanoTime);
    private final SeldomLog failures = new SeldomLog(System::nanoTime);

    /**
     * Makes an endpoint for a server of the application.
     *
     * @param options decide which clients are served
     * @throws IllegalStateException if the options have no token, no authenticator and no {@link
     *     EndpointOptions.Builder#allowUnauthenticated}
     */
    public HeapSamplerEndpoint(EndpointOptions options) {
        this(requireDecision(Objects.requireNonNull(options, "options")), options.source());
    }

    /**
     * Makes an endpoint for our own socket, where the address of the connection is known: without a
     * decision, only clients on the same machine are served.
     */
    HeapSamplerEndpoint(EndpointOptions options, SampleSource source) {
        this.options = options;
        this.gatekeeper = new Gatekeeper(options);
        this.snapshots = new Snapshots(source, options);
        this.pprof = new PprofRoutes(snapshots);
        pprof.addTo(routes);
        SnapshotRoutes reads = new SnapshotRoutes(snapshots);
        reads.addTo(routes);
        new ControlRoutes(snapshots, reads).addTo(routes);
        new DoctorRoutes(snapshots).addTo(routes);
        new HeldByRoute(snapshots).addTo(routes);
    }

    private static EndpointOptions requireDecision(EndpointOptions options) {
        if (!options.isDecided()) {
            throw new IllegalStateException(
                    """
                    The endpoint is for a server of the application, and its options do not decide \
                    which clients are served. Choose one of three: EndpointOptions.token() for \
                    clients that know a secret, authenticator() to let the application decide, or \
                    allowUnauthenticated() to serve every client that reaches the server. There is \
                    no default for clients on the same machine: behind a reverse proxy on this \
                    machine every client looks local.\
                    """);
        }
        return options;
    }

    EndpointOptions options() {
        return options;
    }

    /** Returns the bytes held for responses under way. */
    long heldBytes() {
        return snapshots.renderer().used();
    }

    /**
     * Serves a request. A mistake of the client also results in a response, and so does a failure,
     * which is logged.
     *
     * @param request the request of the client
     * @return the response, to be closed
     */
    public EndpointResponse handle(EndpointRequest request) {
        try {
            return serve(request);
        } catch (Refusal e) {
            return refusal(request, e);
        } catch (HeapSamplingUnavailableException e) {
            unavailable.warn("A request got status 503: the sampler is not available.", e);
            String message =
                    "The sampler is not available (%s). The log of the application says why.";
            return refusal(request, new Refusal(503, message.formatted(e.reason())));
        } catch (OutOfMemoryError e) {
            // The application is short of memory: later there may be enough.
            String message = "There is no memory for this answer. Try again later.";
            return refusal(request, Refusal.later(503, 10, message));
        } catch (IOException
                | RuntimeException
                | LinkageError
                | StackOverflowError
                | AssertionError e) {
            failures.warn("A request got status 500: an answer about the heap failed.", e);
            String message = "This failed. The log of the application says why.";
            return refusal(request, new Refusal(500, message));
        }
    }

    private EndpointResponse refusal(EndpointRequest request, Refusal refusal) {
        return Answers.refusal(refusal, request.path().startsWith(options.prefix + "/debug/pprof"));
    }

    private EndpointResponse serve(EndpointRequest request) throws Refusal, IOException {
        Gatekeeper.Proof proof = gatekeeper.check(request);
        if (snapshots.source.closedReason() != null) {
            pprof.forgetLast();
            throw Refusal.gone(snapshots.source);
        }
        Route route = route(request.path());
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

    private Route route(String path) throws Refusal {
        String local =
                path.startsWith(options.prefix) ? path.substring(options.prefix.length()) : "";
        Route route = routes.get(local);
        if (route == null) {
            throw new Refusal(
                    404,
                    local.startsWith(PprofRoutes.ROOT)
                            ? "Unknown profile"
                            : "There is nothing at this address. See /debug/pprof/ and"
                                    + " /debug/heapsampler/.");
        }
        return route;
    }
}
