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
import io.heapsampler.Note;
import io.heapsampler.SamplerStatus;
import io.heapsampler.SiteGrowth;
import io.heapsampler.internal.shared.JsonText;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The responses in JSON, as trees for {@link JsonText#of}. */
final class JsonDocuments {

    private static final int SITES = 20;
    private static final int FRAMES = 32;
    private static final int GROWING_SITES = 100;

    private JsonDocuments() {}

    private static void write(Object tree, OutputStream out) throws IOException {
        out.write(JsonText.of(tree).getBytes(StandardCharsets.UTF_8));
    }

    /** Writes the largest sites with totals, notes and drops, for the page. */
    static void top(HeapSnapshot snapshot, OutputStream out) throws IOException {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("takenAt", snapshot.takenAt());
        all.put("seconds", snapshot.duration().toMillis() / 1e3);
        all.put("interval", snapshot.interval());
        all.put("strategy", snapshot.strategy());
        all.put("collections", snapshot.collections());
        all.put("totals", figures(snapshot.totals()));
        all.put("notes", snapshot.notes().stream().map(JsonDocuments::note).toList());
        all.put("dropped", dropped(snapshot.dropped()));
        all.put("live", sites(snapshot.topByLive(SITES)));
        all.put("allocated", sites(snapshot.topByAllocated(SITES)));
        write(all, out);
    }

    private static Map<String, Object> dropped(Map<DropCause, Long> counts) {
        Map<String, Object> all = new LinkedHashMap<>();
        counts.forEach((cause, count) -> all.put(cause.name(), count));
        return all;
    }

    private static Map<String, Object> note(Note note) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("id", note.id());
        all.put("text", note.text());
        return all;
    }

    private static List<Map<String, Object>> sites(List<HeapSite> sites) {
        return sites.stream().map(JsonDocuments::site).toList();
    }

    private static Map<String, Object> site(HeapSite site) {
        List<HeapFrame> stack = site.stack();
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("class", site.className());
        all.put("stack", stack.stream().limit(FRAMES).map(HeapFrame::toString).toList());
        all.put("moreFrames", Math.max(stack.size() - FRAMES, 0));
        all.putAll(figures(site));
        return all;
    }

    private static Map<String, Object> figures(HeapFigures figures) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("live", amount(figures.live()));
        all.put("allocated", amount(figures.allocated()));
        all.put("unconfirmed", amount(figures.unconfirmed()));
        return all;
    }

    private static Map<String, Object> amount(HeapAmount amount) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("bytes", estimate(amount.bytes()));
        all.put("objects", estimate(amount.objects()));
        return all;
    }

    /** Returns an estimate with all that a reader needs to judge it. */
    private static Map<String, Object> estimate(Estimate estimate) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("value", estimate.value());
        all.put("error", estimate.standardError());
        all.put("low", estimate.low());
        all.put("high", estimate.high());
        all.put("samples", estimate.samples());
        all.put("tooFewSamples", estimate.hasTooFewSamples());
        return all;
    }

    private static Map<String, Object> site(SiteGrowth site) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("class", site.className());
        all.put("stack", site.stack().stream().map(HeapFrame::toString).toList());
        all.put("bytesPerSecond", estimate(site.bytesPerSecond()));
        all.put("recentBytesPerSecond", estimate(site.recentBytesPerSecond()));
        all.put("birthEpochs", site.birthEpochs());
        all.put(
                "liveBytes",
                site.live().stream().map(HeapAmount::bytes).map(Estimate::value).toList());
        return all;
    }

    /** Writes the growing sites. */
    static void growth(List<HeapSnapshot> snapshots, OutputStream out) throws IOException {
        HeapGrowth growth = HeapGrowth.of(snapshots);
        List<SiteGrowth> growing = growth.growing();
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("snapshots", growth.snapshots().stream().map(HeapSnapshot::takenAt).toList());
        all.put("seconds", growth.elapsed().toMillis() / 1e3);
        all.put("sites", growth.sites().size());
        all.put("growingSites", growing.size());
        all.put("growing", growing.stream().limit(GROWING_SITES).map(JsonDocuments::site).toList());
        write(all, out);
    }

    /** Returns the status, without the place of the library, which describes the machine. */
    static Map<String, Object> status(
            SamplerStatus status, boolean allowsGc, EndpointOptions options) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("state", status.state().name());
        all.put("holders", status.holders());
        all.put("sampling", status.isSampling());
        all.put("interval", status.interval());
        all.put("strategy", status.strategy());
        all.put("intervalInForce", status.intervalInForce());
        all.put("maxOverhead", status.maxOverhead());
        all.put("overhead", status.overhead());
        all.put("recordings", status.recordings());
        all.put("samples", status.samples());
        all.put("meanSampleCostNanos", status.meanSampleCost().toNanos());
        all.put("maxSampleCostNanos", status.maxSampleCost().toNanos());
        all.put("tracked", status.tracked());
        all.put("trackedBudget", status.trackedBudget());
        all.put("thinning", status.thinning());
        all.put("memoryUsed", status.memoryUsed());
        all.put("memoryPeak", status.memoryPeak());
        all.put("collections", status.collections());
        all.put("sweeps", status.sweeps());
        all.put("maxDepth", status.maxDepth());
        all.put("dropped", dropped(status.dropped()));
        all.put("collector", status.collector().name());
        all.put("vm", status.vmName() + " " + status.vmVersion());
        String library = status.libraryVersion();
        all.put("library", library == null ? "not loaded" : library);
        all.put("doctor", DoctorRoutes.isAtWork());
        all.put("gcAllowed", allowsGc);
        all.put("minInterval", options.minInterval);
        all.put("readOnly", options.isReadOnly);
        all.put("recording", options.recording != null);
        return all;
    }
}
