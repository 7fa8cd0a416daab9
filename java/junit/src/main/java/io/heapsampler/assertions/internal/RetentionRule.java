// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.Estimate;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.assertions.internal.AllocationRule.Interval;
import io.heapsampler.assertions.internal.FigureTrial.Measure;
import io.heapsampler.internal.shared.ByteText;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

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
        Measure measure = new LiveMeasure(this, Interval.of(limit, own));
        return new FigureTrial(
                measure.layer(),
                measure,
                limit,
                repeats(),
                (figure, looked, name) -> verdict(figure, looked, name, own));
    }

    /** The sites of which something is alive, most first; without those of the JVM itself. */
    private List<SiteFigures> alive(HeapSnapshot snapshot, JvmShare share) {
        List<SiteFigures> sites = new ArrayList<>();
        for (SiteFigures site :
                SiteFigures.of(
                        snapshot,
                        scope,
                        site -> snapshot.interval() == 0 && share.takes(site, alive(site)))) {
            if (site.live().samples() > 0) {
                sites.add(site);
            }
        }
        sites.sort(SiteFigures.BY_LIVE);
        return sites;
    }

    private static double alive(HeapSite site) {
        return site.live().bytes().value();
    }

    private boolean isAllowed(SiteFigures site) {
        return allowed.covers(site.className(), site.stack());
    }

    private Verdict verdict(
            Measured figure, FigureTrial.Looked looked, String subject, Settings settings)
            throws NotMeasuredException {
        Evidence evidence = java.util.Objects.requireNonNull(figure.evidence());
        String summary = figure.figure() + " alive, of at most " + Bytes.limit(limitText, limit);
        if (figure.isWithin(limit)) {
            return Verdict.passed(this, summary + "; " + looked.how(), evidence.judged());
        }
        if (figure.isUndecided(limit)) {
            throw figure.undecided(summary, looked.how(), AllocationRule.HELP);
        }
        return beyond(figure, summary + "; " + looked.how(), looked, subject, settings);
    }

    private Verdict beyond(
            Measured figure,
            String summary,
            FigureTrial.Looked looked,
            String subject,
            Settings settings)
            throws NotMeasuredException {
        Evidence evidence = java.util.Objects.requireNonNull(figure.evidence());
        HeapSnapshot snapshot = evidence.judged();
        List<SiteFigures> sites = alive(snapshot, JvmShare.of(snapshot));
        sites.removeIf(this::isAllowed);
        FailureText text =
                new FailureText(
                                String.format(
                                        Locale.ROOT,
                                        "%s left %s alive, limit %s.",
                                        subject,
                                        figure.figure(),
                                        Bytes.limit(limitText, limit)),
                                settings.ownCode())
                        .line("Measured: " + looked.how() + ", after a forced collection.")
                        .sites("Most alive", sites, settings.sites())
                        .hint(
                                """
                                find what holds these objects: a static field, a field of the \
                                test, a listener, a thread-local. What is meant to stay: \
                                @AllowedLeak, or a higher limit.%s\
                                """
                                        .formatted(FigureTrial.advice(looked, repeats())));
        return Verdict.failed(
                this,
                summary,
                FailureText.error(
                        text,
                        "at most " + ByteText.exact(limit) + " alive",
                        figure.figure() + " alive",
                        sites,
                        settings.sites()),
                snapshot);
    }

    private record LiveMeasure(RetentionRule rule, long interval) implements Measure {

        @Override
        public Measured once(Subject subject) throws Throwable {
            OlderThreads others = OlderThreads.of(rule.scope);
            Evidence evidence = Evidence.openWithShare(rule.scope, interval);
            boolean isDone = false;
            try {
                Carriers carriers = Carriers.others(rule.scope);
                subject.run();
                carriers.end();
                evidence.stop();
                Measured figure = figure(evidence);
                for (int i = 1; i < COLLECTIONS && !figure.isWithin(rule.limit); i++) {
                    figure = figure(evidence);
                }
                isDone = true;
                return carriers.widen(others.widen(figure));
            } finally {
                if (!isDone) {
                    evidence.close();
                }
            }
        }

        /** Permissions are used where all that is alive would not be within the limit. */
        private Measured figure(Evidence evidence) throws NotMeasuredException {
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
            Estimate sum =
                    sites.stream()
                            .map(site -> site.live().bytes())
                            .reduce(Estimate.of(0, 0, 0, 0), Estimate::plus);
            String how = SampledMeasure.how(interval, sum.samples(), rule.scope) + share.describe();
            Measured figure = Measured.of(sum, interval, how, evidence);
            return Drops.ofLive(
                    snapshot, CutStacks.of(snapshot, rule.scope, HeapSite::live).widen(figure));
        }

        @Override
        public Measure better(Measured undecided, long limit) {
            boolean isLost = undecided.high() == Double.POSITIVE_INFINITY;
            return new LiveMeasure(rule, isLost ? Interval.coarsest((double) limit) : 0);
        }

        @Override
        public Trial.Layer layer() {
            return Trial.Layer.SURVIVORS;
        }
    }
}
