// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import io.heapsampler.SamplingStrategy;
import io.heapsampler.internal.shared.ClosedRecordingException;
import io.heapsampler.internal.shared.SampleSource;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The page, and what changes the sampler. */
final class ControlRoutes {

    private static final String ROOT = SnapshotRoutes.ROOT;

    private final Snapshots snapshots;
    private final SnapshotRoutes reads;

    ControlRoutes(Snapshots snapshots, SnapshotRoutes reads) {
        this.snapshots = snapshots;
        this.reads = reads;
    }

    /** Changes something. */
    private interface Change {
        void apply(Parameters parameters) throws Refusal;
    }

    void addTo(Map<String, Route> routes) {
        routes.put(
                "/debug/heapsampler",
                Route.read(
                        Answers.TEXT,
                        (request, parameters) -> Answers.redirect(301, "heapsampler/")));
        routes.put(ROOT, Route.read(Answers.HTML, (request, parameters) -> page()));
        SampleSource source = snapshots.source();
        add(routes, "start", this::start);
        add(routes, "stop", parameters -> source.stop());
        add(routes, "reset", parameters -> source.reset());
        add(routes, "interval", parameters -> setInterval(interval(parameters, true)));
        add(routes, "gc", this::allowGc);
    }

    private void add(Map<String, Route> routes, String name, Change change) {
        routes.put(
                ROOT + name,
                Route.change(
                        (request, parameters) -> {
                            if (snapshots.options().isReadOnly()) {
                                throw new Refusal(403, "The sampler can only be read here.");
                            }
                            apply(change, parameters);
                            return answer(request);
                        }));
    }

    /** A recording cannot do all that the process-wide sampler can. */
    private void apply(Change change, Parameters parameters) throws Refusal {
        try {
            change.apply(parameters);
        } catch (ClosedRecordingException e) {
            throw Refusal.gone(snapshots.source());
        } catch (UnsupportedOperationException e) {
            if (snapshots.options().recording() == null) {
                throw e; // from the application's own start or stop
            }
            throw new Refusal(409, String.valueOf(e.getMessage()));
        }
    }

    /** A browser goes back to the page, others get the status. */
    private EndpointResponse answer(EndpointRequest request) {
        String accept = request.header("Accept");
        return accept != null && accept.contains("text/html")
                ? Answers.redirect(303, "./")
                : Answers.ok(Answers.JSON, reads.status());
    }

    private void start(Parameters parameters) throws Refusal {
        Long bytes = interval(parameters, false);
        if (snapshots.options().recording() == null) {
            setInterval(bytes);
        }
        snapshots.source().start(); // a recording refuses
    }

    private void setInterval(@Nullable Long bytes) throws Refusal {
        if (bytes == null) {
            return;
        }
        SamplingStrategy strategy = snapshots.source().status().strategy();
        if (strategy.kind() == SamplingStrategy.Kind.ALLOCATIONS) {
            throw new Refusal(
                    409,
                    "The sampler counts allocations, so that it has no interval in bytes. The"
                            + " application chose this strategy and can choose another.");
        }
        if (snapshots.options().recording() != null
                && strategy.kind() != SamplingStrategy.Kind.BYTES) {
            throw new Refusal(
                    409,
                    "The recording takes part in the strategy of the sampler, which does not choose"
                            + " by bytes alone, so that it has no interval of its own.");
        }
        snapshots.source().setInterval(bytes);
    }

    private @Nullable Long interval(Parameters parameters, boolean isNeeded) throws Refusal {
        Long bytes = parameters.bytes("interval");
        long least = snapshots.options().minInterval();
        boolean isInRange = bytes == null || (bytes >= least && bytes <= Integer.MAX_VALUE);
        if (!isInRange || (bytes == null && isNeeded)) {
            throw new Refusal(
                    400,
                    "invalid value for \"interval\" - must be from %s to %s bytes"
                            .formatted(least, Integer.MAX_VALUE));
        }
        return bytes;
    }

    private void allowGc(Parameters parameters) throws Refusal {
        String allowed = parameters.get("allowed");
        if (!"true".equals(allowed) && !"false".equals(allowed)) {
            throw new Refusal(400, "invalid value for \"allowed\" - must be true or false");
        }
        snapshots.costly().allowGc("true".equals(allowed));
    }

    /** The page requests all that changes, so that no figure and no name is in its markup. */
    private EndpointResponse page() {
        String nonce = Answers.nonce();
        return Answers.page(
                Page.fill(
                        "control.html",
                        Map.of(
                                "NONCE",
                                nonce,
                                "STYLE",
                                Page.read("theme.css") + Page.read("control.css"),
                                "SCRIPT",
                                Page.read("control.js"),
                                "CONTROLS",
                                snapshots.options().isReadOnly() ? "hidden" : "")),
                nonce);
    }
}
