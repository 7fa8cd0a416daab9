// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.Estimate;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.assertions.internal.AllocationRule.Interval;
import io.heapsampler.assertions.internal.FigureTrial.Measure;
import io.heapsampler.assertions.internal.FigureTrial.Result;
import io.heapsampler.internal.shared.ByteText;
import java.util.List;
import java.util.Objects;

/**
 * A maximum number of bytes that are still alive after the code and the collector have run.
 *
 * @param name as its author wrote it
 * @param scope which of them
 * @param limitText the limit as it was written
 * @param limit the same in bytes
 * @param warmup runs before those that are judged; -1 for the default
 * @param minOf runs that are judged; -1 for the default
 * @param interval bytes between two samples; -1 to choose it
 * @param allowed what may stay alive
 */
public record RetentionRule(
        String name,
        Scope scope,
        String limitText,
        long limit,
        int warmup,
        int minOf,
        long interval,
        Allowances allowed)
        implements Rule {

    /** What only a finalizer keeps needs a second collection, or a third. */
    private static final int COLLECTIONS = 3;

    private static final String HINT =
            """
            find what holds these objects: a static field, a field of the test, a listener, a \
            thread-local. What is meant to stay: @AllowedLeak, or a higher limit.\
            """;

    /** Checks the threads, and that the interval can decide. */
    public RetentionRule {
        scope.requireForSurvivors();
        Interval.check(interval, limit);
    }

    @Override
    public Repeats repeats() {
        return Repeats.of(warmup, minOf);
    }

    @Override
    public Trial start(Settings settings) {
        Settings own = settings.with(interval);
        return new FigureTrial(
                new LiveMeasure(this, Interval.of(limit, own), own),
                limit,
                repeats(),
                result -> verdict(result, own));
    }

    /** The sites with live objects, largest first; without those of the JVM itself. */
    private List<SiteFigures> alive(HeapSnapshot snapshot, JvmShare share) {
        List<SiteFigures> sites =
                SiteFigures.of(
                        snapshot,
                        scope,
                        site ->
                                snapshot.interval() == 0
                                        && share.takes(site, site.live().bytes().value()));
        sites.removeIf(site -> site.live().samples() == 0);
        sites.sort(SiteFigures.BY_LIVE);
        return sites;
    }

    private boolean isAllowed(SiteFigures site) {
        return allowed.covers(site.className(), site.stack());
    }

    private List<SiteFigures> notAllowed(HeapSnapshot snapshot) {
        List<SiteFigures> sites = alive(snapshot, JvmShare.of(snapshot));
        sites.removeIf(this::isAllowed);
        return sites;
    }

    private Verdict verdict(Result result, Settings settings) throws NotMeasuredException {
        Measured figure = result.figure();
        HeapSnapshot snapshot = Objects.requireNonNull(figure.evidence()).judged();
        String summary = figure.figure() + " alive, of at most " + Bytes.limit(limitText, limit);
        String whole = summary + "; " + result.how();
        if (figure.isWithin(limit)) {
            return Verdict.passed(this, whole, snapshot);
        }
        if (figure.isUndecided(limit)) {
            throw figure.undecided(summary, result.how(), AllocationRule.HELP);
        }
        List<SiteFigures> sites = notAllowed(snapshot);
        String headline =
                "%s left %s alive, limit %s."
                        .formatted(
                                result.subject(), figure.figure(), Bytes.limit(limitText, limit));
        return new FailureText(headline, settings)
                .line("Measured: " + result.how() + ", after a forced collection.")
                .sites("Most alive", sites)
                .hint(HINT + result.advice())
                .holders(result.holders())
                .verdict(
                        this,
                        whole,
                        "at most " + ByteText.exact(limit) + " alive",
                        figure.figure() + " alive",
                        snapshot);
    }

    private record LiveMeasure(RetentionRule rule, long interval, Settings settings)
            implements Measure {

        @Override
        public Measured once(Subject subject) throws Throwable {
            return Evidence.ofRun(rule.scope, interval, subject, this::figure);
        }

        private Measured figure(Evidence evidence) throws NotMeasuredException {
            Measured figure = figureAfterGc(evidence);
            for (int i = 1; i < COLLECTIONS && !figure.isWithin(rule.limit); i++) {
                figure = figureAfterGc(evidence);
            }
            return figure;
        }

        /** Permissions are used only if all live objects would not be within the limit. */
        private Measured figureAfterGc(Evidence evidence) throws NotMeasuredException {
            HeapSnapshot snapshot = evidence.judge();
            JvmShare share = JvmShare.of(snapshot);
            List<SiteFigures> sites = rule.alive(snapshot, share);
            if (!of(sites, share, snapshot, evidence).isWithin(rule.limit)) {
                sites.forEach(site -> rule.allowed.allows(site.className(), site.stack()));
            }
            sites.removeIf(rule::isAllowed);
            return of(sites, share, snapshot, evidence);
        }

        private Measured of(
                List<SiteFigures> sites, JvmShare share, HeapSnapshot snapshot, Evidence evidence) {
            Estimate sum = SiteFigures.sum(sites, SiteFigures::live);
            String how = SampledMeasure.how(interval, sum.samples(), rule.scope) + share.describe();
            Measured figure = Measured.of(sum, interval, how, evidence);
            return Drops.ofLive(
                    snapshot, Drops.ofStacks(snapshot, rule.scope, HeapSite::live, figure));
        }

        @Override
        public Measure better(Measured undecided, long limit) {
            boolean isLost = undecided.high() == Double.POSITIVE_INFINITY;
            return new LiveMeasure(rule, isLost ? Interval.coarsest((double) limit) : 0, settings);
        }

        @Override
        public String holders(Measured figure) {
            HeapSnapshot snapshot = Objects.requireNonNull(figure.evidence()).judged();
            List<SiteFigures> shown =
                    rule.notAllowed(snapshot).stream().limit(settings.sites()).toList();
            return SiteFigures.holders(
                    snapshot,
                    rule.scope,
                    settings,
                    shown.size(),
                    site -> shown.stream().anyMatch(site::isAtSamePlace));
        }

        @Override
        public Layer layer() {
            return Layer.SURVIVORS;
        }
    }
}
