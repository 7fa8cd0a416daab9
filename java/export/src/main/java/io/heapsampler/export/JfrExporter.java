// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.HeapAmount;
import io.heapsampler.HeapSample;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.Liveness;
import io.heapsampler.Note;
import io.heapsampler.export.internal.LabelChoice;
import io.heapsampler.export.internal.WrittenLabels;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.openjdk.jmc.flightrecorder.writer.api.Recording;
import org.openjdk.jmc.flightrecorder.writer.api.Recordings;
import org.openjdk.jmc.flightrecorder.writer.api.Type;
import org.openjdk.jmc.flightrecorder.writer.api.TypedValue;
import org.openjdk.jmc.flightrecorder.writer.api.Types;

/**
 * A recording in the format of JFR.
 *
 * <p>Allocations are reported with the JDK's own event {@code jdk.ObjectAllocationSample}, which
 * all readers know: one for each sample that is kept, at its time and with its thread, and one for
 * each site that stands for all samples of it that are not kept any more, at the time of the
 * snapshot and without a thread. Live objects are in {@code heapsampler.LiveObject}, with their
 * labels as text, the notes in {@code heapsampler.Note}, and the description of the snapshot in
 * {@code heapsampler.Snapshot}.
 */
final class JfrExporter implements ExportFormat.Exporter {

    private final ExportOptions options;

    JfrExporter(ExportOptions options) {
        this.options = options;
    }

    @Override
    public void export(HeapSnapshot snapshot, OutputStream out) throws IOException {
        Instant start = snapshot.startedAt();
        long nanos = ChronoUnit.NANOS.between(start, snapshot.takenAt());
        Recording recording =
                Recordings.newRecording(
                        new Unclosed(out),
                        settings ->
                                settings.withTimestamp(
                                                ChronoUnit.NANOS.between(Instant.EPOCH, start))
                                        .withStartTicks(1)
                                        .withDuration(Math.max(nanos, 1)));
        try (recording) {
            new Events(recording, snapshot, options).write();
        }
        out.flush();
    }

    /** The recording closes what it writes to, and the caller's stream stays open. */
    private static final class Unclosed extends FilterOutputStream {

        Unclosed(OutputStream out) {
            super(out);
        }

        @Override
        public void write(byte[] bytes, int start, int length) throws IOException {
            out.write(bytes, start, length);
        }

        @Override
        public void close() throws IOException {
            flush();
        }
    }

    /** The events of one recording. */
    private static final class Events {

        private final Recording recording;
        private final HeapSnapshot snapshot;
        private final ExportOptions options;
        private final LabelChoice choice;
        private final JfrValues values;
        private final Type allocation;
        private final Type live;

        Events(Recording recording, HeapSnapshot snapshot, ExportOptions options) {
            this.recording = recording;
            this.snapshot = snapshot;
            this.options = options;
            this.choice = options.labels();
            this.values = new JfrValues(recording, options.threadNames());
            this.allocation =
                    values.event(
                            "jdk.ObjectAllocationSample",
                            "Object Allocation Sample",
                            type -> {
                                type.addField("objectClass", values.classType);
                                type.addField("weight", Types.Builtin.LONG);
                            });
            this.live =
                    values.event(
                            "heapsampler.LiveObject",
                            "Live Object",
                            type -> {
                                type.addField("objectClass", values.classType);
                                type.addField("objectSize", Types.Builtin.LONG);
                                type.addField("objects", Types.Builtin.DOUBLE);
                                type.addField("weight", Types.Builtin.LONG);
                                type.addField("liveness", Types.Builtin.STRING);
                                type.addField("collectionsSurvived", Types.Builtin.INT);
                                type.addField("labels", Types.Builtin.STRING);
                            });
        }

        void write() {
            writeSnapshot();
            writeNotes();
            for (SiteRow row : SiteRow.of(snapshot, options)) {
                writeSite(row);
            }
        }

        private long ticks(Instant time) {
            return 1 + Math.max(ChronoUnit.NANOS.between(snapshot.startedAt(), time), 0);
        }

        private void writeSnapshot() {
            Type type =
                    values.event(
                            "heapsampler.Snapshot",
                            "Heap Snapshot",
                            fields -> {
                                fields.addField("interval", Types.Builtin.LONG);
                                fields.addField("strategy", Types.Builtin.STRING);
                                fields.addField("collections", Types.Builtin.LONG);
                                fields.addField("collector", Types.Builtin.STRING);
                                fields.addField("afterGc", Types.Builtin.BOOLEAN);
                            });
            recording.writeEvent(
                    type.asValue(
                            event -> {
                                event.putField("startTime", ticks(snapshot.takenAt()));
                                event.putField("stackTrace", values.noStack());
                                event.putField("eventThread", values.noThread());
                                event.putField("interval", snapshot.interval());
                                event.putField("strategy", snapshot.strategy().toString());
                                event.putField("collections", snapshot.collections());
                                event.putField("collector", snapshot.collector().name());
                                event.putField("afterGc", snapshot.isAfterGc());
                            }));
        }

        private void writeNotes() {
            Type type =
                    values.event(
                            "heapsampler.Note",
                            "Heap Note",
                            fields -> fields.addField("note", Types.Builtin.STRING));
            for (Note note : snapshot.notes()) {
                recording.writeEvent(
                        type.asValue(
                                event -> {
                                    event.putField("startTime", ticks(snapshot.takenAt()));
                                    event.putField("stackTrace", values.noStack());
                                    event.putField("eventThread", values.noThread());
                                    event.putField("note", note.text());
                                }));
            }
        }

        private void writeSite(SiteRow row) {
            TypedValue stack = values.stack(row);
            TypedValue type = values.type(row.className());
            double kept = 0;
            for (HeapSample sample : row.samples()) {
                double bytes = sample.allocationWeight() * sample.size();
                kept += bytes;
                TypedValue thread =
                        values.thread(sample.threadName(), sample.threadId().orElse(-1));
                long time = ticks(sample.allocatedAt());
                writeAllocation(stack, type, thread, time, Math.round(bytes));
                if (sample.liveness() != Liveness.DEAD) {
                    writeLive(stack, type, thread, time, sample);
                }
            }
            HeapAmount allocated = row.allocated();
            long rest = Math.round(allocated.bytes().value() - kept);
            if (rest > 0) {
                long time = ticks(snapshot.takenAt());
                writeAllocation(stack, type, values.noThread(), time, rest);
            }
        }

        private void writeAllocation(
                TypedValue stack, TypedValue type, TypedValue thread, long time, long weight) {
            recording.writeEvent(
                    allocation.asValue(
                            event -> {
                                event.putField("startTime", time);
                                event.putField("stackTrace", stack);
                                event.putField("eventThread", thread);
                                event.putField("objectClass", type);
                                event.putField("weight", weight);
                            }));
        }

        private void writeLive(
                TypedValue stack,
                TypedValue type,
                TypedValue thread,
                long time,
                HeapSample sample) {
            WrittenLabels labels = choice.of(sample);
            recording.writeEvent(
                    live.asValue(
                            event -> {
                                event.putField("startTime", time);
                                event.putField("stackTrace", stack);
                                event.putField("eventThread", thread);
                                event.putField("objectClass", type);
                                event.putField("objectSize", sample.size());
                                event.putField("objects", sample.weight());
                                event.putField(
                                        "weight", Math.round(sample.weight() * sample.size()));
                                event.putField("liveness", sample.liveness().name());
                                event.putField("collectionsSurvived", sample.collectionsSurvived());
                                event.putField("labels", labels.isNone() ? "" : labels.toString());
                            }));
        }
    }
}
