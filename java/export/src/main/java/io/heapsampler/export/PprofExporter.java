// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.HeapDiff;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplingStrategy;
import io.heapsampler.export.internal.LabelChoice;
import io.heapsampler.export.internal.LabelPart;
import io.heapsampler.export.internal.WrittenLabels;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.regex.Pattern;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/**
 * A heap profile for pprof, with the four figures of Go in Go's order.
 *
 * <p>With labels, allocations are written once per site and set of labels of the application, with
 * the labels {@code class} and {@code bytes} besides: a receiver that computes deltas needs a
 * figure per stack and labels that only grows. Live objects are written by thread and age as well,
 * which the samples provide, for as many sites as {@link #MAX_GROUPS} allows; each thread and age
 * repeats the stack.
 */
final class PprofExporter implements ExportFormat.Exporter {

    // Fields of the message Profile, in profile.proto of pprof.
    static final int SAMPLE_TYPE = 1;
    static final int SAMPLE = 2;
    static final int MAPPING = 3;
    static final int TIME_NANOS = 9;
    static final int DURATION_NANOS = 10;
    static final int PERIOD_TYPE = 11;
    static final int PERIOD = 12;
    static final int COMMENT = 13;
    static final int DEFAULT_SAMPLE_TYPE = 14;

    // Fields of the messages Sample and Label.
    static final int LOCATION_ID = 1;
    static final int VALUE = 2;
    static final int LABEL = 3;
    static final int LABEL_KEY = 1;
    static final int LABEL_STRING = 2;
    static final int LABEL_NUMBER = 3;
    static final int LABEL_UNIT = 4;

    /**
     * Keys with a meaning: those of this format, that of {@link LabelChoice#pairs}, pprof's own.
     */
    private static final Pattern TAKEN =
            Pattern.compile("(?:label_)*(?:(?:class|bytes|thread|age|labels)\\z|pprof::)");

    private static final int BUFFER = 1 << 16;

    /** Bounds size and time. The largest sites come first; the rest have no thread and no age. */
    private static final int MAX_GROUPS = 4_096;

    private final ExportOptions options;

    PprofExporter(ExportOptions options) {
        this.options = options;
    }

    /** The fastest compression, as in Go. */
    private static final class FastGzip extends GZIPOutputStream {
        FastGzip(OutputStream out) throws IOException {
            super(out, BUFFER);
            def.setLevel(Deflater.BEST_SPEED);
        }
    }

    @Override
    public void export(HeapSnapshot snapshot, OutputStream out) throws IOException {
        if (options.hasHolders()) {
            FastGzip gzip = new FastGzip(out);
            HoldersProfile.write(
                    snapshot, new BufferedOutputStream(gzip, BUFFER), options.hasFormatLabels());
            gzip.finish();
            out.flush();
            return;
        }
        LabelChoice labels = options.labels();
        List<SiteRow> rows;
        Duration duration = options.isMomentary() ? Duration.ZERO : snapshot.duration();
        HeapSnapshot earlier = options.comparedWith();
        HeapSnapshot begin = options.allocatedSince();
        if (earlier != null) {
            HeapDiff diff = snapshot.diff(earlier);
            rows = SiteRow.of(diff, options, labels);
            duration = diff.elapsed();
        } else if (begin != null) {
            HeapDiff diff = snapshot.diff(begin);
            rows = SiteRow.deltaHeap(diff, options, labels);
            duration = diff.elapsed();
        } else {
            rows = SiteRow.of(snapshot, options, labels);
        }
        FastGzip gzip = new FastGzip(out);
        OutputStream buffer = new BufferedOutputStream(gzip, BUFFER);
        Profile profile = new Profile(snapshot, buffer, options, labels);
        profile.write(rows, duration);
        gzip.finish();
        out.flush();
    }

    /**
     * Returns the key under which a label of the application is written: its own, unless that has a
     * meaning in these profiles. Then it has {@code label_} before it, and so has a key that is
     * like such a result, so that different keys stay different.
     */
    static String labelKey(String key) {
        return TAKEN.matcher(key).lookingAt() ? "label_" + key : key;
    }

    /** Writes the one mapping, which has everything, so that pprof looks for no binaries. */
    static void mapping(ProtoBuffer to, PprofTables tables) {
        to.integer(1, 1).integer(5, tables.string("java"));
        to.integer(7, 1).integer(8, 1).integer(9, 1).integer(10, 1);
    }

    /** One profile under way. The stack and the class of a site are encoded once. */
    private static final class Profile {

        private final HeapSnapshot snapshot;
        private final OutputStream out;
        private final ExportOptions options;
        private final LabelChoice labels;
        private final PprofTables tables;
        private final ProtoBuffer profile = new ProtoBuffer();
        private final ProtoBuffer stack = new ProtoBuffer();
        private final ProtoBuffer classLabel = new ProtoBuffer();
        private final ProtoBuffer ownLabels = new ProtoBuffer();
        private final ProtoBuffer sample = new ProtoBuffer();
        private final ProtoBuffer part = new ProtoBuffer();
        private final boolean hasFormatLabels;
        private final int classKey;
        private final int bytesKey;
        private final int threadKey;
        private final int ageKey;
        private final int ageUnit;
        private int groups;

        Profile(
                HeapSnapshot snapshot,
                OutputStream out,
                ExportOptions options,
                LabelChoice labels) {
            this.snapshot = snapshot;
            this.out = out;
            this.options = options;
            this.labels = labels;
            this.hasFormatLabels = options.hasFormatLabels();
            tables = new PprofTables(snapshot);
            classKey = tables.string("class");
            bytesKey = tables.string("bytes");
            threadKey = tables.string("thread");
            ageKey = tables.string("age");
            ageUnit = tables.string("milliseconds");
        }

        void write(List<SiteRow> rows, Duration duration) throws IOException {
            writeHead();
            profile.integer(
                    TIME_NANOS, ChronoUnit.NANOS.between(Instant.EPOCH, snapshot.takenAt()));
            profile.integer(DURATION_NANOS, duration.toNanos()).drainTo(out);
            tables.prepare(rows, out);
            for (SiteRow row : rows) {
                writeSite(row);
                tables.writeMany(out);
            }
            tables.writeRest(out);
            out.flush();
        }

        private void writeHead() {
            for (HeapMetric metric : HeapMetric.values()) {
                writeType(SAMPLE_TYPE, metric.pprofName(), metric.unit());
            }
            mapping(part.clear(), tables);
            profile.message(MAPPING, part);
            ProfileTables.Period period = ProfileTables.Period.of(snapshot);
            writeType(PERIOD_TYPE, period.type(), period.unit());
            profile.integer(PERIOD, period.value());
            profile.integer(DEFAULT_SAMPLE_TYPE, tables.string(options.metric().pprofName()));
            writeComments();
        }

        private void writeType(int field, String type, String unit) {
            part.clear().integer(1, tables.string(type)).integer(2, tables.string(unit));
            profile.message(field, part);
        }

        /** Read by {@code go tool pprof -comments}. */
        private void writeComments() {
            int java = snapshot.javaVersion().orElse(0);
            String jdk = java > 0 ? "JDK " + java + ", " : "";
            String gc = snapshot.collections() + " collections of " + snapshot.collector();
            comment("HeapSampler, " + jdk + gc);
            SamplingStrategy strategy = snapshot.strategy();
            if (strategy.kind() != SamplingStrategy.Kind.ALLOCATIONS) {
                comment("Interval: " + snapshot.interval() + " bytes");
            }
            if (strategy.kind() != SamplingStrategy.Kind.BYTES) {
                comment("Strategy: " + strategy);
            }
            snapshot.notes().forEach(note -> comment(note.text()));
        }

        private void comment(String text) {
            profile.repeated(COMMENT, tables.string(text));
        }

        private void writeSite(SiteRow row) throws IOException {
            List<LiveGroup> live = groups(row);
            beginSite(row);
            for (LabelPart each : row.parts()) {
                encode(each.labels());
                beginSample(
                        each.allocated().objects().value(),
                        each.allocated().bytes().value(),
                        live.isEmpty() ? each.live().objects().value() : 0,
                        live.isEmpty() ? each.live().bytes().value() : 0);
                label(bytesKey, LiveGroup.typicalSize(each.allocated()), bytesKey);
                profile.message(SAMPLE, sample).drainTo(out);
            }
            for (LiveGroup group : live) {
                encode(group.labels());
                beginSample(0, 0, group.objects(), group.bytes());
                label(bytesKey, group.typicalSize(), bytesKey);
                if (!group.thread().isEmpty()) {
                    part.clear().integer(LABEL_KEY, threadKey);
                    part.integer(LABEL_STRING, tables.string(group.thread()));
                    sample.message(LABEL, part);
                }
                label(ageKey, group.ageMillis(), ageUnit);
                profile.message(SAMPLE, sample).drainTo(out);
            }
        }

        private List<LiveGroup> groups(SiteRow row) {
            if (row.site() == null || groups >= MAX_GROUPS || !hasFormatLabels) {
                return List.of();
            }
            List<LiveGroup> found =
                    LiveGroup.of(row.site(), snapshot, options.threadNames(), labels);
            groups += found.size();
            return found;
        }

        /** Encodes the stack, leaf first, and the class: as a label, or else as the leaf. */
        private void beginSite(SiteRow row) {
            stack.clear();
            if (!hasFormatLabels) {
                stack.element(tables.location(row.className()));
            }
            tables.locations(row, stack);
            String ending = hasFormatLabels ? row.ending() : row.endingUnderClass();
            if (ending != null) {
                stack.element(tables.location(ending));
            }
            classLabel.clear().integer(LABEL_KEY, classKey);
            classLabel.integer(LABEL_STRING, tables.string(row.className()));
        }

        /** Encodes the labels of the application, for the samples that begin from now on. */
        private void encode(WrittenLabels written) {
            ownLabels.clear();
            labels.pairs(written)
                    .forEach(
                            (key, value) -> {
                                boolean isOwn = key.equals(LabelChoice.OTHER_KEY);
                                String name = isOwn && written.isOther() ? key : labelKey(key);
                                part.clear().integer(LABEL_KEY, tables.string(name));
                                part.integer(LABEL_STRING, tables.string(value));
                                ownLabels.message(LABEL, part);
                            });
        }

        private void beginSample(double... values) {
            part.clear();
            for (double value : values) {
                part.element(Math.round(value));
            }
            sample.clear().packed(LOCATION_ID, stack).packed(VALUE, part);
            if (hasFormatLabels) {
                sample.message(LABEL, classLabel);
            }
            sample.append(ownLabels);
        }

        /** Adds a number to the sample; 0 adds nothing. */
        private void label(int key, long value, int unit) {
            if (hasFormatLabels && value > 0) {
                part.clear().integer(LABEL_KEY, key).integer(LABEL_NUMBER, value);
                sample.message(LABEL, part.integer(LABEL_UNIT, unit));
            }
        }
    }
}
