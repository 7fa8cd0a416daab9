// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.Advice;
import io.heapsampler.doctor.CallerEvidence;
import io.heapsampler.doctor.Check;
import io.heapsampler.doctor.Evidence;
import io.heapsampler.doctor.Finding;
import io.heapsampler.doctor.Severity;
import io.heapsampler.doctor.SiteEvidence;
import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.doctor.internal.timeline.GcEvent;
import io.heapsampler.doctor.internal.timeline.JvmEvent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A finding while a rule puts it together. For one thread. */
final class FindingBuilder {

    private final String id;
    private final Severity severity;
    private final String title;
    private final String collector;
    private long from;
    private long to;
    private final List<Evidence> evidence = new ArrayList<>();
    private final List<SiteEvidence> sites = new ArrayList<>();
    private final List<CallerEvidence> callers = new ArrayList<>();
    private final List<Check> notFired = new ArrayList<>();
    private final List<String> refuters = new ArrayList<>();
    private @Nullable Advice advice;

    FindingBuilder(
            Rule rule, Situation situation, Severity severity, String title, Object... values) {
        this.id = rule.id();
        this.severity = severity;
        this.title = Text.of(title, values);
        this.collector = situation.collectorText();
        this.from = situation.from();
        this.to = situation.to();
    }

    FindingBuilder window(long fromMillis, long toMillis) {
        from = fromMillis;
        to = Math.max(fromMillis, toMillis);
        return this;
    }

    /** From the first of these to the end of the last; as it was if there are none. */
    FindingBuilder during(List<GcEvent> collections, List<JvmEvent> events) {
        long first = Long.MAX_VALUE;
        long last = Long.MIN_VALUE;
        for (GcEvent collection : collections) {
            first = Math.min(first, collection.atMillis());
            last = Math.max(last, collection.endMillis());
        }
        for (JvmEvent event : events) {
            first = Math.min(first, event.atMillis());
            last = Math.max(last, event.atMillis() + (long) Math.ceil(event.durationMillis()));
        }
        return first > last ? this : window(first, last);
    }

    /** Values for the places of a sentence: {@link Text#of}. */
    FindingBuilder evidence(
            String name, double value, String unit, String sentence, Object... values) {
        evidence.add(new Evidence(name, value, unit, Text.of(sentence, values)));
        return this;
    }

    FindingBuilder evidence(
            String name, long value, String unit, String sentence, Object... values) {
        return evidence(name, (double) value, unit, sentence, values);
    }

    FindingBuilder evidence(List<Evidence> found) {
        evidence.addAll(found);
        return this;
    }

    FindingBuilder sites(NamedSites found) {
        sites.addAll(found.sites());
        if (found.explained() != null) {
            evidence.add(found.explained());
        }
        return this;
    }

    FindingBuilder callers(List<CallerEvidence> found) {
        callers.addAll(found);
        return this;
    }

    FindingBuilder notFired(String checkId, String why) {
        notFired.add(new Check(checkId, why, true));
        return this;
    }

    FindingBuilder refutedBy(String text) {
        refuters.add(text);
        return this;
    }

    FindingBuilder advice(Advice.Kind kind, String text, Object... values) {
        advice = new Advice(kind, Text.of(text, values));
        return this;
    }

    Verdict fired() {
        return Verdict.fired(
                new Finding(
                        id,
                        severity,
                        title,
                        Instant.ofEpochMilli(from),
                        Instant.ofEpochMilli(to),
                        collector,
                        evidence,
                        sites,
                        callers,
                        notFired,
                        refuters,
                        advice,
                        null));
    }
}
