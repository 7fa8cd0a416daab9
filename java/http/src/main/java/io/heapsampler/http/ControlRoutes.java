// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import io.heapsampler.SamplingStrategy;
import io.heapsampler.internal.shared.ClosedRecordingException;
import io.heapsampler.internal.shared.HtmlText;
import io.heapsampler.internal.shared.SampleSource;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The page, and the changes of the sampler. */
final class ControlRoutes {

    private static final String ROOT = SnapshotRoutes.ROOT;

    private final Snapshots snapshots;
    private final SnapshotRoutes reads;
    private final SampleSource source;
    private final EndpointOptions options;

    ControlRoutes(Snapshots snapshots, SnapshotRoutes reads) {
        this.snapshots = snapshots;
        this.reads = reads;
        this.source = snapshots.source;
        this.options = snapshots.options();
    }

    /** Changes the sampler. */
    private interface Change {
        void apply(Parameters parameters) throws Refusal;
    }

    void addTo(Map<String, Route> routes) {
        routes.put("/debug/heapsampler", Route.redirect("heapsampler/"));
        routes.put(ROOT, Route.read(Answers.HTML, (request, parameters) -> page(request)));
        routes.put(ROOT + "start", route(this::start));
        routes.put(ROOT + "stop", route(parameters -> source.stop()));
        routes.put(ROOT + "reset", route(parameters -> source.reset()));
        routes.put(ROOT + "interval", route(parameters -> setInterval(interval(parameters, true))));
        routes.put(ROOT + "gc", route(this::allowGc));
    }

    private Route route(Change change) {
        return Route.change(
                (request, parameters) -> {
                    if (options.isReadOnly) {
                        throw new Refusal(403, "The sampler can only be read here.");
                    }
                    apply(change, parameters);
                    // A browser goes back to the page, others get the status.
                    String accept = request.header("Accept");
                    return accept != null && accept.contains("text/html")
                            ? Answers.redirect(303, "./")
                            : reads.status();
                });
    }

    /** A recording supports only some of the changes. */
    private void apply(Change change, Parameters parameters) throws Refusal {
        try {
            change.apply(parameters);
        } catch (ClosedRecordingException e) {
            throw Refusal.gone(source);
        } catch (UnsupportedOperationException e) {
            if (options.recording == null) {
                throw e; // from the application's own start or stop
            }
            throw new Refusal(409, String.valueOf(e.getMessage()));
        }
    }

    private void start(Parameters parameters) throws Refusal {
        Long bytes = interval(parameters, false);
        if (options.recording == null) {
            setInterval(bytes);
        }
        source.start(); // a recording refuses
    }

    private void setInterval(@Nullable Long bytes) throws Refusal {
        if (bytes == null) {
            return;
        }
        SamplingStrategy.Kind kind = source.status().strategy().kind();
        if (kind == SamplingStrategy.Kind.ALLOCATIONS) {
            throw new Refusal(
                    409,
                    "The sampler counts allocations, so that it has no interval in bytes. The"
                            + " application chose this strategy and can choose another.");
        }
        if (options.recording != null && kind != SamplingStrategy.Kind.BYTES) {
            throw new Refusal(
                    409,
                    "The recording takes part in the strategy of the sampler, which does not choose"
                            + " by bytes alone, so that it has no interval of its own.");
        }
        source.setInterval(bytes);
    }

    private @Nullable Long interval(Parameters parameters, boolean isNeeded) throws Refusal {
        Long bytes = parameters.bytes("interval");
        long least = options.minInterval;
        boolean isInRange =
                bytes == null ? !isNeeded : bytes >= least && bytes <= Integer.MAX_VALUE;
        if (!isInRange) {
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
        boolean isAllowed = "true".equals(allowed);
        if (isAllowed && options.neverGc) {
            throw new Refusal(403, "Forced collections are disabled permanently.");
        }
        snapshots.allowsGc = isAllowed;
    }

    /** The script of the page requests all figures and names: none is in the markup. */
    private EndpointResponse page(EndpointRequest request) {
        String nonce = Answers.nonce();
        Map<String, String> values =
                Map.of(
                        "NONCE",
                        nonce,
                        "STYLE",
                        Answers.read("theme.css") + Answers.read("control.css"),
                        "SCRIPT",
                        Answers.read("control.js"),
                        "CONTROLS",
                        options.isReadOnly ? "hidden" : "",
                        "HEADER",
                        HtmlText.escaped(request.pageHeader()),
                        "TOKEN",
                        HtmlText.escaped(request.pageHeaderValue()));
        return Answers.page(Body.of(Answers.fill("control.html", values)), nonce);
    }
}
