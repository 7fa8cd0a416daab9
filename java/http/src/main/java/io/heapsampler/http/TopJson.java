// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import io.heapsampler.Estimate;
import io.heapsampler.HeapAmount;
import io.heapsampler.HeapFigures;
import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.Note;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The largest sites with totals, notes and drops, as JSON: what the page shows. */
final class TopJson {

    private static final int SITES = 20;
    private static final int FRAMES = 32;

    private TopJson() {}

    static Map<String, Object> of(HeapSnapshot snapshot) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("takenAt", snapshot.takenAt().toString());
        all.put("seconds", snapshot.duration().toMillis() / 1e3);
        all.put("interval", snapshot.interval());
        all.put("strategy", snapshot.strategy().toString());
        all.put("collections", snapshot.collections());
        all.put("totals", figures(snapshot.totals()));
        all.put("notes", snapshot.notes().stream().map(TopJson::note).toList());
        Map<String, Long> dropped = new LinkedHashMap<>();
        snapshot.dropped().forEach((cause, count) -> dropped.put(cause.name(), count));
        all.put("dropped", dropped);
        all.put("live", sites(snapshot.topByLive(SITES)));
        all.put("allocated", sites(snapshot.topByAllocated(SITES)));
        return all;
    }

    private static Map<String, Object> note(Note note) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("id", note.id());
        all.put("text", note.text());
        return all;
    }

    private static List<Map<String, Object>> sites(List<HeapSite> sites) {
        return sites.stream().map(TopJson::site).toList();
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
    static Map<String, Object> estimate(Estimate estimate) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("value", estimate.value());
        all.put("error", estimate.standardError());
        all.put("low", estimate.low());
        all.put("high", estimate.high());
        all.put("samples", estimate.samples());
        all.put("tooFewSamples", estimate.hasTooFewSamples());
        return all;
    }
}
