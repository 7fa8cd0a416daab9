// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.export.ExportFormat;
import io.heapsampler.export.ExportOptions;
import io.heapsampler.export.HeapMetric;
import io.heapsampler.http.Snapshots.KeptSnapshot;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/** What Go programs have below {@code /debug/pprof/}, as far as a heap goes. */
final class PprofRoutes {

    static final String ROOT = "/debug/pprof/";

    private static final String HEAP =
            "Live objects and all allocations. You can specify the gc GET parameter to run GC"
                    + " before taking the sample.";
    private static final String ALLOCS = "All past allocations, and what is live of them";
    private static final String DELTA_HEAP =
            "Allocations since the last request to this address, and live objects";

    /** A whole file in gzip that holds nothing: readers take several in a row for one. */
    private static final byte[] EMPTY_GZIP = emptyGzip();

    private final Snapshots snapshots;
    private @Nullable KeptSnapshot lastDelta;

    PprofRoutes(Snapshots snapshots) {
        this.snapshots = snapshots;
    }

    void addTo(Map<String, Route> routes) {
        routes.put(
                "/debug/pprof",
                Route.read(Answers.TEXT, (request, parameters) -> Answers.redirect(301, "pprof/")));
        routes.put(ROOT, Route.read(Answers.HTML, (request, parameters) -> index()));
        routes.put(ROOT + "heap", profile("heap", HeapMetric.LIVE_BYTES));
        routes.put(ROOT + "allocs", profile("allocs", HeapMetric.ALLOCATED_BYTES));
        routes.put(
                ROOT + "delta_heap",
                Route.costly(Answers.BINARY, (request, parameters) -> deltaHeap(parameters)));
    }

    private Route profile(String name, HeapMetric metric) {
        return Route.read(
                Answers.BINARY, (request, parameters) -> profile(name, metric, parameters));
    }

    private EndpointResponse profile(String name, HeapMetric metric, Parameters parameters)
            throws Refusal, IOException {
        int seconds = parameters.seconds(snapshots.options().maxSeconds());
        int debug = parameters.lenient("debug");
        if (seconds > 0 && debug != 0) {
            throw new Refusal(400, "seconds and debug params are incompatible");
        }
        if (seconds > 0) {
            return delta(name, seconds, export(metric, parameters));
        }
        boolean afterGc = name.equals("heap") && parameters.lenient("gc") > 0;
        if (debug != 0) {
            int maxSites = snapshots.options().maxSites();
            return Answers.ok(
                    Answers.TEXT,
                    snapshots.render(
                            name + " as text",
                            afterGc,
                            (snapshot, out) -> PprofText.write(snapshot, metric, maxSites, out)));
        }
        ExportOptions export = export(metric, parameters).build();
        String key = hasLabels(parameters) ? name : name + " without labels";
        return Answers.file(
                Answers.BINARY,
                name,
                snapshots.render(key, afterGc, ExportFormat.PPROF.with(export)::write));
    }

    /** With {@code labels=0}, no labels: Pyroscope would make a series of each combination. */
    private static boolean hasLabels(Parameters parameters) {
        return !"0".equals(parameters.get("labels"));
    }

    private ExportOptions.Builder export(HeapMetric metric, Parameters parameters) {
        return snapshots.export(metric).labels(hasLabels(parameters));
    }

    private EndpointResponse delta(String name, int seconds, ExportOptions.Builder export)
            throws Refusal, IOException {
        Body body =
                snapshots.delta(
                        seconds,
                        EMPTY_GZIP,
                        (diff, out) ->
                                diff.later()
                                        .writeTo(
                                                out,
                                                ExportFormat.PPROF.with(
                                                        export.comparedWith(diff.earlier())
                                                                .build())));
        return Answers.file(Answers.BINARY, name + "-delta", body);
    }

    private EndpointResponse deltaHeap(Parameters parameters) throws Refusal, IOException {
        if (parameters.get("seconds") != null) {
            throw new Refusal(400, "\"seconds\" parameter is not supported for this profile type");
        }
        ExportOptions.Builder export = export(HeapMetric.LIVE_BYTES, parameters);
        boolean hasLabels = hasLabels(parameters);
        String key = hasLabels ? "delta_heap" : "delta_heap without labels";
        Body body = snapshots.render(key, false, (now, out) -> writeSinceLast(now, out, export));
        return Answers.file(Answers.BINARY, "delta_heap", body);
    }

    /** Gives back the memory of the last delta, after which there is no further one. */
    synchronized void forgetLast() {
        if (lastDelta != null) {
            lastDelta.close();
            lastDelta = null;
        }
    }

    /** The first request, and the first after a reset, gets all since the start. */
    private synchronized void writeSinceLast(
            HeapSnapshot now, OutputStream out, ExportOptions.Builder export)
            throws Refusal, IOException {
        KeptSnapshot kept = lastDelta;
        HeapSnapshot last = kept == null ? null : kept.read();
        if (last != null && last.startedAt().equals(now.startedAt())) {
            export.allocatedSince(last);
        }
        now.writeTo(out, ExportFormat.PPROF.with(export.build()));
        lastDelta = snapshots.keep(now);
        if (kept != null) {
            kept.close();
        }
    }

    private EndpointResponse index() throws Refusal, IOException {
        String nonce = Answers.nonce();
        Rendered page =
                snapshots
                        .renderer()
                        .alone(
                                out ->
                                        out.write(
                                                index(snapshots.now().sites().size(), nonce)
                                                        .getBytes(StandardCharsets.UTF_8)));
        return Answers.page(page.body(snapshots.options().writeTimeout().toNanos()), nonce);
    }

    private static String index(int count, String nonce) {
        StringBuilder rows = new StringBuilder();
        StringBuilder descriptions = new StringBuilder();
        Map<String, String> profiles = Map.of("allocs", ALLOCS, "heap", HEAP);
        for (String name : new String[] {"allocs", "delta_heap", "heap"}) {
            String query = profiles.containsKey(name) ? "?debug=1" : "";
            rows.append("<tr><td>").append(count).append("</td><td><a href=\"").append(name);
            rows.append(query).append("\">").append(name).append("</a></td></tr>\n");
            descriptions.append("<li><b>").append(name).append("</b>: ");
            descriptions.append(profiles.getOrDefault(name, DELTA_HEAP)).append("</li>\n");
        }
        Map<String, String> values =
                Map.of(
                        "NONCE", nonce,
                        "PROFILES", rows.toString(),
                        "DESCRIPTIONS", descriptions.toString());
        return Page.fill("index.html", values);
    }

    private static byte[] emptyGzip() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.finish();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }
}
