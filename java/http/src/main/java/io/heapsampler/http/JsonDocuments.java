// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import io.heapsampler.DropCause;
import io.heapsampler.Estimate;
import io.heapsampler.HeapAmount;
import io.heapsampler.HeapFigures;
import io.heapsampler.HeapFrame;
import io.heapsampler.HeapGrowth;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplerStatus;
import io.heapsampler.SiteGrowth;
import io.heapsampler.export.internal.LabelChoice;
import io.heapsampler.export.internal.LabelPart;
import io.heapsampler.internal.shared.JsonText;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The responses in JSON, as trees for {@link JsonText#of}. */
final class JsonDocuments {

    private static final int SITES = 20;
    private static final int FRAMES = 32;
    private static final int GROWING_SITES = 100;

    private JsonDocuments() {}

    private static Map<String, Object> object(Object... namesAndValues) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            object.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return object;
    }

    private static void write(Object tree, OutputStream out) throws IOException {
        out.write(JsonText.of(tree).getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Writes the largest sites with totals, notes and drops, and the labels of all samples, for the
     * page.
     */
    static void top(HeapSnapshot snapshot, HeapSnapshot all, LabelChoice labels, OutputStream out)
            throws IOException {
        List<Object> notes = new ArrayList<>();
        snapshot.notes().forEach(note -> notes.add(object("id", note.id(), "text", note.text())));
        write(
                object(
                        "takenAt", snapshot.takenAt(),
                        "seconds", snapshot.duration().toMillis() / 1e3,
                        "interval", snapshot.interval(),
                        "strategy", snapshot.strategy(),
                        "collections", snapshot.collections(),
                        "totals", figures(snapshot.totals()),
                        "notes", notes,
                        "dropped", dropped(snapshot.dropped()),
                        "labels", labels(all, labels),
                        "live", sites(snapshot.topByLive(SITES), labels),
                        "allocated", sites(snapshot.topByAllocated(SITES), labels)),
                out);
    }

    private static Map<String, Object> dropped(Map<DropCause, Long> counts) {
        Map<String, Object> all = new LinkedHashMap<>();
        counts.forEach((cause, count) -> all.put(cause.name(), count));
        return all;
    }

    /** Returns the keys, each with its largest values. */
    private static List<Map<String, Object>> labels(HeapSnapshot snapshot, LabelChoice labels) {
        List<Map<String, Object>> all = new ArrayList<>();
        LabelLists.byKey(snapshot, labels)
                .forEach((key, parts) -> all.add(object("key", key, "values", parts(parts))));
        return all;
    }

    /**
     * Returns figures by set of labels; a set without entries is that of samples without labels.
     */
    private static List<Map<String, Object>> parts(List<LabelPart> parts) {
        List<Map<String, Object>> all = new ArrayList<>();
        for (LabelPart part : parts) {
            Map<String, Object> each = object("set", part.labels().values());
            each.put("other", part.labels().isOther());
            each.putAll(figures(part.live(), part.allocated(), part.unconfirmed()));
            all.add(each);
        }
        return all;
    }

    private static List<Map<String, Object>> sites(List<HeapSite> sites, LabelChoice labels) {
        return sites.stream().map(site -> site(site, labels)).toList();
    }

    private static Map<String, Object> site(HeapSite site, LabelChoice labels) {
        List<HeapFrame> stack = site.stack();
        Map<String, Object> all =
                object(
                        "class", site.className(),
                        "stack", stack.stream().limit(FRAMES).map(HeapFrame::toString).toList(),
                        "moreFrames", Math.max(stack.size() - FRAMES, 0),
                        "labels", parts(LabelLists.ofSite(site, labels)));
        all.putAll(figures(site));
        return all;
    }

    private static Map<String, Object> figures(HeapFigures figures) {
        return figures(figures.live(), figures.allocated(), figures.unconfirmed());
    }

    private static Map<String, Object> figures(
            HeapAmount live, HeapAmount allocated, HeapAmount unconfirmed) {
        return object(
                "live", amount(live),
                "allocated", amount(allocated),
                "unconfirmed", amount(unconfirmed));
    }

    private static Map<String, Object> amount(HeapAmount amount) {
        return object("bytes", estimate(amount.bytes()), "objects", estimate(amount.objects()));
    }

    /** Returns an estimate with all that a reader needs to judge it. */
    private static Map<String, Object> estimate(Estimate estimate) {
        return object(
                "value", estimate.value(),
                "error", estimate.standardError(),
                "low", estimate.low(),
                "high", estimate.high(),
                "samples", estimate.samples(),
                "tooFewSamples", estimate.hasTooFewSamples());
    }

    private static Map<String, Object> site(SiteGrowth site) {
        Stream<Estimate> live = site.live().stream().map(HeapAmount::bytes);
        return object(
                "class", site.className(),
                "stack", site.stack().stream().map(HeapFrame::toString).toList(),
                "bytesPerSecond", estimate(site.bytesPerSecond()),
                "recentBytesPerSecond", estimate(site.recentBytesPerSecond()),
                "birthEpochs", site.birthEpochs(),
                "liveBytes", live.map(Estimate::value).toList());
    }

    /** Writes the growing sites. */
    static void growth(List<HeapSnapshot> snapshots, OutputStream out) throws IOException {
        HeapGrowth growth = HeapGrowth.of(snapshots);
        List<SiteGrowth> growing = growth.growing();
        Stream<SiteGrowth> shown = growing.stream().limit(GROWING_SITES);
        write(
                object(
                        "snapshots", snapshots.stream().map(HeapSnapshot::takenAt).toList(),
                        "seconds", growth.elapsed().toMillis() / 1e3,
                        "sites", growth.sites().size(),
                        "growingSites", growing.size(),
                        "growing", shown.map(JsonDocuments::site).toList()),
                out);
    }

    /** Returns the status, without the place of the library, which describes the machine. */
    static Map<String, Object> status(
            SamplerStatus status, boolean allowsGc, EndpointOptions options) {
        String library = status.libraryVersion();
        return object(
                "state", status.state().name(),
                "holders", status.holders(),
                "sampling", status.isSampling(),
                "interval", status.interval(),
                "strategy", status.strategy(),
                "intervalInForce", status.intervalInForce(),
                "maxOverhead", status.maxOverhead(),
                "overhead", status.overhead(),
                "recordings", status.recordings(),
                "samples", status.samples(),
                "meanSampleCostNanos", status.meanSampleCost().toNanos(),
                "maxSampleCostNanos", status.maxSampleCost().toNanos(),
                "tracked", status.tracked(),
                "trackedBudget", status.trackedBudget(),
                "thinning", status.thinning(),
                "memoryUsed", status.memoryUsed(),
                "memoryPeak", status.memoryPeak(),
                "collections", status.collections(),
                "sweeps", status.sweeps(),
                "maxDepth", status.maxDepth(),
                "dropped", dropped(status.dropped()),
                "collector", status.collector().name(),
                "vm", status.vmName() + " " + status.vmVersion(),
                "library", library == null ? "not loaded" : library,
                "doctor", DoctorRoutes.isAtWork(),
                "gcAllowed", allowsGc,
                "minInterval", options.minInterval,
                "readOnly", options.isReadOnly,
                "recording", options.recording != null);
    }
}
