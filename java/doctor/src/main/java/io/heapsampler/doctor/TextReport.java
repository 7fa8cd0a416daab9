// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.Estimate;
import io.heapsampler.HeapFrame;
import io.heapsampler.internal.shared.LibraryCode;
import io.heapsampler.internal.shared.Normal;
import io.heapsampler.internal.shared.PrintableText;
import io.heapsampler.internal.shared.ShownFrames;
import java.util.List;
import java.util.Locale;

/** Writes a diagnosis as lines in English, each ended by a line feed. */
final class TextReport {

    private static final int FRAMES = 5;

    private final StringBuilder out = new StringBuilder();

    static String of(Diagnosis d) {
        TextReport text = new TextReport();
        text.head(d);
        for (Finding cause : d.findings()) {
            if (cause.explainedBy() == null) {
                text.finding(cause, d.findings());
            }
        }
        text.list("Looked for and not found", checks(d, true));
        text.list("Cannot be seen here", checks(d, false));
        text.list("Notes", d.notes());
        return text.out.toString();
    }

    /** Such as {@code 2 warnings}. */
    static String verdict(Diagnosis d) {
        long warnings = d.findings().stream().filter(f -> f.severity() != Severity.INFO).count();
        if (warnings > 0) {
            return Text.count(warnings, "warning", "warnings");
        }
        boolean isMet = d.slo().isMet();
        return isMet ? "no warnings" : "an objective is missed, and no warning explains it";
    }

    private void head(Diagnosis d) {
        JvmSettings jvm = d.timeline().settings();
        String setting = Text.name(jvm.collector()) + ", JDK " + jvm.feature();
        line("GC doctor: {}, {}, heap up to {}", verdict(d), setting, Text.bytes(jvm.maxHeap()));
        if (d.hasWarnings()) {
            answer(d.findings().get(0));
        }
        line("Period {} to {}", d.startedAt(), d.endedAt());
        SloReport r = d.slo();
        Slo slo = r.slo;
        title("Objectives" + (slo.isDefault() ? " (defaults, none are configured)" : ""));
        String pauses = Text.millis(r.longestPauseMillis) + " of ";
        pauses += Text.millis(slo.pauseMaxMillis());
        line("  pauses      longest {} allowed: {}", pauses, met(r.meetsPauses()));
        String left = exactly(r.throughput()) + " of " + exactly(slo.throughputMin());
        String over = r.minutesOver + " of " + r.minutes + " minutes over ";
        over += Text.millis(slo.pauseMillisPerMinute()) + " of pauses";
        line("  throughput  {} required: {}; {}", left, met(r.meetsThroughput()), over);
        String heap = orUnknown(r.heapCommittedMax);
        String resident = orUnknown(r.residentMax);
        line("  capacity    heap up to {} committed, process up to {}", heap, resident);
    }

    /** The worst finding, the line of the application that causes it, and the change to try. */
    private void answer(Finding worst) {
        title(worst.title());
        if (!worst.sites().isEmpty()) {
            line("  at " + Places.name(worst.sites().get(0).stack()));
        } else if (!worst.callers().isEmpty()) {
            List<String> stack = worst.callers().get(0).stack();
            line(
                    "  at "
                            + stack.stream()
                                    .filter(LibraryCode::isOwn)
                                    .findFirst()
                                    .orElse(stack.get(0)));
        }
        for (Evidence evidence : worst.evidence()) {
            if (evidence.name().equals("sites.explained")) {
                line("  " + evidence.text());
            }
        }
        advice(worst);
        line("");
    }

    private static String met(boolean isMet) {
        return isMet ? "met" : "missed";
    }

    private static String exactly(double share) {
        return String.format(Locale.ROOT, "%.4g %%", 100 * share);
    }

    private static String orUnknown(long bytes) {
        return bytes < 0 ? "an unknown size" : Text.bytes(bytes);
    }

    /** A cause with its consequences. */
    private void finding(Finding f, List<Finding> all) {
        title(f.severity() + " " + f.id() + ": " + f.title());
        line("  from {} to {}, {}", f.startedAt(), f.endedAt(), f.collector());
        f.evidence().forEach(e -> line("  evidence: " + e.text()));
        f.sites().forEach(this::site);
        f.callers().forEach(this::caller);
        f.notFired().forEach(c -> line("  ruled out: {}. {}", c.id(), c.why()));
        f.refuters().forEach(r -> line("  wrong if: " + r));
        advice(f);
        for (Finding other : all) {
            if (f.id().equals(other.explainedBy())) {
                line("  consequence: {}: {}", other.id(), other.title());
            }
        }
    }

    private void advice(Finding f) {
        Advice advice = f.advice();
        if (advice != null) {
            String kind = advice.kind().name().toLowerCase(Locale.ROOT);
            line("  try ({}): {}", kind, advice.text());
        }
    }

    private void site(SiteEvidence site) {
        line("  site: {}, {} {}", site.className(), site.metric(), estimate(site));
        List<StackTraceElement> stack =
                site.stack().stream().map(HeapFrame::toStackTraceElement).toList();
        ShownFrames shown = ShownFrames.of(stack, LibraryCode::isOwn);
        if (shown.own() != null) {
            line("      in " + shown.own());
        }
        frames(shown.frames(), shown.more());
    }

    private void caller(CallerEvidence caller) {
        line("  caller: {}, {}", caller.call(), Text.count(caller.count(), "time", "times"));
        List<String> all = caller.stack();
        int shown = Math.min(FRAMES, all.size());
        frames(all.subList(0, shown), all.size() - shown);
    }

    private void frames(List<?> frames, int more) {
        frames.forEach(frame -> line("      at " + frame));
        if (more > 0) {
            line("      … {} more", more);
        }
    }

    /** Such as {@code 65 MiB ± 12 MiB (95 %, 130 samples)}. */
    static String estimate(SiteEvidence site) {
        Estimate e = site.estimate();
        String value = figure(e.value(), site.unit());
        String samples = Text.count(e.samples(), "sample", "samples");
        if (e.hasTooFewSamples()) {
            return Text.of("{} (too few samples: {})", value, e.samples());
        }
        if (e.standardError() == 0) {
            return Text.of("{} ({})", value, samples);
        }
        String error = figure(Normal.Z95 * e.standardError(), site.unit());
        return Text.of("{} ± {} (95 %, {})", value, error, samples);
    }

    private static String figure(double value, String unit) {
        return switch (unit) {
            case "bytes" -> Text.bytes(value);
            case "bytes/s" -> Text.bytes(value) + "/s";
            case "share" -> Text.share(value);
            default -> Text.number(value) + " " + unit;
        };
    }

    private static List<String> checks(Diagnosis d, boolean isObservable) {
        return d.checks().stream()
                .filter(check -> check.observable() == isObservable)
                .map(check -> check.id() + ": " + check.why())
                .toList();
    }

    private void list(String title, List<String> items) {
        if (!items.isEmpty()) {
            title(title);
            items.forEach(item -> line("  " + item));
        }
    }

    private void title(String text) {
        line("");
        line(text);
    }

    /** Names stay on their line, and steer no terminal. */
    private void line(String sentence, Object... values) {
        out.append(PrintableText.of(Text.of(sentence, values))).append('\n');
    }
}
