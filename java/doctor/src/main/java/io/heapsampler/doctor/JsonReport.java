// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.Estimate;
import io.heapsampler.internal.shared.JsonText;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Writes a diagnosis as one object, in one line. {@code doctor.schema.json} describes it. */
final class JsonReport {

    static String of(Diagnosis d) {
        return JsonText.of(diagnosis(d)).stripTrailing();
    }

    /** An object of names and values, in this order. */
    @SuppressWarnings("serial")
    private static final class Entries extends LinkedHashMap<String, @Nullable Object> {
        Entries(@Nullable Object... namesAndValues) {
            and(namesAndValues);
        }

        Entries and(@Nullable Object... namesAndValues) {
            for (int i = 0; i < namesAndValues.length; i += 2) {
                put((String) namesAndValues[i], namesAndValues[i + 1]);
            }
            return this;
        }

        <T> Entries each(String name, List<T> items, Function<T, Entries> one) {
            return and(name, items.stream().map(one).toList());
        }
    }

    private static Entries diagnosis(Diagnosis d) {
        JvmSettings jvm = d.timeline().settings();
        Entries limits = new Entries("jdk", jvm.feature(), "collector", jvm.collector());
        return new Entries("schema", "urn:heapsampler:diagnosis:1", "version", "1.0")
                .and("verdict", TextReport.verdict(d), "from", d.startedAt(), "to", d.endedAt())
                .and("jvm", limits.and("maxHeap", jvm.maxHeap()), "slo", slo(d.slo()))
                .each("findings", d.findings(), JsonReport::finding)
                .each("checks", d.checks(), JsonReport::check)
                .each("causes", CauseTotals.of(d.timeline()), JsonReport::cause)
                .and("notes", d.notes())
                .and("timeline", timeline(d));
    }

    private static Entries slo(SloReport r) {
        Slo slo = r.slo;
        return new Entries("default", slo.isDefault(), "met", r.isMet())
                .and("pauseMaxMillis", slo.pauseMaxMillis(), "throughputMin", slo.throughputMin())
                .and("longestPauseMillis", r.longestPauseMillis, "throughput", r.throughput())
                .and("pauses", r.pauses, "pauseMillis", r.pauseMillis, "minutes", r.minutes)
                .and("minutesOver", r.minutesOver, "worstMinuteMillis", r.worstMinuteMillis)
                .and("heapCommittedMax", r.heapCommittedMax, "residentMax", r.residentMax);
    }

    private static Entries finding(Finding f) {
        Advice a = f.advice();
        return new Entries("id", f.id(), "severity", f.severity(), "title", f.title())
                .and("from", f.startedAt(), "to", f.endedAt(), "collector", f.collector())
                .each("evidence", f.evidence(), JsonReport::evidence)
                .each("sites", f.sites(), JsonReport::site)
                .each("callers", f.callers(), JsonReport::caller)
                .each("notFired", f.notFired(), JsonReport::check)
                .and("refuters", f.refuters(), "explainedBy", f.explainedBy())
                .and("advice", a == null ? null : new Entries("kind", a.kind(), "text", a.text()));
    }

    private static Entries evidence(Evidence e) {
        return new Entries(
                "name", e.name(), "value", e.value(), "unit", e.unit(), "text", e.text());
    }

    private static Entries check(Check c) {
        return new Entries("id", c.id(), "why", c.why(), "observable", c.observable());
    }

    private static Entries site(SiteEvidence s) {
        Estimate e = s.estimate();
        Entries estimate =
                new Entries("value", e.value(), "standardError", e.standardError())
                        .and("low", e.low(), "high", e.high(), "samples", e.samples())
                        .and("tooFewSamples", e.hasTooFewSamples());
        return new Entries("class", s.className(), "metric", s.metric(), "unit", s.unit())
                .and("estimate", estimate, "text", TextReport.estimate(s))
                .and("at", Places.name(s.stack()), "stack", s.stack());
    }

    private static Entries caller(CallerEvidence c) {
        return new Entries("call", c.call(), "count", c.count(), "stack", c.stack());
    }

    private static Entries cause(CauseTotals c) {
        return new Entries("cause", c.cause(), "meaning", c.meaning(), "pauses", c.pauses())
                .and("pauseMillis", c.pauseMillis(), "longestPauseMillis", c.longestPauseMillis())
                .and("cycles", c.cycles(), "cycleMillis", c.cycleMillis(), "others", c.others());
    }

    private static Entries timeline(Diagnosis d) {
        Series of = new Series(d);
        Entries series =
                new Entries("heapUsed", of.ticks(Tick::heapUsed))
                        .and("heapCommitted", of.ticks(Tick::heapCommitted))
                        .and("oldUsed", of.ticks(Tick::oldUsed))
                        .and("metaspaceUsed", of.ticks(Tick::metaspaceUsed))
                        .and("metaspaceCommitted", of.ticks(Tick::metaspaceCommitted))
                        .and("directUsed", of.ticks(Tick::directUsed))
                        .and("resident", of.ticks(Tick::resident))
                        .and("accounted", of.ticks(Tick::accounted))
                        .and("allocationRate", of.allocationRate())
                        .and("pauseMillis", of.collections(it -> pause(it, false)))
                        .and("oldPauseMillis", of.collections(it -> pause(it, true)))
                        .and("oldCollections", of.collections(it -> it.kind().isOld() ? 1 : 0));
        Instant from = of.points == 0 ? d.startedAt() : d.timeline().shown(of.from);
        Instant to = of.points == 0 ? from : d.timeline().shown(of.to);
        return new Entries("from", from, "to", to, "series", series);
    }

    private static double pause(GcEvent it, boolean isOld) {
        return it.kind().isPause() && it.kind().isOld() == isOld ? it.durationMillis() : 0;
    }

    /** Figures of a timeline at up to 240 evenly spaced times, each the maximum around its time. */
    private static final class Series {

        private static final int MOST = 240;

        private final long from;
        private final long to;
        private final List<Tick> ticks;
        private final List<GcEvent> collections;
        private final int points;

        Series(Diagnosis d) {
            ticks = d.timeline().ticks();
            collections = d.timeline().collections();
            points = Math.min(MOST, ticks.size());
            from = points == 0 ? 0 : ticks.get(0).atMillis();
            to = points == 0 ? 0 : ticks.get(ticks.size() - 1).atMillis();
        }

        /** Returns a figure of ticks; NaN where no tick has it. */
        List<Double> ticks(ToDoubleFunction<Tick> figure) {
            List<Double> values = values(Double.NaN);
            ticks.forEach(tick -> raise(values, tick.atMillis(), figure.applyAsDouble(tick)));
            return values;
        }

        List<Double> allocationRate() {
            List<Double> values = values(Double.NaN);
            for (int i = 1; i < ticks.size(); i++) {
                Tick from = ticks.get(i - 1);
                Tick to = ticks.get(i);
                double seconds = Math.max(to.atMillis() - from.atMillis(), 1) / 1000.0;
                double bytes = from.allocated() < 0 ? -1 : to.allocated() - from.allocated();
                raise(values, to.atMillis(), Math.rint(bytes / seconds));
            }
            return values;
        }

        /** Returns a figure of collections; 0 where there is none. */
        List<Double> collections(ToDoubleFunction<GcEvent> figure) {
            List<Double> values = values(0);
            collections.forEach(it -> raise(values, it.atMillis(), figure.applyAsDouble(it)));
            return values;
        }

        private List<Double> values(double value) {
            return new ArrayList<>(Collections.nCopies(points, value));
        }

        private void raise(List<Double> values, long atMillis, double value) {
            double share = (double) (atMillis - from) / Math.max(to - from, 1);
            int point = (int) Math.round(share * (points - 1));
            if (point >= 0 && point < points && value >= 0 && !(values.get(point) >= value)) {
                values.set(point, value);
            }
        }
    }
}
