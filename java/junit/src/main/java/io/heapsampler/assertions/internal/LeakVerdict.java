// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.assertions.ThreadScope;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** Says what a trial for leaks has come to. */
final class LeakVerdict {

    private static final String HINT =
            "find what holds the objects of the first site: a static field, a listener, a"
                    + " thread-local. A cache that is still filling up: fill it before, or raise"
                    + " warmup. What is meant to grow: @AllowedLeak, or a higher perSite.";

    private static final String UNKNOWN_PLACE =
            "start these threads in the measured code, or call HeapSampler.start() before they"
                    + " start: then their stacks are known.";

    private static final int NAMED_CLASSES = 3;

    private final LeakRule rule;
    private final Settings settings;
    private final LeakFindings findings;
    private final HeapSnapshot last;

    LeakVerdict(LeakRule rule, Settings settings, LeakFindings findings, HeapSnapshot last) {
        this.rule = rule;
        this.settings = settings;
        this.findings = findings;
        this.last = last;
    }

    /**
     * Returns the verdict.
     *
     * @param subject what messages call the code
     * @param runs how often it was run
     * @param unseen not exact if something may have gone unseen
     * @throws NotMeasuredException if that something may be a leak
     */
    Verdict of(String subject, int runs, Measured unseen) throws NotMeasuredException {
        if (!findings.leaks().isEmpty()) {
            return failed(subject, findings.leaks(), "site", HINT);
        }
        String others = findings.others();
        String summary = "no leak in " + runs + " runs" + (others.isEmpty() ? "" : ": " + others);
        return unseen.isExact()
                ? Verdict.passed(rule, summary, last)
                : ofClasses(subject, summary, unseen);
    }

    /** Where something may have gone unseen, the JVM's own counts tell whether that leaks. */
    private Verdict ofClasses(String subject, String summary, Measured unseen)
            throws NotMeasuredException {
        List<Leak> classes = findings.unexplained();
        if (classes != null && classes.isEmpty()) {
            String why = "; by the JVM's counts of each class, because " + unseen.how();
            return Verdict.passed(rule, summary + why, last);
        }
        boolean isAll = rule.scope().threads() == ThreadScope.ALL;
        if (classes != null && isAll && rule.scope().sites().isEmpty()) {
            return failed(subject, classes, "class", UNKNOWN_PLACE);
        }
        String names = classes == null ? "" : named(classes);
        throw new NotMeasuredException(
                "A leak may have gone unseen: " + unseen.how() + names + ". " + unseen.remedy(),
                last);
    }

    private static String named(List<Leak> classes) {
        return classes.stream()
                .limit(NAMED_CLASSES)
                .map(Leak::className)
                .collect(Collectors.joining(", ", "; and the JVM has more and more of ", ""));
    }

    private Verdict failed(String subject, List<Leak> leaks, String noun, String hint) {
        String headline = headline(subject, leaks, noun);
        FailureText text = new FailureText(headline, settings.ownCode());
        int shown = Math.min(settings.sites(), leaks.size());
        for (int i = 0; i < shown; i++) {
            Leak leak = leaks.get(i);
            text.line("  " + (i + 1) + ". " + leak.className() + ": " + leak.curve());
            LeakSite site = leak.site();
            if (site == null) {
                text.line("     allocated by a thread that is older than the recording");
            } else {
                text.frames(figures(site).map(SiteFigures::stack).orElse(site.stack()));
            }
        }
        if (shown < leaks.size()) {
            text.line("  ... and " + (leaks.size() - shown) + " more");
        }
        if (!findings.others().isEmpty()) {
            text.line("Not counted as leaks: " + findings.others() + ".");
        }
        return Verdict.failed(rule, headline, error(text.hint(hint), leaks, noun), last);
    }

    private Throwable error(FailureText text, List<Leak> leaks, String noun) {
        String limit = rule.perSite() == 0 ? "" : " by more than " + Bytes.exact(rule.perSite());
        return Failures.error(
                text,
                "no " + noun + " that grows" + limit + " with each run",
                count(leaks, noun),
                figures(leaks),
                settings.sites());
    }

    private List<SiteFigures> figures(List<Leak> leaks) {
        return leaks.stream()
                .flatMap(leak -> Optional.ofNullable(leak.site()).stream())
                .flatMap(site -> figures(site).stream())
                .toList();
    }

    /** Returns the stack by which most of it came. */
    private Optional<SiteFigures> figures(LeakSite site) {
        return SiteFigures.of(last, rule.scope()).stream()
                .filter(figures -> site.isAt(figures, settings.ownCode()))
                .min(SiteFigures.BY_LIVE);
    }

    private static String count(List<Leak> leaks, String noun) {
        String plural = noun.endsWith("s") ? "es" : "s";
        return leaks.size() + " " + noun + (leaks.size() == 1 ? "" : plural);
    }

    private static String headline(String subject, List<Leak> leaks, String noun) {
        double bytes = leaks.stream().mapToDouble(Leak::growthInBytes).sum();
        return String.format(
                Locale.ROOT,
                "%s leaks: %s %s growing, by %s in %d runs.",
                subject,
                count(leaks, noun),
                leaks.size() == 1 ? "keeps" : "keep",
                Bytes.exact(Math.round(bytes)),
                leaks.get(0).runs());
    }
}
