// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.SnapshotFormat;
import io.heapsampler.export.ExportFormat;
import io.heapsampler.export.ExportOptions;
import io.heapsampler.export.HeapMetric;
import io.heapsampler.export.internal.Exporting;
import io.heapsampler.internal.shared.OnlyLabel;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The profiles of the heap that Go programs have below {@code /debug/pprof/}. Pyroscope makes a
 * series of each combination of labels, so it requests {@code labels=0} for none, or {@code
 * label=endpoint} for those of one key.
 */
final class PprofRoutes {

    static final String ROOT = "/debug/pprof/";

    /** A whole file in gzip that holds nothing: readers take several in a row for one. */
    private static final byte[] EMPTY_GZIP =
            HexFormat.of().parseHex("1f8b080000000000000003000000000000000000");

    private final Snapshots snapshots;
    private @Nullable Rendered lastDelta;

    PprofRoutes(Snapshots snapshots) {
        this.snapshots = snapshots;
    }

    void addTo(Map<String, Route> routes) {
        routes.put("/debug/pprof", Route.redirect("pprof/"));
        routes.put(ROOT, Route.read(Answers.HTML, parameters -> index()));
        Route.Query heap = parameters -> profile("heap", HeapMetric.LIVE_BYTES, parameters);
        Route.Query allocs =
                parameters -> profile("allocs", HeapMetric.ALLOCATED_BYTES, parameters);
        routes.put(ROOT + "heap", Route.read(Answers.BINARY, heap));
        routes.put(ROOT + "allocs", Route.read(Answers.BINARY, allocs));
        routes.put(ROOT + "delta_heap", Route.costly(Answers.BINARY, this::deltaHeap));
    }

    private EndpointResponse profile(String name, HeapMetric metric, Parameters parameters)
            throws Refusal, IOException {
        int seconds = parameters.seconds(snapshots.options().maxSeconds);
        int debug = parameters.lenient("debug");
        if (seconds > 0 && debug != 0) {
            throw new Refusal(400, "seconds and debug params are incompatible");
        }
        ExportOptions.Builder export = snapshots.export(metric, parameters);
        if (seconds > 0) {
            Body change =
                    snapshots.change(seconds, EMPTY_GZIP, ExportFormat.PPROF, export, parameters);
            return Answers.file(Answers.BINARY, name + "-delta", change);
        }
        boolean afterGc = name.equals("heap") && parameters.gc();
        if (debug != 0) {
            int maxSites = snapshots.options().maxSites;
            Snapshots.Writer<HeapSnapshot> text =
                    (snapshot, out) -> SnapshotText.pprof(snapshot, metric, maxSites, out);
            String key = name + " as text" + parameters.onlyKey();
            return Answers.ok(
                    Answers.TEXT,
                    snapshots.render(key, afterGc, snapshots.choosing(parameters, text)));
        }
        SnapshotFormat pprof = ExportFormat.PPROF.with(Exporting.get().momentary(export).build());
        String key = name + parameters.labelsKey() + parameters.onlyKey();
        Snapshots.Writer<HeapSnapshot> file = snapshots.choosing(parameters, pprof::write);
        return Answers.file(Answers.BINARY, name, snapshots.render(key, afterGc, file));
    }

    private EndpointResponse deltaHeap(Parameters parameters) throws Refusal, IOException {
        if (parameters.get("seconds") != null) {
            throw new Refusal(400, "\"seconds\" parameter is not supported for this profile type");
        }
        ExportOptions.Builder export = snapshots.export(HeapMetric.LIVE_BYTES, parameters);
        OnlyLabel only = parameters.only();
        Snapshots.Writer<HeapSnapshot> delta = (now, out) -> writeSinceLast(now, out, export, only);
        String key = "delta_heap" + parameters.labelsKey() + parameters.onlyKey();
        Body body = snapshots.render(key, false, delta);
        return Answers.file(Answers.BINARY, "delta_heap", body);
    }

    /** Gives back the memory of the last delta, after which there is no further one. */
    synchronized void forgetLast() {
        if (lastDelta != null) {
            lastDelta.release();
            lastDelta = null;
        }
    }

    /** The first request, and the first after a reset, gets all since the start. */
    private synchronized void writeSinceLast(
            HeapSnapshot now,
            OutputStream out,
            ExportOptions.Builder export,
            @Nullable OnlyLabel only)
            throws Refusal, IOException {
        Rendered kept = lastDelta;
        HeapSnapshot last = kept == null ? null : Snapshots.unpack(kept);
        if (last != null && last.startedAt().equals(now.startedAt())) {
            export.allocatedSince(snapshots.chosen(last, only));
        }
        snapshots.chosen(now, only).writeTo(out, ExportFormat.PPROF.with(export.build()));
        lastDelta = snapshots.keep(now);
        if (kept != null) {
            kept.release();
        }
    }

    private EndpointResponse index() throws Refusal, IOException {
        String nonce = Answers.nonce();
        Snapshots.Writer<HeapSnapshot> html =
                (snapshot, out) -> {
                    String count = Integer.toString(snapshot.sites().size());
                    Map<String, String> values = Map.of("NONCE", nonce, "COUNT", count);
                    out.write(Answers.fill("index.html", values).getBytes(StandardCharsets.UTF_8));
                };
        Rendered page = snapshots.renderAlone(false, html);
        return Answers.page(snapshots.body(page), nonce);
    }
}
