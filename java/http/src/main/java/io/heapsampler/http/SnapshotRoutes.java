// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import io.heapsampler.HeapDiff;
import io.heapsampler.HeapGrowth;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SnapshotFormat;
import io.heapsampler.export.ExportFormat;
import io.heapsampler.export.ExportOptions;
import io.heapsampler.export.HeapMetric;
import io.heapsampler.http.Snapshots.KeptSnapshot;
import io.heapsampler.internal.shared.JsonText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
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

    SnapshotRoutes(Snapshots snapshots) {
        this.snapshots = snapshots;
    }

    void addTo(Map<String, Route> routes) {
        for (ExportFormat format : ExportFormat.values()) {
            routes.put(
                    ROOT + "snapshot" + format.suffix(),
                    Route.read(
                            format.mediaType(),
                            (request, parameters) -> snapshot(format, parameters)));
        }
        routes.put(
                ROOT + "flame.html",
                Route.read(Answers.HTML, (request, parameters) -> report(parameters)));
        routes.put(
                ROOT + "diff.html",
                Route.costly(Answers.HTML, (request, parameters) -> change(parameters)));
        routes.put(
                ROOT + "top.txt",
                Route.read(Answers.TEXT, (request, parameters) -> top(parameters)));
        routes.put(
                ROOT + "top.json",
                Route.read(Answers.JSON, (request, parameters) -> topJson(parameters)));
        routes.put(
                ROOT + "metrics", Route.read(MetricsText.TYPE, (request, parameters) -> metrics()));
        routes.put(
                ROOT + "status.json",
                Route.read(
                        Answers.JSON, (request, parameters) -> Answers.ok(Answers.JSON, status())));
        routes.put(
                ROOT + "growth.json",
                Route.costly(Answers.JSON, (request, parameters) -> growth(parameters)));
    }

    private EndpointResponse snapshot(ExportFormat format, Parameters parameters)
            throws Refusal, IOException {
        if (format == ExportFormat.HSNAP && snapshots.options().threadNames() != null) {
            throw new Refusal(
                    403,
                    "The snapshot file has the names of threads, which are not shown here. Take"
                            + " another format.");
        }
        HeapMetric metric = metric(parameters);
        String name = "snapshot" + format.suffix();
        Body body =
                snapshots.render(
                        name + " " + metric,
                        afterGc(parameters),
                        format.with(snapshots.export(metric).build())::write);
        return Answers.file(format.mediaType(), name, body);
    }

    private EndpointResponse report(Parameters parameters) throws Refusal, IOException {
        ExportOptions export = snapshots.export(HeapMetric.LIVE_BYTES).build();
        return Answers.report(
                snapshots.render(
                        "flame.html",
                        afterGc(parameters),
                        (snapshot, out) -> snapshot.writeTo(out, DoctorRoutes.report(export))));
    }

    private EndpointResponse change(Parameters parameters) throws Refusal, IOException {
        int asked = parameters.seconds(snapshots.options().maxSeconds());
        int seconds = asked == 0 ? DIFF_SECONDS : asked;
        return Answers.report(
                snapshots.delta(
                        seconds,
                        SPACE,
                        (diff, out) -> diff.later().writeTo(out, changeReport(diff, seconds))));
    }

    private SnapshotFormat changeReport(HeapDiff diff, int seconds) {
        return ExportFormat.HTML.with(
                snapshots
                        .export(HeapMetric.LIVE_BYTES)
                        .title("Change in " + seconds + " seconds")
                        .comparedWith(diff.earlier())
                        .build());
    }

    private static HeapMetric metric(Parameters parameters) throws Refusal {
        String name = parameters.get("metric");
        if (name == null) {
            return HeapMetric.ALLOCATED_BYTES;
        }
        return Arrays.stream(HeapMetric.values())
                .filter(metric -> metric.pprofName().equals(name))
                .findFirst()
                .orElseThrow(
                        () ->
                                new Refusal(
                                        400,
                                        "invalid value for \"metric\" - must be alloc_objects,"
                                                + " alloc_space, inuse_objects or inuse_space"));
    }

    private static boolean afterGc(Parameters parameters) {
        return parameters.lenient("gc") > 0;
    }

    private EndpointResponse top(Parameters parameters) throws Refusal, IOException {
        return Answers.ok(
                Answers.TEXT, snapshots.render("top.txt", afterGc(parameters), TopText::write));
    }

    private EndpointResponse topJson(Parameters parameters) throws Refusal, IOException {
        return Answers.ok(
                Answers.JSON,
                snapshots.render(
                        "top.json",
                        afterGc(parameters),
                        (snapshot, out) ->
                                out.write(
                                        JsonText.of(JsonDocuments.top(snapshot))
                                                .getBytes(StandardCharsets.UTF_8))));
    }

    /** Scrapers also come before the sampler is started. */
    private EndpointResponse metrics() throws Refusal, IOException {
        Rendered rendered =
                snapshots
                        .renderer()
                        .shared(
                                "metrics",
                                out ->
                                        MetricsText.write(
                                                snapshots.source().status(),
                                                snapshots.now(),
                                                snapshots.options().maxClasses(),
                                                out));
        long timeout = snapshots.options().writeTimeout().toNanos();
        return Answers.ok(MetricsText.TYPE, rendered.body(timeout));
    }

    Body status() {
        return Body.of(
                JsonText.of(
                        JsonDocuments.status(
                                snapshots.source().status(),
                                snapshots.costly().allowsGc(),
                                snapshots.options())));
    }

    private EndpointResponse growth(Parameters parameters) throws Refusal, IOException {
        EndpointOptions options = snapshots.options();
        int asked = parameters.seconds(options.maxSeconds());
        int seconds = asked == 0 ? (int) Math.min(GROWTH_SECONDS, options.maxSeconds()) : asked;
        if (seconds < 2) {
            throw new Refusal(400, "growth needs 2 seconds or more, for 3 snapshots");
        }
        snapshots.requireStarted();
        Growth growth = new Growth(seconds, requireGcEachTime(parameters, seconds));
        Costly.Place place = snapshots.costly().enter(seconds);
        try {
            growth.take();
        } catch (Refusal | IOException | RuntimeException | Error e) {
            place.close();
            throw e;
        }
        return Answers.ok(Answers.JSON, new Waiting(place, seconds, SPACE, options, growth));
    }

    private boolean requireGcEachTime(Parameters parameters, int seconds) throws Refusal {
        if (!afterGc(parameters)) {
            return false;
        }
        snapshots.costly().requireGc();
        // A second more each time, for snapshots are taken at whole seconds.
        long spacing = snapshots.options().gcSpacing().toSeconds();
        long least = spacing == 0 ? 2 : (spacing + 1) * (GROWTH_SNAPSHOTS - 1);
        if (seconds < least) {
            throw new Refusal(400, "growth with \"gc=1\" needs " + least + " seconds or more here");
        }
        return true;
    }

    /** Takes snapshots at equal distances. */
    private final class Growth implements Waiting.Work {

        private final List<KeptSnapshot> taken = new ArrayList<>();
        private final int seconds;
        private final int count;
        private final boolean afterGc;

        Growth(int seconds, boolean afterGc) {
            this.seconds = seconds;
            this.count = Math.min(GROWTH_SNAPSHOTS, seconds + 1);
            this.afterGc = afterGc;
        }

        private void take() throws Refusal, IOException {
            taken.add(snapshots.keep(afterGc, seconds));
        }

        @Override
        public void tick(int second) throws Refusal, IOException {
            if (second * (count - 1) >= taken.size() * seconds) {
                take();
            }
        }

        @Override
        public Rendered finish() throws Refusal, IOException {
            take();
            return snapshots
                    .renderer()
                    .alone(
                            out ->
                                    out.write(
                                            JsonText.of(JsonDocuments.growth(HeapGrowth.of(read())))
                                                    .getBytes(StandardCharsets.UTF_8)));
        }

        private List<HeapSnapshot> read() throws Refusal, IOException {
            List<HeapSnapshot> all = new ArrayList<>();
            for (KeptSnapshot kept : taken) {
                HeapSnapshot snapshot = kept.read();
                if (!all.isEmpty()) {
                    Snapshots.requireSameStart(all.get(0), snapshot);
                }
                all.add(snapshot);
            }
            return all;
        }

        @Override
        public void close() {
            taken.forEach(KeptSnapshot::close);
        }
    }
}
