// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplerState;
import io.heapsampler.SnapshotOptions;
import io.heapsampler.export.ExportFormat;
import io.heapsampler.export.ExportOptions;
import io.heapsampler.export.HeapMetric;
import io.heapsampler.internal.shared.ClosedRecordingException;
import io.heapsampler.internal.shared.SampleSource;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Takes snapshots for responses, and renders them. Operations with a cost for the application
 * happen one at a time: forced collections, which keep a distance as well, and waiting for {@code
 * seconds}. A client that comes too early gets the time for a retry. Safe for use by many threads.
 */
final class Snapshots {

    private final SampleSource source;
    private final EndpointOptions options;
    private final Renderer renderer;
    private final AtomicReference<@Nullable Waiting> waiting = new AtomicReference<>();

    private volatile boolean allowsGc;
    private boolean isCollecting;
    private long nextGcNanos = System.nanoTime();

    Snapshots(SampleSource source, EndpointOptions options) {
        this.source = source;
        this.options = options;
        this.renderer = new Renderer(options);
        this.allowsGc = options.allowsGc;
    }

    /** Writes a snapshot, or several, in some format. */
    interface Writer<T> {
        void write(T snapshots, OutputStream out) throws IOException, Refusal;
    }

    SampleSource source() {
        return source;
    }

    EndpointOptions options() {
        return options;
    }

    Renderer renderer() {
        return renderer;
    }

    boolean allowsGc() {
        return allowsGc;
    }

    void allowGc(boolean value) {
        allowsGc = value;
    }

    /** Returns a new builder. */
    ExportOptions.Builder export(HeapMetric metric) {
        ExportOptions.Builder builder =
                ExportOptions.builder().metric(metric).maxSites(options.maxSites);
        var threadNames = options.threadNames;
        return threadNames == null ? builder : builder.threadNames(threadNames);
    }

    void requireStarted() throws Refusal {
        if (source.state() == SamplerState.NEW) {
            throw new Refusal(
                    503,
                    "The sampler has never been started. Call HeapSampler.start() in the"
                            + " application, or POST to /debug/heapsampler/start.");
        }
    }

    void requireGc() throws Refusal {
        if (!allowsGc) {
            String message = "Forced collections are switched off here. Ask without \"gc=1\".";
            throw new Refusal(403, message);
        }
    }

    HeapSnapshot now() throws Refusal {
        return take(SnapshotOptions.defaults());
    }

    HeapSnapshot afterGc() throws Refusal {
        requireGc();
        beginGc();
        try {
            return take(SnapshotOptions.afterGc());
        } finally {
            endGc();
        }
    }

    private HeapSnapshot take(SnapshotOptions how) throws Refusal {
        try {
            return source.snapshot(how);
        } catch (ClosedRecordingException e) {
            throw Refusal.gone(source);
        }
    }

    private synchronized void beginGc() throws Refusal {
        if (isCollecting) {
            throw Refusal.later(429, 1, "Another collection is under way. Try again later.");
        }
        long left = nextGcNanos - System.nanoTime();
        if (left > 0) {
            throw Refusal.later(
                    429,
                    TimeUnit.NANOSECONDS.toSeconds(left) + 1,
                    "A collection was forced a moment ago. Try again later, or without \"gc=1\".");
        }
        isCollecting = true;
    }

    private synchronized void endGc() {
        isCollecting = false;
        nextGcNanos = System.nanoTime() + options.gcSpacing.toNanos();
    }

    /**
     * Renders a snapshot of now.
     *
     * @param key the same for requests that can share a response
     * @param afterGc whether a collection is forced first; such a response is not shared
     */
    Body render(String key, boolean afterGc, Writer<HeapSnapshot> writer)
            throws Refusal, IOException {
        requireStarted();
        return body(
                afterGc
                        ? renderAlone(true, writer)
                        : renderer.shared(key, out -> writer.write(now(), out)));
    }

    /** Renders a snapshot of now for one client. The caller releases the result. */
    Rendered renderAlone(boolean afterGc, Writer<HeapSnapshot> writer) throws Refusal, IOException {
        if (!afterGc) {
            return renderer.alone(out -> writer.write(now(), out));
        }
        HeapSnapshot snapshot = afterGc(); // Before it takes a permit, because it may take long.
        return renderer.alone(out -> writer.write(snapshot, out));
    }

    /**
     * Renders snapshots that are taken over some seconds.
     *
     * @param count the number of snapshots, the first of which is taken at once
     * @param beat is written every second meanwhile
     */
    Body renderOver(
            int seconds, int count, boolean afterGc, byte[] beat, Writer<List<HeapSnapshot>> writer)
            throws Refusal, IOException {
        requireStarted();
        return new Waiting(this, waiting, seconds, count, afterGc, beat, writer);
    }

    /** Renders the change within some seconds. */
    Body change(int seconds, byte[] beat, ExportFormat format, ExportOptions.Builder export)
            throws Refusal, IOException {
        return renderOver(
                seconds,
                2,
                false,
                beat,
                (both, out) -> {
                    ExportOptions compared = export.comparedWith(both.get(0)).build();
                    both.get(1).writeTo(out, format.with(compared));
                });
    }

    Body body(Rendered rendered) {
        return rendered.body(options.writeTimeout.toNanos());
    }

    /** Keeps a snapshot until it is released, for a caller that renders already. */
    Rendered keep(HeapSnapshot snapshot) throws Refusal, IOException {
        return renderer.fill(out -> pack(snapshot, out));
    }

    static void pack(HeapSnapshot snapshot, OutputStream out) throws IOException {
        GZIPOutputStream gzip = new GZIPOutputStream(out);
        snapshot.writeTo(gzip);
        gzip.finish();
    }

    static HeapSnapshot unpack(Rendered kept) throws IOException {
        return HeapSnapshot.read(new GZIPInputStream(kept.input()));
    }
}
