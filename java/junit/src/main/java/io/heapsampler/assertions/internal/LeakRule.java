// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.HeapSnapshot;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
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
    public Repeats repeats() {
        return new Repeats(warmup < 0 ? WARMUP : Math.max(1, warmup), iterations);
    }

    @Override
    public Trial start(Settings settings) {
        Settings own = settings.with(interval);
        return new LeakTrial(this, own, repeats().warmup(), Interval.of(perSite, own));
    }

    Verdict verdict(LeakLook look, String subject, Settings settings) throws NotMeasuredException {
        List<Survivors> leaks = look.leaks();
        String seen = others(look.others());
        if (leaks.isEmpty()) {
            look.requireAllSeen();
            return Verdict.passed(
                    this, "no leak in " + iterations + " iterations" + seen, look.last());
        }
        leaks.sort(Comparator.comparingDouble(Survivors::bytesPerIteration).reversed());
        return failed(leaks, seen, look.last(), subject, settings);
    }

    private Verdict failed(
            List<Survivors> leaks,
            String seen,
            HeapSnapshot last,
            String subject,
            Settings settings) {
        String headline = headline(leaks, subject);
        List<SiteFigures> all = SiteFigures.of(last, scope);
        FailureText text = text(headline, leaks, all, seen, settings);
        List<SiteFigures> figures =
                leaks.stream().flatMap(leak -> figures(leak, all).stream()).toList();
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

    private String headline(List<Survivors> leaks, String subject) {
        return String.format(
                Locale.ROOT,
                "%s leaks: %d %s more than %s alive in each of %d iterations.",
                subject,
                leaks.size(),
                leaks.size() == 1 ? "site leaves" : "sites leave",
                Bytes.exact(perSite),
                iterations);
    }

    private static String lifeInAllRuns(SiteFigures site) {
        boolean isKnown = site.unconfirmed().samples() == 0;
        return FailureText.life(site) + (isKnown ? " in all runs" : "");
    }

    private static FailureText text(
            String headline,
            List<Survivors> leaks,
            List<SiteFigures> all,
            String seen,
            Settings settings) {
        FailureText text = new FailureText(headline, settings.ownCode());
        int shown = Math.min(settings.sites(), leaks.size());
        for (int i = 0; i < shown; i++) {
            Survivors site = leaks.get(i);
            String life = figures(site, all).map(LeakRule::lifeInAllRuns).orElse("");
            text.line("  " + (i + 1) + ". " + slope(site) + life).frames(site.stack());
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
                site.error() == 0 ? "" : " ± " + Bytes.rounded(Bounds.CERTAINTY * site.error());
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

    /** What was allocated there in all runs, the warm-up included. */
    private static Optional<SiteFigures> figures(Survivors leak, List<SiteFigures> all) {
        return all.stream()
                .filter(site -> site.className().equals(leak.className()))
                .filter(site -> site.stack().equals(leak.stack()))
                .findFirst();
    }
}
