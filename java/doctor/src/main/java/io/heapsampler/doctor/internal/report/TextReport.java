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
import io.heapsampler.doctor.Severity;
import io.heapsampler.doctor.SiteEvidence;
import io.heapsampler.doctor.internal.rules.CauseTotals;
import io.heapsampler.doctor.internal.rules.Judgement;
import io.heapsampler.doctor.internal.rules.SloReport;
import io.heapsampler.doctor.internal.sites.Places;
import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.internal.shared.LibraryCode;
import io.heapsampler.internal.shared.Normal;
import io.heapsampler.internal.shared.PrintableText;
import io.heapsampler.internal.shared.ShownFrames;
import java.util.List;
import java.util.Locale;

/** Writes lines in English. For one diagnosis. */
public final class TextReport {

    private static final int FRAMES = 5;
    private static final int CAUSES = 12;

    private final StringBuilder out = new StringBuilder();

    private TextReport() {}

    /**
     * Writes a diagnosis.
     *
     * @param diagnosis the diagnosis
     * @return lines in English, each ended by a line feed
     */
    public static String of(Judgement diagnosis) {
        TextReport text = new TextReport();
        text.head(diagnosis);
        text.findings(diagnosis.findings());
        text.causes(diagnosis.causes());
        text.checks(diagnosis.checks());
        text.list("Not diagnosed", diagnosis.notDiagnosed());
        text.list("Notes", diagnosis.notes());
        return text.out.toString();
    }

    private void head(Judgement d) {
        SloReport slo = d.slo();
        long warnings = d.findings().stream().filter(f -> f.severity() != Severity.INFO).count();
        line(
                "GC doctor: "
                        + verdict(slo, warnings)
                        + ", "
                        + Text.name(d.timeline().settings().collector())
                        + ", JDK "
                        + d.timeline().settings().feature()
                        + ", heap up to "
                        + Text.bytes(d.timeline().settings().maxHeap()));
        verdict(d.findings());
        line("Period " + d.startedAt() + " to " + d.endedAt());
        line("");
        line("Objectives" + (slo.slo().isDefault() ? " (defaults, none are configured)" : ""));
        line(
                "  pauses      longest "
                        + Text.millis(slo.longestPauseMillis())
                        + " of "
                        + Text.millis(slo.slo().pauseMaxMillis())
                        + " allowed: "
                        + (slo.meetsPauses() ? "met" : "missed"));
        line(
                "  throughput  "
                        + exactly(slo.throughput())
                        + " of "
                        + exactly(slo.slo().throughputMin())
                        + " required: "
                        + (slo.meetsThroughput() ? "met" : "missed")
                        + "; "
                        + slo.minutesOver()
                        + " of "
                        + slo.minutes()
                        + " minutes over "
                        + Text.millis(slo.slo().pauseMillisPerMinute())
                        + " of pauses");
        line(
                "  capacity    heap up to "
                        + orUnknown(slo.heapCommittedMax())
                        + " committed, process up to "
                        + orUnknown(slo.residentMax()));
    }

    private static String verdict(SloReport slo, long warnings) {
        if (warnings > 0) {
            return Text.count(warnings, "warning", "warnings");
        }
        return slo.isMet() ? "no warnings" : "an objective is missed, and no warning explains it";
    }

    private static String exactly(double share) {
        return String.format(Locale.ROOT, "%.4g %%", 100 * share);
    }

    private static String orUnknown(long bytes) {
        return bytes < 0 ? "an unknown size" : Text.bytes(bytes);
    }

    /** The first thing to do: the worst finding, the line that causes it, and the change to try. */
    private void verdict(List<Finding> findings) {
        if (findings.isEmpty() || findings.get(0).severity() == Severity.INFO) {
            return;
        }
        Finding first = findings.get(0);
        line("");
        line(first.title());
        for (Evidence evidence : first.evidence()) {
            if (evidence.name().equals("sites.explained")) {
                line("  at " + Places.name(first.sites().get(0).stack()));
                line("  " + evidence.text());
            }
        }
        advice(first);
        line("");
    }

    /** Causes, each with its consequences. */
    private void findings(List<Finding> findings) {
        for (Finding finding : findings) {
            if (finding.explainedBy() == null) {
                finding(finding);
                findings.stream()
                        .filter(other -> finding.id().equals(other.explainedBy()))
                        .forEach(o -> line("  consequence: " + o.id() + ": " + o.title()));
            }
        }
    }

    private void finding(Finding finding) {
        line("");
        line(finding.severity() + " " + finding.id() + ": " + finding.title());
        line(
                "  from "
                        + finding.startedAt()
                        + " to "
                        + finding.endedAt()
                        + ", "
                        + finding.collector());
        finding.evidence().forEach(e -> line("  evidence: " + e.text()));
        finding.sites().forEach(this::site);
        finding.callers().forEach(this::caller);
        finding.notFired().forEach(c -> line("  ruled out: " + c.id() + ". " + c.why()));
        finding.refuters().forEach(r -> line("  wrong if: " + r));
        advice(finding);
    }

    private void advice(Finding finding) {
        Advice advice = finding.advice();
        if (advice != null) {
            line("  try (" + advice.kind().name().toLowerCase(Locale.ROOT) + "): " + advice.text());
        }
    }

    private void site(SiteEvidence site) {
        line("  site: " + site.className() + ", " + site.metric() + " " + estimate(site));
        ShownFrames shown =
                ShownFrames.of(
                        site.stack().stream().map(HeapFrame::toStackTraceElement).toList(),
                        LibraryCode::isOwn);
        if (shown.own() != null) {
            line("      in " + shown.own());
        }
        shown.frames().forEach(frame -> line("      at " + frame));
        if (shown.more() > 0) {
            line("      … " + shown.more() + " more");
        }
    }

    private void caller(CallerEvidence caller) {
        line("  caller: " + caller.call() + ", " + Text.count(caller.count(), "time", "times"));
        stack(caller.stack());
    }

    private void stack(List<?> stack) {
        stack.stream().limit(FRAMES).forEach(frame -> line("      at " + frame));
        if (stack.size() > FRAMES) {
            line("      … " + (stack.size() - FRAMES) + " more");
        }
    }

    /** Such as {@code 65 MiB ± 12 MiB (95 %, 130 samples)}. */
    public static String estimate(SiteEvidence site) {
        Estimate estimate = site.estimate();
        String value = figure(estimate.value(), site.unit());
        if (estimate.hasTooFewSamples()) {
            return value + " (too few samples: " + estimate.samples() + ")";
        }
        return value
                + " ± "
                + figure(Normal.Z95 * estimate.standardError(), site.unit())
                + " (95 %, "
                + estimate.samples()
                + " samples)";
    }

    private static String figure(double value, String unit) {
        return switch (unit) {
            case "bytes" -> Text.bytes(value);
            case "bytes/s" -> Text.bytes(value) + "/s";
            case "share" -> Text.share(value);
            default -> Text.number(value) + " " + unit;
        };
    }

    private void causes(List<CauseTotals> causes) {
        if (causes.isEmpty()) {
            return;
        }
        line("");
        line(row("Cause", "pauses", "total", "longest", "cycles", "total"));
        causes.stream().limit(CAUSES).forEach(this::cause);
    }

    private void cause(CauseTotals c) {
        line(
                row(
                        "  " + c.cause(),
                        String.valueOf(c.pauses()),
                        Text.millis(c.pauseMillis()),
                        Text.millis(c.longestPauseMillis()),
                        String.valueOf(c.cycles()),
                        Text.millis(c.cycleMillis())));
    }

    private static String row(Object... cells) {
        return String.format(Locale.ROOT, "%-40s %8s %10s %10s %8s %10s", cells);
    }

    private void checks(List<Check> checks) {
        line("");
        line("Looked for and not found");
        checks.stream().filter(Check::observable).forEach(this::check);
        if (checks.stream().anyMatch(c -> !c.observable())) {
            line("");
            line("Cannot be seen here");
            checks.stream().filter(c -> !c.observable()).forEach(this::check);
        }
    }

    private void check(Check check) {
        line("  " + check.id() + ": " + check.why());
    }

    private void list(String title, List<String> items) {
        if (!items.isEmpty()) {
            line("");
            line(title);
            items.forEach(item -> line("  " + item));
        }
    }

    private void line(String text) {
        out.append(PrintableText.of(text)).append('\n');
    }
}
