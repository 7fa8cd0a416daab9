// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.assertions.ThreadScope;
import io.heapsampler.assertions.internal.LiveSeries.Kind;
import io.heapsampler.internal.shared.ByteText;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Makes the verdict of a trial for leaks. */
final class LeakVerdict {

    private static final String HINT =
            "find what holds the objects of the first site: a static field, a field of the test, a"
                + " listener, a thread-local. A cache that is still filling up: fill it before, or"
                + " raise warmup. What is meant to grow: @AllowedLeak, or a higher perSite.";

    private static final String UNKNOWN_PLACE =
            "start these threads in the measured code, or call HeapSampler.start() before they"
                    + " start: then their stacks are known.";

    private static final String OPEN = "grew, and it is open whether that goes on";

    private static final String OPEN_HELP =
            "Make a run faster, so that there is time for more of them, or let it do more. Fill"
                    + " caches before the test, or raise warmup. Allow intended growth with"
                    + " @AllowedLeak.";

    private static final String CONCEALED =
            "grew while other code frees objects of the same class, so it is open whether these"
                    + " make up for it";

    private static final String CONCEALED_HELP =
            "Let nothing else run beside the test: wait for background work to end, or stop it.";

    /** Sites or classes that are named where there is no verdict. */
    private static final int NAMED = 3;

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
        if (!findings.leaks.isEmpty()) {
            return failed(subject, findings.leaks, "site", HINT);
        }
        List<Leak> growing = unseen.isExact() ? null : findings.unexplained(Kind.GROWING);
        boolean isAll = rule.scope().threads() == ThreadScope.ALL;
        if (growing != null && !growing.isEmpty() && isAll && rule.scope().sites().isEmpty()) {
            return failed(subject, growing, "class", UNKNOWN_PLACE);
        }
        if (!findings.open.isEmpty()) {
            throw notMeasured(findings.open, OPEN, OPEN_HELP);
        }
        if (!findings.concealed.isEmpty()) {
            throw notMeasured(findings.concealed, CONCEALED, CONCEALED_HELP);
        }
        String noLeaks = findings.noLeaks();
        String summary = "no leak in " + runs + " runs" + (noLeaks.isEmpty() ? "" : ": " + noLeaks);
        return passed(unseen.isExact() ? summary : summary + classes(growing, unseen));
    }

    /** The build shows the findings that were left out. */
    private Verdict passed(String summary) {
        Verdict verdict = Verdict.passed(rule, summary, last);
        String leftOut = findings.leftOut();
        return leftOut.isEmpty() ? verdict : verdict.withNote(leftOut);
    }

    /** Where something may have gone unseen, the JVM's own counts must show that nothing grows. */
    private String classes(@Nullable List<Leak> growing, Measured unseen)
            throws NotMeasuredException {
        List<Leak> open = findings.unexplained(Kind.UNDECIDED);
        if (growing == null || open == null) {
            throw unseen(unseen, "");
        }
        List<Leak> classes = growing.isEmpty() ? open : growing;
        if (!classes.isEmpty()) {
            throw unseen(unseen, named(classes));
        }
        return "; by the JVM's counts of each class, because " + unseen.how();
    }

    private NotMeasuredException unseen(Measured unseen, String names) {
        return new NotMeasuredException(
                "A leak may have gone unseen: " + unseen.how() + names + ". " + unseen.remedy(),
                last);
    }

    private static String named(List<Leak> classes) {
        return classes.stream()
                .limit(NAMED)
                .map(leak -> leak.className() + " (" + leak.curve() + ")")
                .collect(Collectors.joining(", ", "; and the JVM has more and more of ", ""));
    }

    /** Names the first sites, each with its line of the author's code. */
    private NotMeasuredException notMeasured(List<Leak> sites, String words, String help) {
        String names =
                sites.stream().limit(NAMED).map(this::named).collect(Collectors.joining("; "));
        int more = sites.size() - NAMED;
        return new NotMeasuredException(
                String.format(
                        Locale.ROOT,
                        "%s %s: %s%s. %s",
                        count(sites, "site"),
                        words,
                        names,
                        more > 0 ? "; and " + more + " more" : "",
                        help),
                last);
    }

    private String named(Leak leak) {
        Leak.Site site = leak.site();
        StackTraceElement own = site == null ? null : settings.ownCode().first(site.stack());
        String curve = leak.hasGrown() ? " (" + leak.curve() + ")" : "";
        return leak.className() + curve + (own == null ? "" : " at " + own);
    }

    private Verdict failed(String subject, List<Leak> leaks, String noun, String hint) {
        String headline = headline(subject, leaks, noun);
        FailureText text = new FailureText(headline, settings);
        int shown = Math.min(settings.sites(), leaks.size());
        for (int i = 0; i < shown; i++) {
            Leak leak = leaks.get(i);
            text.line("  " + (i + 1) + ". " + leak.className() + ": " + leak.curve());
            Leak.Site site = leak.site();
            if (site == null) {
                text.line("     allocated by a thread that is older than the recording");
            } else {
                text.frames(stack(site));
            }
        }
        if (shown < leaks.size()) {
            text.line("  ... and " + (leaks.size() - shown) + " more");
        }
        if (!findings.others().isEmpty()) {
            text.line("Not counted as leaks: " + findings.others() + ".");
        }
        String limit = rule.perSite() == 0 ? "" : " by more than " + ByteText.exact(rule.perSite());
        String expected = "no " + noun + " that grows" + limit + " with each run";
        text.hint(hint).holders(holders(leaks.subList(0, shown)));
        return text.verdict(rule, headline, expected, count(leaks, noun), last);
    }

    /** Leaks stay alive, so it is early enough to look after the last run. */
    private String holders(List<Leak> shown) {
        return SiteFigures.holders(
                last,
                rule.scope(),
                settings,
                shown.size(),
                figures ->
                        shown.stream()
                                .map(Leak::site)
                                .filter(Objects::nonNull)
                                .anyMatch(site -> site.isAt(figures, settings.ownCode())));
    }

    /** Returns the stack that allocated most of it. */
    private List<StackTraceElement> stack(Leak.Site site) {
        return SiteFigures.of(last, rule.scope()).stream()
                .filter(figures -> site.isAt(figures, settings.ownCode()))
                .min(SiteFigures.BY_LIVE)
                .map(SiteFigures::stack)
                .orElse(site.stack());
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
                ByteText.exact(Math.round(bytes)),
                leaks.get(0).runs());
    }
}
