// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.HeapSnapshot;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;

/**
 * Code that is run again and again leaves nothing behind each time, by site.
 *
 * <p>False alarms: a site whose iterations leave something with a chance of one half or less, each
 * independently, is called a leak with a chance of 2^−(iterations − 1) at most: 0.2 % of such sites
 * for 10 iterations. What fills up over all iterations, such as a cache that is not full yet, looks
 * like a leak: warm it up.
 *
 * @param name as its author wrote it
 * @param scope which allocations are looked at
 * @param iterations how often the code is run under observation, 5 or more
 * @param warmup how often before; -1 for the default
 * @param perSite bytes per iteration and site that are accepted
 * @param interval bytes between two samples; -1 to choose it
 * @param allowed what may stay alive
 */
public record LeakRule(
        String name,
        Scope scope,
        int iterations,
        int warmup,
        long perSite,
        long interval,
        Allowances allowed)
        implements Rule {

    /** Iterations where nobody says how many. */
    public static final int ITERATIONS = 10;

    /** The fewest iterations that tell a leak from chance. */
    public static final int FEWEST = 5;

    /** The most iterations. */
    public static final int MOST = 1000;

    /** Bytes per iteration and site that are accepted where nobody says how many. */
    public static final long PER_SITE = 1024;

    private static final int WARMUP = 2;

    /** Checks the threads, the iterations and the interval. */
    public LeakRule {
        scope.requireForSurvivors();
        if (iterations < FEWEST || iterations > MOST) {
            throw new IllegalArgumentException(
                    "iterations must be from 5 to 1000, but is "
                            + iterations
                            + ". Fewer cannot tell a leak from chance: use 10.");
        }
        Interval.check(interval, perSite);
    }

    @Override
    public Verdict check(Subject subject, Settings settings) throws Throwable {
        Settings own = settings.with(warmup, -1, interval);
        int before = Math.max(1, own.plan(WARMUP, 1).warmup());
        OlderThreads older = OlderThreads.of(scope);
        try (Evidence evidence = Evidence.open(scope, Interval.of(perSite, own))) {
            runs(subject, before);
            HeapSnapshot first = evidence.snapshotAfterGc();
            older = older.unseenIn(first); // the others have drawn anew by now
            List<Instant> ends = new ArrayList<>();
            for (int i = 0; i < iterations; i++) {
                runs(subject, 1);
                ends.add(evidence.snapshotAfterGc().takenAt());
            }
            evidence.stop();
            ends.remove(iterations - 1);
            HeapSnapshot last = evidence.snapshotAfterGc(); // and what a finalizer kept
            List<Survivors> sites = Cohorts.of(last, first.takenAt(), ends, scope);
            return verdict(sites, last, older, subject, own);
        }
    }

    private static void runs(Subject subject, int count) throws Throwable {
        for (int i = 0; i < count; i++) {
            boolean isFirst = subject.runs() == 0;
            try {
                subject.run();
            } catch (Throwable e) {
                throw isFirst ? e : Failures.notRepeatable(subject, e);
            }
        }
    }

    private Verdict verdict(
            List<Survivors> sites,
            HeapSnapshot last,
            OlderThreads older,
            Subject subject,
            Settings settings)
            throws NotMeasuredException {
        List<Survivors> leaks = new ArrayList<>();
        List<Survivors> others = new ArrayList<>();
        for (Survivors site : sites) {
            boolean isAllowed = allowed.allows(site.className(), site.stack());
            boolean isLeak = site.leaksMoreThan(perSite) && !isAllowed;
            (isLeak ? leaks : others).add(site);
        }
        String seen = others(others);
        if (leaks.isEmpty()) {
            requireAllSeen(last, older);
            return Verdict.passed(this, "no leak in " + iterations + " iterations" + seen, last);
        }
        leaks.sort(Comparator.comparingDouble(Survivors::bytesPerIteration).reversed());
        return failed(leaks, seen, last, subject, settings);
    }

    private Verdict failed(
            List<Survivors> leaks,
            String seen,
            HeapSnapshot last,
            Subject subject,
            Settings settings) {
        String headline = headline(leaks, subject);
        FailureText text = text(headline, leaks, seen, settings);
        List<SiteFigures> figures = figures(last, leaks);
        return Verdict.failed(
                this,
                headline,
                Failures.error(
                        text,
                        "no site that leaves more than "
                                + Bytes.exact(perSite)
                                + " behind in each iteration",
                        leaks.size() + (leaks.size() == 1 ? " site" : " sites"),
                        figures,
                        settings.sites()),
                last);
    }

    /** Where something was lost, it is not known that there is no leak. */
    private void requireAllSeen(HeapSnapshot last, OlderThreads older) throws NotMeasuredException {
        Measured none = Measured.exact(0, "none was seen in " + iterations + " iterations", null);
        Measured seen = Drops.ofLive(last, none);
        if (Cohorts.hasLost(last, scope)) {
            seen = seen.widened(0, Double.POSITIVE_INFINITY, CutStacks.REASON, CutStacks.HELP);
        }
        double unseen = older.most();
        if (unseen >= (double) perSite * iterations) { // less is no leak beyond perSite
            String reason = OlderThreads.reason(unseen);
            seen = seen.widened(0, Double.POSITIVE_INFINITY, reason, OlderThreads.HELP);
        }
        if (!seen.isExact()) {
            throw new NotMeasuredException(
                    "A leak may have gone unseen: " + seen.how() + ". " + seen.remedy());
        }
    }

    private String headline(List<Survivors> leaks, Subject subject) {
        return String.format(
                Locale.ROOT,
                "%s leaks: %d %s more than %s alive in each of %d iterations.",
                subject.name(),
                leaks.size(),
                leaks.size() == 1 ? "site leaves" : "sites leave",
                Bytes.exact(perSite),
                iterations);
    }

    private FailureText text(
            String headline, List<Survivors> leaks, String seen, Settings settings) {
        FailureText text = new FailureText(headline);
        int shown = Math.min(settings.sites(), leaks.size());
        for (int i = 0; i < shown; i++) {
            Survivors site = leaks.get(i);
            text.line("  " + (i + 1) + ". " + slope(site)).frames(site.stack());
        }
        if (shown < leaks.size()) {
            text.line("  ... and " + (leaks.size() - shown) + " more");
        }
        if (!seen.isEmpty()) {
            text.line("Not counted as leaks" + seen + ".");
        }
        return text.hint(
                "look for who holds these objects: a static field, a listener, a thread-local. A"
                        + " cache that is still filling up: raise warmup or iterations. What is"
                        + " meant to grow: @AllowedLeak, or a higher perSite.");
    }

    private static String slope(Survivors site) {
        String error =
                site.error() == 0 ? "" : " ± " + Bytes.rounded(Measured.CERTAINTY * site.error());
        return String.format(
                Locale.ROOT,
                "%s: %s%s and %.1f objects more per iteration; survivors of %d of %d iterations",
                site.className(),
                Bytes.rounded(site.bytesPerIteration()),
                error,
                site.objectsPerIteration(),
                site.nonEmpty(),
                site.iterations());
    }

    private static String others(List<Survivors> others) {
        TreeMap<Survivors.Kind, Integer> kinds = new TreeMap<>();
        for (Survivors site : others) {
            kinds.merge(site.kind(), 1, Integer::sum);
        }
        StringBuilder text = new StringBuilder();
        kinds.forEach(
                (kind, count) ->
                        text.append(text.length() == 0 ? ": " : ", ")
                                .append(count)
                                .append(count == 1 ? " site " : " sites ")
                                .append(
                                        kind == Survivors.Kind.LEAK
                                                ? "within perSite or allowed"
                                                : kind.words));
        return text.toString();
    }

    private List<SiteFigures> figures(HeapSnapshot last, List<Survivors> leaks) {
        List<SiteFigures> figures = new ArrayList<>();
        List<SiteFigures> all = SiteFigures.of(last, scope);
        for (Survivors leak : leaks) {
            for (SiteFigures site : all) {
                if (site.className().equals(leak.className())
                        && site.stack().equals(leak.stack())) {
                    figures.add(site);
                }
            }
        }
        return figures;
    }
}
