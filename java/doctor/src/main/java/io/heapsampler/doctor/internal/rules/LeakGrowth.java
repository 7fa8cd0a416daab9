// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.GarbageCollector;
import io.heapsampler.doctor.Advice;
import io.heapsampler.doctor.Severity;
import io.heapsampler.doctor.SiteEvidence;
import io.heapsampler.doctor.internal.sites.Places;
import io.heapsampler.doctor.internal.sites.SiteBook;
import io.heapsampler.doctor.internal.sites.SiteFigures;
import io.heapsampler.doctor.internal.sites.SiteMetrics;
import io.heapsampler.doctor.internal.text.Text;
import java.util.ArrayList;
import java.util.List;

/** The live set grows and goes on growing. */
public final class LeakGrowth implements Rule {

    /** A heap that is less full may still be warming up. */
    private static final double HALF_FULL = 0.5;

    /** Growth for a shorter time may be a cache, or sessions, that fill at once. */
    private static final long SHORT_MILLIS = 5_000;

    /** A start takes no longer, though classes are loaded all the time. */
    private static final long START_UP_MILLIS = 60_000;

    /** Growth for this long is more than a warm-up. */
    private static final long STEADY_MILLIS = 60_000;

    /** Fewer collections may have seen moments that are not typical. */
    private static final int SEVERAL = 4;

    /** Objects of a leak come from many times. */
    private static final int LEAST_EPOCHS = 4;

    private static final int SITES = 3;

    @Override
    public String id() {
        return "leak.growth";
    }

    @Override
    public Verdict judge(Situation s) {
        LiveTrend live = LiveTrend.of(s);
        if (!live.isRising()) {
            return live.isFull()
                    ? Verdict.hidden(
                            this,
                            "The live set nearly fills the heap, so it cannot grow further, leak or"
                                    + " not. "
                                    + live.text())
                    : Verdict.quiet(this, live.text());
        }
        NamedSites named = growing(s);
        List<SiteEvidence> sites = named.sites();
        double full = live.trend().last() / Math.max(s.settings().maxHeap(), 1);
        FindingBuilder finding =
                new FindingBuilder(
                        this,
                        s,
                        severity(s, live, sites),
                        "The live set grows: by "
                                + Text.bytes(live.trend().rise())
                                + " in "
                                + Text.span(live.trend().span()));
        finding.window(live.from(), live.to());
        finding.evidence("live.rise", live.trend().rise(), "bytes", live.text());
        finding.evidence(
                "live.share",
                full,
                "share",
                Text.bytes(live.trend().last())
                        + " are live, "
                        + Text.share(full)
                        + " of the heap"
                        + whenFull(live, s.settings().maxHeap())
                        + ".");
        tellSites(s.sites(), sites, finding);
        return finding.sites(named)
                .advice(Advice.Kind.CODE, advice(sites))
                .refutedBy(
                        "The live set stops growing, as that of a cache does when it is full, or of"
                                + " an application that has warmed up.")
                .refutedBy("The objects named here all come from the time after the start.")
                .fired();
    }

    private static Severity severity(Situation s, LiveTrend live, List<SiteEvidence> sites) {
        long heap = s.settings().maxHeap();
        double span = live.trend().span();
        boolean isSeen = live.collections() >= SEVERAL;
        if (live.isFull()) {
            return isSeen ? Severity.CRITICAL : Severity.WARNING;
        }
        long started = StartUp.endMillis(s.timeline().ticks(), START_UP_MILLIS);
        if (live.to() < started || !live.goesOnNow()) {
            return Severity.INFO; // What was loaded at the start, or into a cache, is no growth.
        }
        boolean isMuch = isSeen && live.trend().last() >= HALF_FULL * heap && span >= SHORT_MILLIS;
        boolean isSteady =
                isSeen
                        && tellsGrowth(s, sites)
                        && live.trend().rise() >= LiveTrend.LEAST_OF_HEAP * heap
                        && span >= STEADY_MILLIS;
        return isMuch || isSteady ? Severity.WARNING : Severity.INFO;
    }

    /** Sites that hold most are those of any application, unless few objects are tracked. */
    private static boolean tellsGrowth(Situation s, List<SiteEvidence> sites) {
        return !sites.isEmpty()
                && (!isOfHolders(sites)
                        || s.settings().collector() == GarbageCollector.Z_GENERATIONAL);
    }

    private static boolean isOfHolders(List<SiteEvidence> sites) {
        return sites.get(0).metric().equals("live");
    }

    private static String whenFull(LiveTrend live, long heap) {
        double left = live.isFull() ? 0 : live.millisUntil((double) heap);
        return Double.isInfinite(left) || left <= 0 || heap <= 0
                ? ""
                : "; it is full in about " + Text.span(left) + " at this rate";
    }

    private static String advice(List<SiteEvidence> sites) {
        String place = sites.isEmpty() ? "" : Places.name(sites.get(0).stack());
        return place.isEmpty()
                ? "Find the holders of the objects that stay: compare two heap dumps, or let the"
                        + " sampler run with a smaller interval."
                : "Find the holders of the objects that "
                        + place
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
                    isOfHolders(sites)
                            ? "The sites named hold most of the live bytes; the samples are too few"
                                    + " to say which of them grow."
                            : "The sites named hold objects that were born between "
                                    + LEAST_EPOCHS
                                    + " or more different collections; what was filled once comes"
                                    + " from one.");
        }
    }

    /**
     * The lines that grow for sure; before that is known, those with objects of many ages; and
     * where few objects are tracked, as with generational ZGC, those that hold most.
     */
    private static NamedSites growing(Situation s) {
        List<SiteEvidence> sure = new ArrayList<>();
        for (SiteBook.GrowingSite site : s.sites().mostGrowing()) {
            if (site.birthEpochs() >= LEAST_EPOCHS) {
                sure.add(evidence(site));
            }
        }
        List<SiteEvidence> places = first(Places.addedUp(sure));
        if (!places.isEmpty()) {
            return ofGrowth(places, riseWhileCompared(s));
        }
        List<SiteEvidence> old = manyAges(s.sites());
        return old.isEmpty() ? Makers.holders(s) : Makers.ofLive(s, old);
    }

    private static List<SiteEvidence> first(List<SiteEvidence> places) {
        return places.subList(0, Math.min(SITES, places.size()));
    }

    /** Bytes per second, over the snapshots that show how fast sites grow. */
    private static double riseWhileCompared(Situation s) {
        SiteBook.Span span = s.sites().growthSpan();
        return span == null ? Double.NaN : LiveTrend.within(s, span.from(), span.to()).perSecond();
    }

    private static NamedSites ofGrowth(List<SiteEvidence> sites, double perSecond) {
        if (Double.isNaN(perSecond)) {
            return NamedSites.explaining(
                    sites,
                    Double.NaN,
                    "How much of the growth the sites named explain is not known: too few"
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

    /** Lines that hold objects of many ages, with enough samples to be sure of it. */
    private static List<SiteEvidence> manyAges(SiteBook history) {
        List<SiteEvidence> held = new ArrayList<>();
        for (SiteMetrics site : history.sites()) {
            if (site.birthEpochs() >= LEAST_EPOCHS && site.retained().value() > 0) {
                held.add(SiteFigures.evidence(site, "retained", site.retained(), "bytes"));
            }
        }
        List<SiteEvidence> places = new ArrayList<>();
        for (SiteEvidence place : Places.addedUp(held)) {
            if (!place.estimate().hasTooFewSamples()) {
                places.add(place);
            }
        }
        return first(places);
    }
}
