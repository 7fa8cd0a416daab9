// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.export.ExportFormat;
import io.heapsampler.export.ExportOptions;
import io.heapsampler.export.HeapMetric;
import io.heapsampler.internal.shared.OnlyLabel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** All that can be read below {@code /debug/heapsampler/}, except for the page. */
final class SnapshotRoutes {

    static final String ROOT = "/debug/heapsampler/";

    private static final int GROWTH_SNAPSHOTS = 5;
    private static final int GROWTH_SECONDS = 20;
    private static final int DIFF_SECONDS = 10;
    private static final byte[] SPACE = {' '};

    private final Snapshots snapshots;
    private final EndpointOptions options;

    SnapshotRoutes(Snapshots snapshots) {
        this.snapshots = snapshots;
        this.options = snapshots.options();
    }

    void addTo(Map<String, Route> routes) {
        for (ExportFormat format : ExportFormat.values()) {
            Route.Query snapshot = parameters -> snapshot(format, parameters);
            routes.put(
                    ROOT + "snapshot" + format.suffix(), Route.read(format.mediaType(), snapshot));
        }
        routes.put(ROOT + "flame.html", Route.read(Answers.HTML, this::report));
        routes.put(ROOT + "diff.html", Route.costly(Answers.HTML, this::change));
        routes.put(ROOT + "top.txt", Route.read(Answers.TEXT, this::topText));
        routes.put(ROOT + "top.json", Route.read(Answers.JSON, this::topJson));
        routes.put(ROOT + "metrics", Route.read(MetricsText.TYPE, parameters -> metrics()));
        routes.put(ROOT + "status.json", Route.read(Answers.JSON, parameters -> status()));
        routes.put(ROOT + "growth.json", Route.costly(Answers.JSON, this::growth));
    }

    private EndpointResponse snapshot(ExportFormat format, Parameters parameters)
            throws Refusal, IOException {
        if (format == ExportFormat.HSNAP && options.threadNames != null) {
            throw new Refusal(
                    403,
                    "The snapshot file has the names of threads, which are not shown here. Take"
                            + " another format.");
        }
        if (format == ExportFormat.HSNAP) {
            requireLabelsAndTraces(parameters);
        }
        HeapMetric metric = metric(parameters);
        String name = "snapshot" + format.suffix();
        ExportOptions export = snapshots.export(metric, parameters).build();
        String key = name + " " + metric + parameters.labelsKey() + parameters.onlyKey();
        Snapshots.Writer<HeapSnapshot> file =
                snapshots.choosing(parameters, format.with(export)::write);
        Body body = snapshots.render(key, parameters.gc(), file);
        return Answers.file(format.mediaType(), name, body);
    }

    private void requireLabelsAndTraces(Parameters parameters) throws Refusal {
        if (!options.hasLabelsAsTheyAre()) {
            throw new Refusal(
                    403,
                    "The snapshot file has the labels of samples, which are not shown here. Take"
                            + " another format.");
        }
        if (!options.hasTraces) {
            throw new Refusal(
                    403,
                    "The snapshot file has ids of traces, which are not shown here. Take another"
                            + " format.");
        }
        if (!parameters.labelsKey().isEmpty()) {
            throw new Refusal(
                    400,
                    "The snapshot file always has all labels and traces. Take another format.");
        }
    }

    private static HeapMetric metric(Parameters parameters) throws Refusal {
        String name = parameters.get("metric");
        if (name == null) {
            return HeapMetric.ALLOCATED_BYTES;
        }
        for (HeapMetric metric : HeapMetric.values()) {
            if (metric.pprofName().equals(name)) {
                return metric;
            }
        }
        throw new Refusal(
                400,
                "invalid value for \"metric\" - must be alloc_objects, alloc_space, inuse_objects"
                        + " or inuse_space");
    }

    private EndpointResponse report(Parameters parameters) throws Refusal, IOException {
        ExportOptions.Builder export = snapshots.export(HeapMetric.LIVE_BYTES, parameters);
        boolean isChosen =
                !parameters.hasLabels()
                        || parameters.get("label") != null
                        || parameters.get("only") != null;
        boolean hasLabels = options.hasLabelsAsTheyAre() && !isChosen;
        Snapshots.Writer<HeapSnapshot> report =
                (snapshot, out) -> snapshot.writeTo(out, DoctorRoutes.report(export, hasLabels));
        return Answers.report(
                snapshots.render(
                        "flame.html" + parameters.labelsKey() + parameters.onlyKey(),
                        parameters.gc(),
                        snapshots.choosing(parameters, report)));
    }

    private EndpointResponse change(Parameters parameters) throws Refusal, IOException {
        int asked = parameters.seconds(options.maxSeconds);
        int seconds = asked == 0 ? DIFF_SECONDS : asked;
        ExportOptions.Builder export = snapshots.export(HeapMetric.LIVE_BYTES, parameters);
        export.title("Change in " + seconds + " seconds");
        return Answers.report(
                snapshots.change(seconds, SPACE, ExportFormat.HTML, export, parameters));
    }

    private EndpointResponse topText(Parameters parameters) throws Refusal, IOException {
        Snapshots.Writer<HeapSnapshot> text =
                (snapshot, out) -> SnapshotText.top(snapshot, options.labelChoice(), out);
        String key = "top.txt" + parameters.onlyKey();
        return Answers.ok(
                Answers.TEXT,
                snapshots.render(key, parameters.gc(), snapshots.choosing(parameters, text)));
    }

    /** The labels are those of all samples, so that a reader can choose among them. */
    private EndpointResponse topJson(Parameters parameters) throws Refusal, IOException {
        OnlyLabel only = parameters.only();
        Snapshots.Writer<HeapSnapshot> json =
                (all, out) -> {
                    HeapSnapshot chosen = snapshots.chosen(all, only);
                    JsonDocuments.top(chosen, all, options.labelChoice(), out);
                };
        String key = "top.json" + parameters.onlyKey();
        return Answers.ok(Answers.JSON, snapshots.render(key, parameters.gc(), json));
    }

    /** Scrapers also come before the sampler is started. */
    private EndpointResponse metrics() throws Refusal, IOException {
        Snapshots.Writer<HeapSnapshot> text =
                (now, out) -> MetricsText.write(snapshots.source.status(), now, options, out);
        Rendered rendered =
                snapshots.renderer().shared("metrics", out -> text.write(snapshots.now(), out));
        return Answers.ok(MetricsText.TYPE, snapshots.body(rendered));
    }

    EndpointResponse status() {
        return Answers.json(
                JsonDocuments.status(snapshots.source.status(), snapshots.allowsGc, options));
    }

    private EndpointResponse growth(Parameters parameters) throws Refusal, IOException {
        int asked = parameters.seconds(options.maxSeconds);
        int seconds = asked == 0 ? Math.min(GROWTH_SECONDS, options.maxSeconds) : asked;
        if (seconds < 2) {
            throw new Refusal(400, "growth needs 2 seconds or more, for 3 snapshots");
        }
        snapshots.requireStarted();
        if (parameters.gc()) {
            requireTimeForGcs(seconds);
        }
        int count = Math.min(GROWTH_SNAPSHOTS, seconds + 1);
        Snapshots.Series series = new Snapshots.Series(seconds, count, parameters.gc());
        OnlyLabel only = parameters.only();
        Snapshots.Writer<List<HeapSnapshot>> growth =
                (all, out) -> {
                    List<HeapSnapshot> chosen = new ArrayList<>();
                    all.forEach(each -> chosen.add(snapshots.chosen(each, only)));
                    JsonDocuments.growth(chosen, out);
                };
        return Answers.ok(Answers.JSON, snapshots.render(series, SPACE, growth));
    }

    private void requireTimeForGcs(int seconds) throws Refusal {
        snapshots.requireGc();
        // A second more each time, because snapshots are taken at whole seconds.
        long spacing = options.gcSpacing.toSeconds();
        long least = spacing == 0 ? 2 : (spacing + 1) * (GROWTH_SNAPSHOTS - 1);
        if (seconds < least) {
            throw new Refusal(400, "growth with \"gc=1\" needs " + least + " seconds or more here");
        }
    }
}
