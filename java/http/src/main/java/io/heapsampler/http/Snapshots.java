// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import io.heapsampler.HeapDiff;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplerState;
import io.heapsampler.SnapshotOptions;
import io.heapsampler.export.ExportOptions;
import io.heapsampler.export.HeapMetric;
import io.heapsampler.internal.shared.ClosedRecordingException;
import io.heapsampler.internal.shared.SampleSource;
import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** Takes snapshots for responses, and renders them. */
final class Snapshots {

    private final SampleSource source;
    private final EndpointOptions options;
    private final Costly costly;
    private final Renderer renderer;

    Snapshots(SampleSource source, EndpointOptions options) {
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

    SampleSource source() {
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

    /** Returns a new builder. */
    ExportOptions.Builder export(HeapMetric metric) {
        ExportOptions.Builder builder =
                ExportOptions.builder().metric(metric).maxSites(options.maxSites());
        var threadNames = options.threadNames();
        return threadNames == null ? builder : builder.threadNames(threadNames);
    }

    HeapSnapshot now() throws Refusal {
        try {
            return source.snapshot(SnapshotOptions.defaults());
        } catch (ClosedRecordingException e) {
            throw Refusal.gone(source);
        }
    }

    void requireStarted() throws Refusal {
        if (source.state() == SamplerState.NEW) {
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

    /** Renders the changes within the given number of seconds. */
    Body delta(int seconds, byte[] beat, DiffWriter writer) throws Refusal, IOException {
        requireStarted();
        Costly.Place place = costly.enter(seconds);
        try {
            return new Waiting(place, seconds, beat, options, new Delta(seconds, writer));
        } catch (Refusal | IOException | RuntimeException | Error e) {
            place.close();
            throw e;
        }
    }

    /** Waits with a snapshot for a later one. */
    private final class Delta implements Waiting.Work {
        private final KeptSnapshot before;
        private final DiffWriter writer;

        Delta(int seconds, DiffWriter writer) throws Refusal, IOException {
            this.before = keep(false, seconds);
            this.writer = writer;
        }

        @Override
        public Rendered finish() throws Refusal, IOException {
            return renderer.alone(
                    out -> {
                        HeapSnapshot later = now();
                        HeapSnapshot earlier = before.read();
                        requireSameStart(earlier, later);
                        writer.write(later.diff(earlier), out);
                    });
        }

        @Override
        public void close() {
            before.close();
        }
    }

    /** Takes a snapshot to be read within some seconds. The caller must close it. */
    KeptSnapshot keep(boolean afterGc, int seconds) throws Refusal, IOException {
        Rendered packed;
        if (afterGc) {
            HeapSnapshot snapshot = costly.snapshotAfterGc();
            packed = renderer.alone(out -> KeptSnapshot.pack(snapshot, out));
        } else {
            packed = renderer.alone(out -> KeptSnapshot.pack(now(), out));
        }
        packed.revocableAfter(Costly.GRACE.plusSeconds(seconds));
        return new KeptSnapshot(packed);
    }

    /** Keeps a snapshot until it is closed, for a caller that renders already. */
    KeptSnapshot keep(HeapSnapshot snapshot) throws Refusal, IOException {
        return new KeptSnapshot(renderer.fill(out -> KeptSnapshot.pack(snapshot, out)));
    }

    static void requireSameStart(HeapSnapshot earlier, HeapSnapshot later) throws Refusal {
        if (!later.startedAt().equals(earlier.startedAt())) {
            throw new Refusal(503, "The sampler was reset meanwhile. Try again.");
        }
    }

    /** A snapshot that waits for a later one, compressed and within the budget of the responses. */
    static final class KeptSnapshot implements AutoCloseable {

        private final Rendered packed;
        private boolean isClosed;

        KeptSnapshot(Rendered packed) {
            this.packed = packed;
        }

        static void pack(HeapSnapshot snapshot, OutputStream out) throws IOException {
            GZIPOutputStream gzip = new GZIPOutputStream(out);
            snapshot.writeTo(gzip);
            gzip.finish();
        }

        HeapSnapshot read() throws IOException {
            return HeapSnapshot.read(new GZIPInputStream(packed.input()));
        }

        /** Gives the memory back. Can be called twice. */
        @Override
        public synchronized void close() {
            if (!isClosed) {
                isClosed = true;
                packed.release();
            }
        }
    }
}
