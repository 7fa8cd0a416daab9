// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.report;

import io.heapsampler.Estimate;
import io.heapsampler.HeapFrame;
import io.heapsampler.doctor.Advice;
import io.heapsampler.doctor.CallerEvidence;
import io.heapsampler.doctor.Check;
import io.heapsampler.doctor.Evidence;
import io.heapsampler.doctor.Finding;
import io.heapsampler.doctor.SiteEvidence;
import io.heapsampler.doctor.internal.rules.CauseTotals;
import io.heapsampler.doctor.internal.rules.Judgement;
import io.heapsampler.doctor.internal.rules.SloReport;
import io.heapsampler.internal.shared.JsonText;
import java.util.List;

/** Writes one object. For one diagnosis. */
public final class JsonReport {

    private static final String SCHEMA = "urn:heapsampler:diagnosis:1";
    private static final String VERSION = "1.0";

    private final JsonText json = new JsonText();

    private JsonReport() {}

    /**
     * Writes a diagnosis.
     *
     * @param diagnosis the diagnosis
     * @return one object, in one line
     */
    public static String of(Judgement diagnosis) {
        JsonReport writer = new JsonReport();
        writer.write(diagnosis);
        return writer.json.toString();
    }

    private void write(Judgement d) {
        json.begin('{').name("schema").value(SCHEMA).name("version").value(VERSION);
        json.name("from").value(d.startedAt().toString()).name("to").value(d.endedAt().toString());
        json.name("jvm").begin('{');
        json.name("jdk").value(d.timeline().settings().feature());
        json.name("collector").value(d.timeline().settings().collector().name());
        json.name("maxHeap").value(d.timeline().settings().maxHeap());
        json.end('}');
        slo(d.slo());
        array("findings", d.findings(), this::finding);
        array("checks", d.checks(), this::check);
        array("causes", d.causes(), this::cause);
        array("notDiagnosed", d.notDiagnosed(), json::value);
        array("notes", d.notes(), json::value);
        json.end('}');
    }

    /** Writes one item. */
    private interface Item<T> {
        void write(T item);
    }

    private <T> void array(String name, List<T> items, Item<? super T> writer) {
        json.name(name).begin('[');
        items.forEach(writer::write);
        json.end(']');
    }

    private void slo(SloReport r) {
        json.name("slo").begin('{');
        json.name("default").value(r.slo().isDefault());
        json.name("met").value(r.isMet());
        json.name("pauseMaxMillis").value(r.slo().pauseMaxMillis());
        json.name("longestPauseMillis").value(r.longestPauseMillis());
        json.name("throughputMin").value(r.slo().throughputMin());
        json.name("throughput").value(r.throughput());
        json.name("pauses").value(r.pauses());
        json.name("pauseMillis").value(r.pauseMillis());
        json.name("minutes").value(r.minutes());
        json.name("minutesOver").value(r.minutesOver());
        json.name("worstMinuteMillis").value(r.worstMinuteMillis());
        json.name("heapCommittedMax").value(r.heapCommittedMax());
        json.name("residentMax").value(r.residentMax());
        json.end('}');
    }

    private void finding(Finding f) {
        json.begin('{').name("id").value(f.id());
        json.name("severity").value(f.severity().name());
        json.name("title").value(f.title());
        json.name("from").value(f.startedAt().toString()).name("to").value(f.endedAt().toString());
        json.name("collector").value(f.collector());
        array("evidence", f.evidence(), this::evidence);
        array("sites", f.sites(), this::site);
        array("callers", f.callers(), this::caller);
        array("notFired", f.notFired(), this::check);
        array("refuters", f.refuters(), json::value);
        json.name("explainedBy");
        if (f.explainedBy() == null) {
            json.nothing();
        } else {
            json.value(f.explainedBy());
        }
        json.name("advice");
        Advice advice = f.advice();
        if (advice == null) {
            json.nothing();
        } else {
            json.begin('{').name("kind").value(advice.kind().name());
            json.name("text").value(advice.text()).end('}');
        }
        json.end('}');
    }

    private void evidence(Evidence e) {
        json.begin('{').name("name").value(e.name()).name("value").value(e.value());
        json.name("unit").value(e.unit()).name("text").value(e.text()).end('}');
    }

    private void check(Check c) {
        json.begin('{').name("id").value(c.id()).name("why").value(c.why());
        json.name("observable").value(c.observable()).end('}');
    }

    private void site(SiteEvidence s) {
        json.begin('{').name("class").value(s.className()).name("metric").value(s.metric());
        json.name("unit").value(s.unit());
        estimate("estimate", s.estimate());
        stack(s.stack());
        json.end('}');
    }

    private void caller(CallerEvidence c) {
        json.begin('{').name("call").value(c.call()).name("count").value(c.count());
        array("stack", c.stack(), json::value);
        json.end('}');
    }

    private void estimate(String name, Estimate e) {
        json.name(name).begin('{').name("value").value(e.value());
        json.name("standardError").value(e.standardError());
        json.name("low").value(e.low()).name("high").value(e.high());
        json.name("samples").value(e.samples());
        json.name("tooFewSamples").value(e.hasTooFewSamples()).end('}');
    }

    private void stack(List<HeapFrame> stack) {
        array("stack", stack, frame -> json.value(frame.toString()));
    }

    private void cause(CauseTotals c) {
        json.begin('{').name("cause").value(c.cause()).name("meaning").value(c.meaning());
        json.name("pauses").value(c.pauses()).name("pauseMillis").value(c.pauseMillis());
        json.name("longestPauseMillis").value(c.longestPauseMillis());
        json.name("cycles").value(c.cycles()).name("cycleMillis").value(c.cycleMillis());
        json.name("others").value(c.others()).end('}');
    }
}
