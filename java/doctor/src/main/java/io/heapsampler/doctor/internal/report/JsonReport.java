// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.report;

import io.heapsampler.Estimate;
import io.heapsampler.doctor.Advice;
import io.heapsampler.doctor.CallerEvidence;
import io.heapsampler.doctor.Check;
import io.heapsampler.doctor.Evidence;
import io.heapsampler.doctor.Finding;
import io.heapsampler.doctor.SiteEvidence;
import io.heapsampler.doctor.internal.rules.CauseTotals;
import io.heapsampler.doctor.internal.rules.Judgement;
import io.heapsampler.doctor.internal.rules.Slo;
import io.heapsampler.doctor.internal.rules.SloReport;
import io.heapsampler.doctor.internal.sites.Places;
import io.heapsampler.doctor.internal.timeline.GcEvent;
import io.heapsampler.doctor.internal.timeline.JvmSettings;
import io.heapsampler.doctor.internal.timeline.Tick;
import io.heapsampler.internal.shared.JsonText;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Writes a diagnosis as one object, in one line. {@code doctor.schema.json} describes it. */
public final class JsonReport {

    private JsonReport() {}

    public static String of(Judgement d) {
        JvmSettings jvm = d.timeline().settings();
        Map<String, @Nullable Object> all =
                object("schema", "urn:heapsampler:diagnosis:1", "version", "1.0");
        add(all, "verdict", TextReport.verdict(d), "from", d.startedAt(), "to", d.endedAt());
        Map<String, @Nullable Object> settings =
                object("jdk", jvm.feature(), "collector", jvm.collector());
        add(settings, "maxHeap", jvm.maxHeap());
        add(all, "jvm", settings, "slo", slo(d.slo()));
        add(all, "findings", each(d.findings(), JsonReport::finding));
        add(all, "checks", each(d.checks(), JsonReport::check));
        add(all, "causes", each(d.causes(), JsonReport::cause));
        add(all, "notDiagnosed", d.notDiagnosed(), "notes", d.notes());
        add(all, "timeline", timeline(d));
        return JsonText.of(all).stripTrailing();
    }

    private static Map<String, @Nullable Object> object(@Nullable Object... namesAndValues) {
        return add(new LinkedHashMap<>(), namesAndValues);
    }

    private static Map<String, @Nullable Object> add(
            Map<String, @Nullable Object> object, @Nullable Object... namesAndValues) {
        for (int i = 0; i < namesAndValues.length; i += 2) {
            object.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return object;
    }

    private static <T> List<Object> each(List<T> items, Function<? super T, Object> one) {
        return items.stream().map(one).toList();
    }

    private static Map<String, @Nullable Object> slo(SloReport r) {
        Slo slo = r.slo();
        Map<String, @Nullable Object> all = object("default", slo.isDefault(), "met", r.isMet());
        add(all, "pauseMaxMillis", slo.pauseMaxMillis(), "throughputMin", slo.throughputMin());
        add(all, "longestPauseMillis", r.longestPauseMillis(), "throughput", r.throughput());
        add(all, "pauses", r.pauses(), "pauseMillis", r.pauseMillis(), "minutes", r.minutes());
        add(all, "minutesOver", r.minutesOver(), "worstMinuteMillis", r.worstMinuteMillis());
        add(all, "heapCommittedMax", r.heapCommittedMax(), "residentMax", r.residentMax());
        return all;
    }

    private static Map<String, @Nullable Object> finding(Finding f) {
        Map<String, @Nullable Object> all = object("id", f.id(), "severity", f.severity());
        add(all, "title", f.title(), "from", f.startedAt(), "to", f.endedAt());
        add(all, "collector", f.collector(), "evidence", each(f.evidence(), JsonReport::evidence));
        add(all, "sites", each(f.sites(), JsonReport::site));
        add(all, "callers", each(f.callers(), JsonReport::caller));
        add(all, "notFired", each(f.notFired(), JsonReport::check), "refuters", f.refuters());
        Advice advice = f.advice();
        add(all, "explainedBy", f.explainedBy(), "advice", advice == null ? null : advice(advice));
        return all;
    }

    private static Object advice(Advice a) {
        return object("kind", a.kind(), "text", a.text());
    }

    private static Object evidence(Evidence e) {
        return object("name", e.name(), "value", e.value(), "unit", e.unit(), "text", e.text());
    }

    private static Object check(Check c) {
        return object("id", c.id(), "why", c.why(), "observable", c.observable());
    }

    private static Object site(SiteEvidence s) {
        Estimate e = s.estimate();
        Map<String, @Nullable Object> figures =
                object("value", e.value(), "low", e.low(), "high", e.high());
        add(figures, "standardError", e.standardError(), "samples", e.samples());
        add(figures, "tooFewSamples", e.hasTooFewSamples());
        Map<String, @Nullable Object> all = object("class", s.className(), "metric", s.metric());
        add(all, "unit", s.unit(), "estimate", figures, "text", TextReport.estimate(s));
        return add(all, "at", Places.name(s.stack()), "stack", s.stack());
    }

    private static Object caller(CallerEvidence c) {
        return object("call", c.call(), "count", c.count(), "stack", c.stack());
    }

    private static Object cause(CauseTotals c) {
        Map<String, @Nullable Object> all = object("cause", c.cause(), "meaning", c.meaning());
        add(all, "pauses", c.pauses(), "pauseMillis", c.pauseMillis(), "cycles", c.cycles());
        add(all, "longestPauseMillis", c.longestPauseMillis(), "cycleMillis", c.cycleMillis());
        return add(all, "others", c.others());
    }

    private static Object timeline(Judgement d) {
        List<Tick> ticks = d.timeline().ticks();
        boolean isEmpty = ticks.isEmpty();
        Instant from = isEmpty ? d.startedAt() : at(ticks.get(0));
        Instant to = isEmpty ? d.endedAt() : at(ticks.get(ticks.size() - 1));
        PlotSeries of = new PlotSeries(d.timeline());
        Map<String, @Nullable Object> all = object("heapUsed", of.ticks(Tick::heapUsed));
        add(
                all,
                "heapCommitted",
                of.ticks(Tick::heapCommitted),
                "oldUsed",
                of.ticks(Tick::oldUsed));
        add(all, "metaspaceUsed", of.ticks(Tick::metaspaceUsed));
        add(all, "metaspaceCommitted", of.ticks(Tick::metaspaceCommitted));
        add(all, "directUsed", of.ticks(Tick::directUsed), "resident", of.ticks(Tick::resident));
        add(all, "accounted", of.ticks(Tick::accounted), "allocationRate", of.allocationRate());
        add(all, "pauseMillis", of.collections(it -> pause(it, false)));
        add(all, "oldPauseMillis", of.collections(it -> pause(it, true)));
        add(all, "oldCollections", of.collections(it -> it.kind().isOld() ? 1 : 0));
        return object("from", from, "to", to, "series", all);
    }

    private static Instant at(Tick tick) {
        return Instant.ofEpochMilli(tick.atMillis());
    }

    private static double pause(GcEvent it, boolean isOld) {
        return it.kind().isPause() && it.kind().isOld() == isOld ? it.durationMillis() : 0;
    }
}
