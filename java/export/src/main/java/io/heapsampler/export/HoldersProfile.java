// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.HeapAmount;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.HeldBy;
import io.heapsampler.Holder;
import io.heapsampler.Unresolved;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A profile for pprof whose stacks are holders: the root is the outermost frame, each reference
 * calls the next one, and the allocation site is the innermost frame. The figures are held objects
 * and held bytes. Amounts without a known holder are stacks of one frame, so that the sum is that
 * of all chosen live samples.
 *
 * <p>For one thread and one answer.
 */
final class HoldersProfile {

    private final HeldBy answer;
    private final OutputStream out;
    private final PprofTables tables;
    private final ProtoBuffer profile = new ProtoBuffer();
    private final ProtoBuffer stack = new ProtoBuffer();
    private final ProtoBuffer sample = new ProtoBuffer();
    private final ProtoBuffer part = new ProtoBuffer();
    private final boolean hasLabels;

    /** The locations from the root to the current holder. */
    private final List<Integer> path = new ArrayList<>();

    private HoldersProfile(HeldBy answer, OutputStream out, boolean hasLabels) {
        this.answer = answer;
        this.out = out;
        this.hasLabels = hasLabels;
        this.tables = new PprofTables(answer.snapshot());
    }

    /**
     * Writes the holders of a snapshot, not compressed.
     *
     * @throws IllegalArgumentException if the snapshot has none
     */
    static void write(HeapSnapshot snapshot, OutputStream out, boolean hasLabels)
            throws IOException {
        HeldBy answer = snapshot.heldBy().orElseThrow(HoldersProfile::withoutHolders);
        new HoldersProfile(answer, out, hasLabels).write();
    }

    private static IllegalArgumentException withoutHolders() {
        return new IllegalArgumentException(
                "The snapshot has no holders. Search them with heldBy(HeldByOptions), and export"
                        + " HeldBy.snapshot().");
    }

    private void write() throws IOException {
        writeHead();
        for (Holder root : answer.holders()) {
            writeTree(root);
        }
        for (Map.Entry<Unresolved, HeapAmount> each : answer.unresolved().entrySet()) {
            if (each.getValue().samples() > 0) {
                path.add(tables.text("(no holder: " + each.getKey() + ")"));
                writeSample(each.getValue(), Optional.empty());
                path.clear();
            }
        }
        tables.writeRest(out);
        out.flush();
    }

    private void writeHead() {
        writeType(PprofExporter.SAMPLE_TYPE, "held_objects", "count");
        writeType(PprofExporter.SAMPLE_TYPE, "held_space", "bytes");
        PprofExporter.mapping(part.clear(), tables);
        profile.message(PprofExporter.MAPPING, part);
        HeapSnapshot snapshot = answer.snapshot();
        ProfileTables.Period period = ProfileTables.Period.of(snapshot);
        writeType(PprofExporter.PERIOD_TYPE, period.type(), period.unit());
        profile.integer(PprofExporter.PERIOD, period.value());
        profile.integer(PprofExporter.DEFAULT_SAMPLE_TYPE, tables.string("held_space"));
        comment("HeapSampler, holders of live objects, found by " + answer.way());
        answer.notes().forEach(note -> comment(note.text()));
        profile.integer(
                PprofExporter.TIME_NANOS,
                ChronoUnit.NANOS.between(Instant.EPOCH, snapshot.takenAt()));
        profile.integer(PprofExporter.DURATION_NANOS, answer.time().toNanos());
    }

    private void writeType(int field, String type, String unit) {
        part.clear().integer(1, tables.string(type)).integer(2, tables.string(unit));
        profile.message(field, part);
    }

    private void comment(String text) {
        profile.repeated(PprofExporter.COMMENT, tables.string(text));
    }

    /** Writes a sample for each site beneath a holder. */
    private void writeTree(Holder holder) throws IOException {
        path.add(tables.text(holder.text()));
        if (holder.site().isPresent()) {
            writeSample(holder.held(), holder.site().map(HeapSite::className));
        }
        for (Holder child : holder.children()) {
            writeTree(child);
        }
        path.remove(path.size() - 1);
    }

    private void writeSample(HeapAmount held, Optional<String> className) throws IOException {
        stack.clear();
        for (int i = path.size() - 1; i >= 0; i--) {
            stack.element(path.get(i));
        }
        part.clear().element(Math.round(held.objects().value()));
        part.element(Math.round(held.bytes().value()));
        sample.clear().packed(PprofExporter.LOCATION_ID, stack).packed(PprofExporter.VALUE, part);
        if (hasLabels && className.isPresent()) {
            part.clear().integer(PprofExporter.LABEL_KEY, tables.string("class"));
            part.integer(PprofExporter.LABEL_STRING, tables.string(className.get()));
            sample.message(PprofExporter.LABEL, part);
        }
        profile.message(PprofExporter.SAMPLE, sample).drainTo(out);
        tables.writeMany(out);
    }
}
