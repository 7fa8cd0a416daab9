// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import io.heapsampler.HeldBy;
import io.heapsampler.HeldByOptions;
import io.heapsampler.export.ExportFormat;
import io.heapsampler.export.ExportOptions;
import io.heapsampler.internal.shared.HeldByJson;
import io.heapsampler.internal.shared.OnlyLabel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The search for holders of live objects, at {@code /debug/heapsampler/heldby}. It stops the
 * application for a forced collection and for a moment after it. So it is a POST, needs the right
 * to force collections and keeps the distance between them, and one search runs at a time.
 */
final class HeldByRoute {

    private static final int DEFAULT_LINES = 60;
    private static final int MOST_LINES = 10_000;
    private static final int MOST_SITES = 100_000;
    private static final int MOST_SAMPLES = 100_000;

    /** A client may not let a walk in this process stop it for longer; the default is 10 ms. */
    private static final int MOST_PAUSE_MILLIS = 1_000;

    private static final int DEFAULT_SECONDS = 30;

    private final Snapshots snapshots;
    private final EndpointOptions options;

    HeldByRoute(Snapshots snapshots) {
        this.snapshots = snapshots;
        this.options = snapshots.options();
    }

    void addTo(Map<String, Route> routes) {
        routes.put(
                SnapshotRoutes.ROOT + "heldby",
                Route.change((request, parameters) -> heldBy(parameters)));
    }

    private EndpointResponse heldBy(Parameters parameters) throws Refusal, IOException {
        if (options.threadNames != null) {
            throw new Refusal(403, "Holders have the names of threads, which are not shown here.");
        }
        String given = parameters.get("format");
        String format = given == null ? "json" : given;
        if (!format.equals("json") && !format.equals("text") && !format.equals("pprof")) {
            throw new Refusal(400, "invalid value for \"format\" - must be json, text or pprof");
        }
        int lines = parameters.integer("lines", 1, MOST_LINES, DEFAULT_LINES);
        HeldByOptions search = search(parameters);
        snapshots.requireStarted();
        HeldBy answer = snapshots.heldBy(search); // Before a permit, because it may take long.
        return switch (format) {
            case "text" -> Answers.ok(Answers.TEXT, body(() -> answer.toText(lines) + "\n"));
            case "pprof" -> Answers.file(Answers.BINARY, "heldby.pb.gz", pprof(answer));
            default -> Answers.ok(Answers.JSON, body(() -> HeldByJson.of(answer)));
        };
    }

    private HeldByOptions search(Parameters parameters) throws Refusal {
        int samples = parameters.integer("maxSamples", 1, MOST_SAMPLES, 0);
        int millis = parameters.integer("maxPause", 1, MOST_PAUSE_MILLIS, 0);
        int usual = Math.min(DEFAULT_SECONDS, options.maxSeconds);
        int seconds = parameters.integer("maxTime", 1, options.maxSeconds, usual);
        Long memory = parameters.bytes("maxMemory");
        HeldByOptions search =
                selection(parameters).maxTime(Duration.ofSeconds(seconds)).waitsForTurn(false);
        search = samples == 0 ? search : search.maxSamples(samples);
        search = millis == 0 ? search : search.maxPause(Duration.ofMillis(millis));
        return memory == null ? search : search.maxMemory(Math.max(1, memory));
    }

    private HeldByOptions selection(Parameters parameters) throws Refusal {
        int sites = parameters.integer("top", 1, MOST_SITES, 0);
        String className = parameters.get("class");
        OnlyLabel only = parameters.only();
        if (only != null) {
            requireAlone(only, sites, className);
            return HeldByOptions.label(only.key(), only.value());
        }
        if (className == null) {
            return sites == 0 ? HeldByOptions.all() : HeldByOptions.topByLive(sites);
        }
        if (sites != 0) {
            throw new Refusal(400, "\"top\" and \"class\" params are incompatible");
        }
        try {
            return HeldByOptions.ofClass(className);
        } catch (IllegalArgumentException e) {
            // Its message repeats the name.
            throw new Refusal(
                    400,
                    "invalid value for \"class\" - must be the Java name of a class, such as"
                            + " byte[] or java.util.HashMap$Node");
        }
    }

    private void requireAlone(OnlyLabel only, int sites, @Nullable String className)
            throws Refusal {
        if (!options.hasLabelsAsTheyAre()) {
            throw new Refusal(403, "A search by label needs labels, which are not shown here.");
        }
        if (only.value().isEmpty()) {
            throw new Refusal(400, "A search by label needs a value in \"only\".");
        }
        if (sites != 0 || className != null) {
            throw new Refusal(400, "\"only\" is incompatible with \"top\" and \"class\" params");
        }
    }

    private Body body(Supplier<String> text) throws Refusal, IOException {
        Renderer.Work work = out -> out.write(text.get().getBytes(StandardCharsets.UTF_8));
        return snapshots.body(snapshots.renderer().alone(work));
    }

    private Body pprof(HeldBy answer) throws Refusal, IOException {
        ExportOptions export = ExportOptions.builder().holders(true).build();
        Renderer.Work work = out -> answer.snapshot().writeTo(out, ExportFormat.PPROF.with(export));
        return snapshots.body(snapshots.renderer().alone(work));
    }
}
