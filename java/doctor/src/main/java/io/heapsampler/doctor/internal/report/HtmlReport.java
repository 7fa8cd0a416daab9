// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.report;

import io.heapsampler.doctor.Advice;
import io.heapsampler.doctor.CallerEvidence;
import io.heapsampler.doctor.Check;
import io.heapsampler.doctor.Finding;
import io.heapsampler.doctor.SiteEvidence;
import io.heapsampler.doctor.internal.rules.CauseTotals;
import io.heapsampler.doctor.internal.rules.Judgement;
import io.heapsampler.doctor.internal.rules.SloReport;
import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.internal.shared.HtmlText;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Writes a page, or a section of one. For one diagnosis. */
public final class HtmlReport {

    private static final int FRAMES = 24;

    private static final String PAGE_STYLE =
            """
            :root { color-scheme: light dark; }
            body { margin: 0; background: light-dark(#f4f6f8, #11151b); }
            main { max-width: 1040px; margin: 0 auto; padding: 16px 20px; }
            """;

    /** The same for all pages; null until there was one. */
    @SuppressWarnings("NonFinalStaticField")
    private static volatile @Nullable String head;

    private final StringBuilder out = new StringBuilder();

    private HtmlReport() {}

    /** The same for all pages: to hash takes reflection, and so metaspace. */
    private static String head() {
        String known = head;
        if (known == null) {
            known = newHead();
            head = known;
        }
        return known;
    }

    private static String newHead() {
        String style = PAGE_STYLE + style();
        return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                + "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';"
                + " style-src "
                + hash(style)
                + "; img-src data:; base-uri 'none'; form-action 'none'\">\n"
                + "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                + "<meta name=\"referrer\" content=\"no-referrer\">\n"
                + "<title>GC doctor</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>"
                + style
                + "</style>\n</head>\n";
    }

    private static String style() {
        try (InputStream in =
                Judgement.class.getResourceAsStream("/io/heapsampler/doctor/doctor.css")) {
            if (in == null) {
                throw new IllegalStateException(
                        "The resource doctor.css is missing in the jar of heapsampler-doctor. Was"
                                + " the jar shrunk or repacked? Keep its resources.");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("The style sheet doctor.css cannot be read.", e);
        }
    }

    /**
     * Writes a page.
     *
     * @param diagnosis the diagnosis
     * @return a whole document with its style sheet in it
     */
    public static String page(Judgement diagnosis) {
        return head() + "<body>\n<main>\n" + section(diagnosis) + "</main>\n</body>\n</html>\n";
    }

    /**
     * Writes a section for a page that has its style sheet in it, such as the reports that the HTTP
     * endpoint and the agent write.
     *
     * @param diagnosis the diagnosis
     * @return an element {@code section} of the class {@code hs-doctor}
     */
    public static String section(Judgement diagnosis) {
        HtmlReport html = new HtmlReport();
        html.out.append("<section class=\"hs-doctor\">\n");
        html.head(diagnosis);
        diagnosis.findings().forEach(html::finding);
        html.out.append("<h3>Timeline</h3>\n<div class=\"plots\">\n");
        html.out.append(TimelinePlot.of(diagnosis)).append("</div>\n");
        html.causes(diagnosis.causes());
        html.checks("Looked for and not found", diagnosis.checks(), true);
        html.checks("Cannot be seen here", diagnosis.checks(), false);
        html.list("Not diagnosed", diagnosis.notDiagnosed());
        html.list("Notes", diagnosis.notes());
        html.out.append("</section>\n");
        return html.out.toString();
    }

    private static String hash(String text) {
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256")
                            .digest(text.getBytes(StandardCharsets.UTF_8));
            return "'sha256-" + Base64.getEncoder().encodeToString(digest) + "'";
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Each Java platform has SHA-256, but not this one.", e);
        }
    }

    private void head(Judgement d) {
        SloReport slo = d.slo();
        element("h2", "GC doctor");
        element(
                "p",
                Text.name(d.timeline().settings().collector())
                        + ", JDK "
                        + d.timeline().settings().feature()
                        + ", heap up to "
                        + Text.bytes(d.timeline().settings().maxHeap())
                        + ", "
                        + d.startedAt()
                        + " to "
                        + d.endedAt());
        out.append("<dl class=\"slo\">\n");
        figure(
                "Longest pause",
                Text.millis(slo.longestPauseMillis()),
                "of " + Text.millis(slo.slo().pauseMaxMillis()) + " allowed",
                slo.meetsPauses());
        figure(
                "Throughput",
                percent(slo.throughput()),
                "of " + percent(slo.slo().throughputMin()) + " required",
                slo.meetsThroughput());
        figure(
                "Minutes over",
                slo.minutesOver() + " of " + slo.minutes(),
                Text.millis(slo.slo().pauseMillisPerMinute()) + " of pauses each allowed",
                slo.minutesOver() == 0);
        figure(
                "Capacity",
                slo.residentMax() < 0 ? "unknown" : Text.bytes(slo.residentMax()),
                "heap "
                        + (slo.heapCommittedMax() < 0
                                ? "unknown"
                                : Text.bytes(slo.heapCommittedMax())),
                true);
        out.append("</dl>\n");
        if (!d.hasWarnings() && !slo.isMet()) {
            element("p", "An objective is missed, and no warning explains it.");
        } else if (d.findings().isEmpty()) {
            element("p", "Nothing was found.");
        }
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.4g %%", 100 * share);
    }

    private void figure(String name, String value, String limit, boolean isMet) {
        out.append("<div class=\"").append(isMet ? "met" : "missed").append("\">");
        element("dt", name);
        element("dd", value);
        out.append("<dd class=\"muted\">").append(HtmlText.escaped(limit)).append("</dd></div>\n");
    }

    private void finding(Finding f) {
        out.append("<article class=\"finding ");
        out.append(f.severity().name().toLowerCase(Locale.ROOT)).append("\">\n<h3>");
        out.append("<span class=\"badge\">").append(f.severity()).append("</span> ");
        out.append(HtmlText.escaped(f.title())).append("</h3>\n<p class=\"muted\"><code>");
        out.append(f.id())
                .append("</code>, ")
                .append(f.startedAt())
                .append(" to ")
                .append(f.endedAt());
        out.append("</p>\n<ul>\n");
        f.evidence().forEach(e -> element("li", e.text()));
        out.append("</ul>\n");
        f.sites().forEach(this::site);
        f.callers().forEach(this::caller);
        Advice advice = f.advice();
        if (advice != null) {
            out.append("<p class=\"advice\"><b>Try</b> ");
            out.append(HtmlText.escaped(advice.text())).append("</p>\n");
        }
        out.append("<details><summary>Evidence against it</summary>\n<ul>\n");
        f.refuters().forEach(r -> element("li", "Wrong if: " + r));
        f.notFired().forEach(c -> element("li", "Ruled out: " + c.id() + ". " + c.why()));
        out.append("</ul></details>\n</article>\n");
    }

    private void site(SiteEvidence site) {
        out.append("<details class=\"site\"><summary><code>");
        out.append(HtmlText.escaped(site.className())).append("</code> ");
        out.append(HtmlText.escaped(site.metric())).append(' ');
        out.append(HtmlText.escaped(TextReport.estimate(site)));
        if (!site.stack().isEmpty()) {
            out.append(" <span class=\"muted\">");
            out.append(HtmlText.escaped(site.stack().get(0).toString())).append("</span>");
        }
        frames(site.stack());
    }

    private void caller(CallerEvidence caller) {
        out.append("<details class=\"site\"><summary><code>");
        out.append(HtmlText.escaped(caller.call())).append("</code> called ");
        out.append(Text.count(caller.count(), "time", "times"));
        out.append(" <span class=\"muted\">");
        out.append(HtmlText.escaped(caller.stack().isEmpty() ? "" : caller.stack().get(0)));
        out.append("</span>");
        frames(caller.stack());
    }

    /** The rest of a summary that can be opened. */
    private void frames(List<?> stack) {
        out.append("</summary>\n<pre>");
        for (Object frame : stack.subList(0, Math.min(FRAMES, stack.size()))) {
            out.append("at ").append(HtmlText.escaped(frame.toString())).append('\n');
        }
        out.append("</pre></details>\n");
    }

    private void causes(List<CauseTotals> causes) {
        out.append("<h3>Causes</h3>\n<table>\n");
        row("th", "Cause", "Meaning", "Pauses", "In all", "Longest", "Cycles", "In all");
        for (CauseTotals c : causes) {
            row(
                    "td",
                    c.cause(),
                    c.meaning(),
                    String.valueOf(c.pauses()),
                    Text.millis(c.pauseMillis()),
                    Text.millis(c.longestPauseMillis()),
                    String.valueOf(c.cycles()),
                    Text.millis(c.cycleMillis()));
        }
        out.append("</table>\n");
    }

    private void row(String cell, String... texts) {
        out.append("<tr>");
        for (String text : texts) {
            element(cell, text);
        }
        out.append("</tr>\n");
    }

    private void checks(String title, List<Check> checks, boolean isObservable) {
        list(
                title,
                checks.stream()
                        .filter(c -> c.observable() == isObservable)
                        .map(c -> c.id() + ": " + c.why())
                        .toList());
    }

    private void list(String title, List<String> items) {
        if (!items.isEmpty()) {
            out.append("<details><summary>").append(title).append("</summary>\n<ul>\n");
            items.forEach(item -> element("li", item));
            out.append("</ul></details>\n");
        }
    }

    private void element(String name, String text) {
        out.append('<').append(name).append('>').append(HtmlText.escaped(text));
        out.append("</").append(name).append('>');
    }
}
