// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.Advice;
import io.heapsampler.doctor.Severity;
import io.heapsampler.doctor.SiteEvidence;
import io.heapsampler.doctor.SiteMetrics;
import io.heapsampler.doctor.internal.sites.SiteBook;
import io.heapsampler.doctor.internal.sites.SiteFigures;
import io.heapsampler.doctor.internal.text.Text;
import java.util.Comparator;
import java.util.List;

/**
 * What is live grows from one collection of the old generation to the next, and goes on growing.
 */
public final class LeakGrowth implements Rule {

    /** A heap that is less full may still be warming up. */
    private static final double HALF_FULL = 0.5;

    private static final double NEARLY_FULL = 0.85;

    /** Growth for a shorter time may be a cache, or sessions, that fill at once. */
    private static final long SHORT_MILLIS = 5_000;

    /** Growth for so long is no warm-up. */
    private static final long LONG_MILLIS = 1_800_000;

    /** Objects of a leak come from many times. */
    private static final int LEAST_EPOCHS = 4;

    private static final int SITES = 3;

    @Override
    public String id() {
        return "leak.growth";
    }

    @Override
    public Verdict judge(Situation s) {
        LiveTrend trend = LiveTrend.of(s);
        if (!trend.isRising()) {
            return Verdict.quiet(this, trend.text());
        }
        NamedSites named = growing(s);
        List<SiteEvidence> sites = named.sites();
        double full = trend.after().last() / Math.max(s.settings().maxHeap(), 1);
        FindingBuilder finding =
                new FindingBuilder(
                        this,
                        s,
                        severity(trend, full, sites),
                        "What is live grows: by "
                                + Text.bytes(trend.after().rise())
                                + " over "
                                + Text.count(trend.after().count(), "collection", "collections")
                                + " of the old generation");
        finding.window(trend.from(), trend.to());
        finding.evidence("live.rise", trend.after().rise(), "bytes", trend.text());
        finding.evidence(
                "live.share",
                full,
                "share",
                Text.bytes(trend.after().last())
                        + " are live, "
                        + Text.share(full)
                        + " of the heap"
                        + whenFull(trend, s.settings().maxHeap())
                        + ".");
        tellSites(s.sites(), sites, finding);
        return finding.sites(named)
                .advice(Advice.Kind.CODE, advice(sites))
                .refutedBy(
                        "What is live stops growing, as that of a cache does when it is full, or of"
                                + " an application that has warmed up.")
                .refutedBy("The objects named here all come from the time after the start.")
                .fired();
    }

    private static Severity severity(LiveTrend trend, double full, List<SiteEvidence> sites) {
        long span = trend.to() - trend.from();
        boolean isLong = span >= LONG_MILLIS && !sites.isEmpty();
        if (full >= NEARLY_FULL) {
            return Severity.CRITICAL;
        }
        boolean isMuch = full >= HALF_FULL && span >= SHORT_MILLIS;
        return isMuch || isLong ? Severity.WARNING : Severity.INFO;
    }

    private static String whenFull(LiveTrend trend, long heap) {
        double left = trend.millisUntil((double) heap);
        return Double.isInfinite(left) || heap <= 0
                ? ""
                : "; it is full in about " + Text.span(left) + " if this goes on";
    }

    private static String advice(List<SiteEvidence> sites) {
        return sites.isEmpty() || sites.get(0).stack().isEmpty()
                ? "Find out who holds what grows: compare two heap dumps, or let the sampler run"
                        + " with a smaller interval."
                : "Look at who keeps what "
                        + sites.get(0).stack().get(0)
                        + " allocates, and remove entries that are no longer needed.";
    }

    private static void tellSites(
            SiteBook history, List<SiteEvidence> sites, FindingBuilder finding) {
        if (sites.isEmpty()) {
            finding.evidence(
                    "sites",
                    0,
                    "count",
                    history.isEmpty()
                            ? "The sampler does not run, so no site can be named."
                            : "There are too few samples to name a site.");
        } else {
            finding.evidence(
                    "sites",
                    sites.size(),
                    "count",
                    "The sites named hold objects that were born between "
                            + LEAST_EPOCHS
                            + " or more different collections; what was filled once comes from"
                            + " one.");
        }
    }

    /** The sites that grow for sure; before that can be told, those with objects of many ages. */
    private static NamedSites growing(Situation s) {
        List<SiteEvidence> sure =
                s.sites().mostGrowing().stream()
                        .filter(site -> site.birthEpochs() >= LEAST_EPOCHS)
                        .limit(SITES)
                        .map(LeakGrowth::evidence)
                        .toList();
        return sure.isEmpty()
                ? Makers.ofLive(s, manyAges(s.sites()))
                : ofGrowth(sure, riseWhileCompared(s));
    }

    /** Bytes per second, while the snapshots were taken that tell how fast sites grow. */
    private static double riseWhileCompared(Situation s) {
        SiteBook.Span span = s.sites().growthSpan();
        return span == null ? Double.NaN : LiveTrend.within(s, span.from(), span.to()).perSecond();
    }

    private static NamedSites ofGrowth(List<SiteEvidence> sites, double perSecond) {
        if (Double.isNaN(perSecond)) {
            return NamedSites.explaining(
                    sites,
                    Double.NaN,
                    "How much of the growth the sites named explain is not known: fewer than "
                            + LiveTrend.LEAST
                            + " collections of the old generation lie between the snapshots that"
                            + " show their growth.");
        }
        NamedSites.Share share = NamedSites.Share.of(sites, Math.max(perSecond, 1));
        String growth = "the growth of " + Text.bytes(perSecond) + "/s";
        return NamedSites.explaining(
                sites,
                share.value(),
                share.isMoreThanAll()
                        ? "The sites named grow faster than the heap: they explain more than "
                                + growth
                                + ". Other sites may shrink."
                        : "The sites named explain "
                                + share.text()
                                + " of "
                                + growth
                                + "."
                                + rest(share));
    }

    private static String rest(NamedSites.Share share) {
        return share.value() == 1
                ? ""
                : " The rest grows at other sites, or was live before the sampler began.";
    }

    private static SiteEvidence evidence(SiteBook.GrowingSite site) {
        return new SiteEvidence(
                site.className(), site.stack(), "growth", site.bytesPerSecond(), "bytes/s");
    }

    private static List<SiteEvidence> manyAges(SiteBook history) {
        return history.sites().stream()
                .filter(
                        site ->
                                site.birthEpochs() >= LEAST_EPOCHS
                                        && !site.retained().hasTooFewSamples()
                                        && site.retained().value() > 0)
                .sorted(
                        Comparator.comparingDouble((SiteMetrics m) -> m.retained().value())
                                .reversed())
                .limit(SITES)
                .map(site -> SiteFigures.evidence(site, "retained", site.retained(), "bytes"))
                .toList();
    }
}
