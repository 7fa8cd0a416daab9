// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.HeldBy;
import io.heapsampler.HeldByOptions;
import io.heapsampler.SamplerState;
import io.heapsampler.SnapshotOptions;
import io.heapsampler.export.ExportFormat;
import io.heapsampler.export.ExportOptions;
import io.heapsampler.export.HeapMetric;
import io.heapsampler.internal.shared.ClosedRecordingException;
import io.heapsampler.internal.shared.OnlyLabel;
import io.heapsampler.internal.shared.SampleSource;
import io.heapsampler.internal.shared.SearchRunningException;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Takes snapshots for responses, and renders them: one of now, or several over some seconds.
 * Operations with a cost for the application happen one at a time: forced collections, which keep a
 * distance as well, and waiting. A client that comes too early gets the time for a retry. Safe for
 * use by many threads.
 */
final class Snapshots {

    /** After its seconds and this time, a response that is neither written nor closed is lost. */
    private static final Duration GRACE = Duration.ofMinutes(2);

    /** A guess: a search takes as long as its options allow. */
    private static final int SEARCH_SECONDS = 5;

    final SampleSource source;
    private final EndpointOptions options;
    private final Renderer renderer;
    private final long gcSpacingNanos;
    private final AtomicReference<@Nullable Waiting> waiting = new AtomicReference<>();

    /** Set by the options at first, then by POST. */
    volatile boolean allowsGc;

    private boolean isCollecting;
    private long nextGcNanos = System.nanoTime();

    Snapshots(SampleSource source, EndpointOptions options) {
        this.source = source;
        this.options = options;
        this.renderer = new Renderer(options);
        this.gcSpacingNanos = options.gcSpacing.toNanos();
        this.allowsGc = options.allowsGc;
    }

    /** Snapshots at equal distances: the first one now, the last one after the seconds. */
    record Series(int seconds, int count, boolean afterGc) {

        boolean isDue(int second, int taken) {
            return second * (count - 1) >= taken * seconds;
        }
    }

    /** Writes a snapshot, or several, in some format. */
    interface Writer<T> {
        void write(T snapshots, OutputStream out) throws IOException, Refusal;
    }

    EndpointOptions options() {
        return options;
    }

    Renderer renderer() {
        return renderer;
    }

    /** Returns a new builder. */
    ExportOptions.Builder export(HeapMetric metric) {
        ExportOptions.Builder builder =
                ExportOptions.builder()
                        .metric(metric)
                        .maxSites(options.maxSites)
                        .traces(options.hasTraces);
        var threadNames = options.threadNames;
        builder = options.hasLabelsAsTheyAre() ? builder : builder.labels(options.labels);
        return threadNames == null ? builder : builder.threadNames(threadNames);
    }

    /** Returns a new builder with the labels and traces that the parameters choose. */
    ExportOptions.Builder export(HeapMetric metric, Parameters parameters) throws Refusal {
        ExportOptions.Builder builder =
                export(metric)
                        .labels(parameters.hasLabels())
                        .traces(options.hasTraces && parameters.hasTraces());
        String label = parameters.get("label");
        try {
            return label == null ? builder : builder.label(label);
        } catch (IllegalArgumentException e) {
            // Its message may repeat the key.
            throw new Refusal(
                    400,
                    "invalid value for \"label\" - must be the key of a label: at most 64"
                            + " characters, without control characters");
        }
    }

    /** Returns a writer of the samples that the parameters choose, by labels as they are shown. */
    Writer<HeapSnapshot> choosing(Parameters parameters, Writer<HeapSnapshot> writer)
            throws Refusal {
        OnlyLabel only = parameters.only();
        return only == null ? writer : (all, out) -> writer.write(chosen(all, only), out);
    }

    /** Returns the samples of a label as it is shown; all samples for null. */
    HeapSnapshot chosen(HeapSnapshot all, @Nullable OnlyLabel only) {
        return ChosenSamples.of(all, only, options);
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
        beginGc(", or without \"gc=1\"");
        try {
            return take(SnapshotOptions.afterGc());
        } finally {
            endGc();
        }
    }

    /** Forces a collection and searches holders, for one client at a time. */
    HeldBy heldBy(HeldByOptions search) throws Refusal {
        if (!allowsGc) {
            throw new Refusal(
                    403,
                    "Forced collections are switched off here, and a search for holders begins with"
                            + " one.");
        }
        beginGc("");
        try {
            return source.heldBy(search);
        } catch (ClosedRecordingException e) {
            throw Refusal.gone(source);
        } catch (SearchRunningException e) {
            throw Refusal.later(
                    429,
                    SEARCH_SECONDS,
                    "The application itself searches holders at the moment. Try again later.");
        } catch (IllegalStateException e) {
            throw new Refusal(409, String.valueOf(e.getMessage()));
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

    private synchronized void beginGc(String alternative) throws Refusal {
        if (isCollecting) {
            throw Refusal.later(429, 1, "Another collection is under way. Try again later.");
        }
        long left = nextGcNanos - System.nanoTime();
        if (left > 0) {
            throw Refusal.later(
                    429,
                    TimeUnit.NANOSECONDS.toSeconds(left) + 1,
                    "A collection was forced a moment ago. Try again later" + alternative + ".");
        }
        isCollecting = true;
    }

    private synchronized void endGc() {
        isCollecting = false;
        nextGcNanos = System.nanoTime() + gcSpacingNanos;
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
     * @param beat is written every second meanwhile; it means nothing in the format
     */
    Body render(Series series, byte[] beat, Writer<List<HeapSnapshot>> writer)
            throws Refusal, IOException {
        requireStarted();
        Waiting response = new Waiting(series, beat, writer);
        response.begin();
        return response;
    }

    /** Renders the change within some seconds. */
    Body change(
            int seconds,
            byte[] beat,
            ExportFormat format,
            ExportOptions.Builder export,
            Parameters parameters)
            throws Refusal, IOException {
        OnlyLabel only = parameters.only();
        return render(
                new Series(seconds, 2, false),
                beat,
                (both, out) -> {
                    export.comparedWith(chosen(both.get(0), only));
                    chosen(both.get(1), only).writeTo(out, format.with(export.build()));
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

    /**
     * A response over some seconds: it takes snapshots at equal distances and renders all of them.
     * The early ones are kept packed, within the budget of the responses.
     *
     * <p>Only one response waits at a time; others are refused. Every second it writes a beat,
     * which keeps the connection alive and fails when the client has left. When the seconds are
     * over, it frees its place before it writes the result: a client that does not read it blocks
     * no other.
     */
    private final class Waiting implements Body {

        private final Series series;
        private final byte[] beat;
        private final Writer<List<HeapSnapshot>> writer;
        private final List<Rendered> kept = new ArrayList<>();
        private final long endNanos;
        private Runnable afterWait = () -> {};

        Waiting(Series series, byte[] beat, Writer<List<HeapSnapshot>> writer) {
            this.series = series;
            this.beat = beat;
            this.writer = writer;
            this.endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(series.seconds());
        }

        /** Takes the place and the first snapshot. */
        void begin() throws Refusal, IOException {
            long now = System.nanoTime();
            Waiting other = waiting.get();
            boolean isFree = other == null || other.endNanos + GRACE.toNanos() - now < 0;
            if (!isFree || !waiting.compareAndSet(other, this)) {
                long left =
                        other == null ? 0 : TimeUnit.NANOSECONDS.toSeconds(other.endNanos - now);
                throw Refusal.later(
                        429,
                        left + 1,
                        "Another client waits for a delta already. Try again later.");
            }
            try {
                keepIfDue(0);
            } catch (Refusal | IOException | RuntimeException | Error e) {
                close();
                throw e;
            }
        }

        private void keepIfDue(int second) throws Refusal, IOException {
            if (series.isDue(second, kept.size())) {
                Rendered packed = renderAlone(series.afterGc(), Snapshots::pack);
                packed.revocableAfter(GRACE.plusSeconds(series.seconds()));
                kept.add(packed);
            }
        }

        @Override
        public long length() {
            return -1;
        }

        @Override
        public Duration waits() {
            return options.second.multipliedBy(series.seconds());
        }

        @Override
        public void afterWait(Runnable action) {
            afterWait = action;
        }

        @Override
        public void writeTo(OutputStream out) throws IOException {
            Body result = await(out);
            try {
                afterWait.run();
                result.writeTo(out);
            } finally {
                result.close();
            }
        }

        private Body await(OutputStream out) throws IOException {
            try {
                long begin = System.nanoTime();
                long second = options.second.toNanos();
                int seconds = series.seconds();
                for (int i = 1; i <= seconds; i++) {
                    out.write(beat);
                    out.flush();
                    sleepUntil(begin + i * second);
                    if (i < seconds) {
                        keepIfDue(i);
                    }
                }
                return body(renderAlone(series.afterGc(), this::write));
            } catch (Refusal e) {
                throw new IOException(e.text(), e);
            } finally {
                close();
            }
        }

        private static void sleepUntil(long nanos) throws IOException {
            try {
                TimeUnit.NANOSECONDS.sleep(nanos - System.nanoTime());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while waiting for a delta", e);
            }
        }

        private void write(HeapSnapshot last, OutputStream out) throws Refusal, IOException {
            List<HeapSnapshot> all = new ArrayList<>();
            for (Rendered packed : kept) {
                all.add(unpack(packed));
            }
            all.add(last);
            if (all.stream().map(HeapSnapshot::startedAt).distinct().count() > 1) {
                throw new Refusal(503, "The sampler was reset meanwhile. Try again.");
            }
            writer.write(all, out);
        }

        @Override
        public void close() {
            waiting.compareAndSet(this, null);
            kept.forEach(Rendered::release);
        }
    }
}
