// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import io.heapsampler.HeapDiff;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SnapshotOptions;
import io.heapsampler.export.ExportOptions;
import io.heapsampler.export.Metric;
import java.io.IOException;
import java.io.OutputStream;

/** Takes snapshots for responses, and renders them. */
final class Snapshots {

    private final Source source;
    private final EndpointOptions options;
    private final Costly costly;
    private final Renderer renderer;

    Snapshots(Source source, EndpointOptions options) {
        this.source = source;
        this.options = options;
        this.costly = new Costly(source, options);
        this.renderer = new Renderer(options);
    }

    /** Writes a snapshot in some format. */
    interface Writer {
        void write(HeapSnapshot snapshot, OutputStream out) throws IOException, Refusal;
    }

    /** Writes a change in some format. */
    interface DiffWriter {
        void write(HeapDiff diff, OutputStream out) throws IOException, Refusal;
    }

    Source source() {
        return source;
    }

    EndpointOptions options() {
        return options;
    }

    Costly costly() {
        return costly;
    }

    Renderer renderer() {
        return renderer;
    }

    ExportOptions export(Metric metric) {
        return export(metric, true);
    }

    ExportOptions export(Metric metric, boolean hasLabels) {
        ExportOptions.Builder builder =
                ExportOptions.builder().metric(metric).maxSites(options.maxSites());
        builder.labels(hasLabels);
        var threadNames = options.threadNames();
        return (threadNames == null ? builder : builder.threadNames(threadNames)).build();
    }

    HeapSnapshot now() {
        return source.snapshot(SnapshotOptions.defaults());
    }

    void requireStarted() throws Refusal {
        if (!source.wasStarted()) {
            throw new Refusal(
                    503,
                    "The sampler has never been started. Call HeapSampler.start() in the"
                            + " application, or POST to /debug/heapsampler/start.");
        }
    }

    /**
     * Renders a snapshot of now.
     *
     * @param key the same for requests that can share a response
     * @param afterGc whether a collection is forced first; such a response is not shared
     */
    Body render(String key, boolean afterGc, Writer writer) throws Refusal, IOException {
        requireStarted();
        Rendered rendered;
        if (afterGc) {
            HeapSnapshot snapshot = costly.snapshotAfterGc();
            rendered = renderer.alone(out -> writer.write(snapshot, out));
        } else {
            rendered = renderer.shared(key, out -> writer.write(now(), out));
        }
        return rendered.body(options.writeTimeout().toNanos());
    }

    /** Renders what changes in so many seconds. */
    Body delta(int seconds, byte[] beat, DiffWriter writer) throws Refusal {
        requireStarted();
        Costly.Place place = costly.enter(seconds);
        HeapSnapshot earlier = before(place);
        return new Waiting(
                place,
                seconds,
                beat,
                options,
                () ->
                        renderer.alone(
                                out -> {
                                    HeapSnapshot later = now();
                                    requireSameStart(earlier, later);
                                    writer.write(later.diff(earlier), out);
                                }));
    }

    private HeapSnapshot before(Costly.Place place) {
        try {
            return now();
        } catch (RuntimeException | Error e) {
            place.close();
            throw e;
        }
    }

    static void requireSameStart(HeapSnapshot earlier, HeapSnapshot later) throws Refusal {
        if (!later.startedAt().equals(earlier.startedAt())) {
            throw new Refusal(503, "The sampler was reset meanwhile. Try again.");
        }
    }
}
