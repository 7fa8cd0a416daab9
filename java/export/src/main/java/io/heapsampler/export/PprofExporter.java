// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.HeapAmount;
import io.heapsampler.HeapDiff;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplingStrategy;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/**
 * A heap profile for pprof, with the four figures of Go in Go's order.
 *
 * <p>Unless labels are not wanted, allocations are written once per site, with the labels {@code
 * class} and {@code bytes} alone, because a receiver that computes deltas needs a figure per stack
 * and labels that only grows. Live objects are written by thread and age, which the samples
 * provide, for as many sites as {@link #MAX_GROUPS} allows; each thread and age repeats the stack.
 */
final class PprofExporter implements Exporter {

    // Fields of the message Profile, in profile.proto of pprof.
    private static final int SAMPLE_TYPE = 1;
    private static final int SAMPLE = 2;
    private static final int MAPPING = 3;
    private static final int TIME_NANOS = 9;
    private static final int DURATION_NANOS = 10;
    private static final int PERIOD_TYPE = 11;
    private static final int PERIOD = 12;
    private static final int COMMENT = 13;
    private static final int DEFAULT_SAMPLE_TYPE = 14;

    private static final int BUFFER = 1 << 16;

    /** Bounds size and time. The largest sites come first; the others have no thread and no age. */
    private static final int MAX_GROUPS = 4_096;

    private final ExportOptions options;

    PprofExporter(ExportOptions options) {
        this.options = options;
    }

    /** One profile under way. */
    private static final class Profile {
        private final PprofTables tables;
        private final PprofSamples site;
        private final ProtoBuffer profile = new ProtoBuffer();
        private final ProtoBuffer part = new ProtoBuffer();
        private final OutputStream out;
        private int groups;

        Profile(HeapSnapshot snapshot, OutputStream out, boolean hasLabels) {
            this.tables = new PprofTables(snapshot);
            this.site = new PprofSamples(tables, hasLabels);
            this.out = out;
        }
    }

    /** As fast as can be, as Go does it. */
    private static final class FastGzip extends GZIPOutputStream {
        FastGzip(OutputStream out) throws IOException {
            super(out, BUFFER);
            def.setLevel(Deflater.BEST_SPEED);
        }
    }

    @Override
    public void export(HeapSnapshot snapshot, OutputStream out) throws IOException {
        HeapSnapshot earlier = options.comparedWith();
        HeapSnapshot begin = options.allocatedSince();
        if (earlier != null) {
            exportChange(snapshot.diff(earlier), out);
        } else if (begin != null) {
            exportDeltaHeap(snapshot.diff(begin), out);
        } else {
            long nanos = nanos(snapshot.takenAt());
            long duration = snapshot.duration().toNanos();
            write(snapshot, nanos, duration, SiteRow.of(snapshot, options), out);
        }
    }

    /** Writes what has changed; figures may be negative. */
    private void exportChange(HeapDiff diff, OutputStream out) throws IOException {
        HeapSnapshot later = diff.later();
        long nanos = nanos(later.takenAt());
        write(later, nanos, diff.elapsed().toNanos(), SiteRow.of(diff, options), out);
    }

    /** Writes the allocations since, and the live objects now. */
    void exportDeltaHeap(HeapDiff diff, OutputStream out) throws IOException {
        HeapSnapshot later = diff.later();
        long nanos = nanos(later.takenAt());
        write(later, nanos, diff.elapsed().toNanos(), SiteRow.deltaHeap(diff, options), out);
    }

    private static long nanos(Instant time) {
        return ChronoUnit.NANOS.between(Instant.EPOCH, time);
    }

    private void write(
            HeapSnapshot snapshot, long time, long duration, List<SiteRow> rows, OutputStream out)
            throws IOException {
        FastGzip gzip = new FastGzip(out);
        Profile to =
                new Profile(snapshot, new BufferedOutputStream(gzip, BUFFER), options.hasLabels());
        writeHead(to, snapshot);
        to.profile.integer(TIME_NANOS, time).integer(DURATION_NANOS, duration).drainTo(to.out);
        to.tables.prepare(rows, to.out);
        for (SiteRow row : rows) {
            writeSite(to, snapshot, row);
            to.tables.writeMany(to.out);
        }
        to.tables.writeRest(to.out);
        to.out.flush();
        gzip.finish();
        out.flush();
    }

    private void writeHead(Profile to, HeapSnapshot snapshot) throws IOException {
        for (HeapMetric metric : HeapMetric.values()) {
            writeType(to, SAMPLE_TYPE, metric.pprofName(), metric.unit());
        }
        // One mapping that has everything, so that pprof does not look for binaries.
        ProtoBuffer mapping = to.part.clear().integer(1, 1).integer(5, to.tables.string("java"));
        mapping.integer(7, 1).integer(8, 1).integer(9, 1).integer(10, 1);
        to.profile.message(MAPPING, mapping);
        Period period = Period.of(snapshot);
        writeType(to, PERIOD_TYPE, period.type(), period.unit());
        to.profile.integer(PERIOD, period.value());
        to.profile.integer(DEFAULT_SAMPLE_TYPE, to.tables.string(options.metric().pprofName()));
        writeComments(to, snapshot);
    }

    /** Read by {@code go tool pprof -comments}. */
    private static void writeComments(Profile to, HeapSnapshot snapshot) {
        int java = snapshot.javaVersion().orElse(0);
        String jdk = java > 0 ? "JDK " + java + ", " : "";
        String gc = snapshot.collections() + " collections of " + snapshot.collector();
        comment(to, "HeapSampler, " + jdk + gc);
        SamplingStrategy strategy = snapshot.strategy();
        if (strategy.kind() != SamplingStrategy.Kind.ALLOCATIONS) {
            comment(to, "Interval: " + snapshot.interval() + " bytes");
        }
        if (strategy.kind() != SamplingStrategy.Kind.BYTES) {
            comment(to, "Strategy: " + strategy);
        }
        snapshot.notes().forEach(note -> comment(to, note.text()));
    }

    private static void comment(Profile to, String text) {
        to.profile.repeated(COMMENT, to.tables.string(text));
    }

    private static void writeType(Profile to, int field, String type, String unit) {
        ProtoBuffer valueType = to.part.clear();
        valueType.integer(1, to.tables.string(type)).integer(2, to.tables.string(unit));
        to.profile.message(field, valueType);
    }

    private void writeSite(Profile to, HeapSnapshot snapshot, SiteRow row) throws IOException {
        List<LiveGroup> groups = groups(to, snapshot, row);
        HeapAmount allocated = row.allocated();
        HeapAmount live = row.live();
        boolean isWhole = groups.isEmpty();
        to.site.begin(row);
        to.site.values(
                Math.round(allocated.objects().value()),
                Math.round(allocated.bytes().value()),
                isWhole ? Math.round(live.objects().value()) : 0,
                isWhole ? Math.round(live.bytes().value()) : 0);
        to.site.bytes(LiveGroup.typicalSize(allocated));
        to.profile.message(SAMPLE, to.site.sample()).drainTo(to.out);
        for (LiveGroup group : groups) {
            to.site.values(0, 0, Math.round(group.objects()), Math.round(group.bytes()));
            to.site.bytes(group.typicalSize());
            to.site.thread(group.thread());
            to.site.age(group.ageMillis());
            to.profile.message(SAMPLE, to.site.sample()).drainTo(to.out);
        }
    }

    private List<LiveGroup> groups(Profile to, HeapSnapshot snapshot, SiteRow row) {
        if (row.site() == null || to.groups >= MAX_GROUPS || !options.hasLabels()) {
            return List.of();
        }
        List<LiveGroup> groups = LiveGroup.of(row.site(), snapshot, options.threadNames());
        to.groups += groups.size();
        return groups;
    }
}
