// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.GarbageCollector;
import io.heapsampler.doctor.Advice;
import io.heapsampler.doctor.Severity;
import io.heapsampler.doctor.SiteEvidence;
import io.heapsampler.doctor.internal.sites.Places;
import io.heapsampler.doctor.internal.sites.SiteMetrics;
import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.doctor.internal.timeline.OldCollection;
import java.util.List;

/** The live set grows and goes on growing. Derivations: {@code doc/thresholds.md}. */
public final class LeakGrowth implements Rule {

    private static final double HALF_FULL = 0.5; // Needs no site to be warned about.
    private static final long SHORT_MILLIS = 5_000; // A cache may fill within a moment.
    private static final long START_UP_MILLIS = 60_000; // No longer, whatever classes are loaded.
    private static final double HOUR_MILLIS = 3_600_000;
    private static final int SEVERAL = 4; // Fewer collections may have seen odd moments.
    private static final double MOSTLY_SOFT = 0.5; // Of the growth: then it is a cache.

    @Override
    public String id() {
        return "leak.growth";
    }

    @Override
    public Verdict judge(Situation s) {
        LiveTrend live = LiveTrend.of(s);
        if (live.isFull() && !live.isRising()) {
            String why =
                    "The live set nearly fills the heap, so it cannot grow further, leak or not. ";
            return Verdict.hidden(this, why + live.text());
        }
        if (live.collections() >= SEVERAL && !live.isRising()) {
            return Verdict.quiet(this, live.text());
        }
        GrowingSites growing = GrowingSites.of(s); // Unpacks snapshots.
        if (live.isRising()) {
            return byCollections(s, live, growing);
        }
        return growing.tellGrowth(s)
                ? bySamples(s, live, growing)
                : Verdict.quiet(this, live.text());
    }

    private Verdict byCollections(Situation s, LiveTrend live, GrowingSites growing) {
        double perSecond =
                growing.lines().isEmpty()
                        ? Double.NaN
                        : LiveTrend.within(s, growing.from(), growing.to()).perSecond();
        NamedSites named = named(s, growing, perSecond);
        long heap = s.settings().maxHeap();
        double rise = live.trend().rise();
        double last = live.last(s);
        double full = last / Math.max(heap, 1);
        double left = live.isFull() || heap <= 0 ? 0 : live.millisUntil((double) heap);
        Severity severity = severity(s, live, growing, named.sites());
        String title = "The live set grows: by {b} in {t}";
        FindingBuilder finding =
                new FindingBuilder(this, s, severity, title, rise, live.trend().span());
        finding.window(live.from(), live.to());
        finding.evidence("live.rise", rise, "bytes", live.text());
        boolean isKnown = left > 0 && !Double.isInfinite(left);
        String when = isKnown ? Text.of("; it is full in about {t} at this rate", left) : "";
        String text = "{b} are live, {s} of the heap{}.";
        if (heap > 0) {
            finding.evidence("live.share", full, "share", text, last, full, when);
        }
        return finish(s, named, growing, perSecond, finding);
    }

    private static Severity severity(
            Situation s, LiveTrend live, GrowingSites growing, List<SiteEvidence> sites) {
        long heap = s.settings().maxHeap();
        double rise = live.trend().rise();
        double span = live.trend().span();
        boolean isSeen = live.collections() >= SEVERAL || isSure(s, growing);
        if (softlyReachable(s) >= MOSTLY_SOFT * rise) {
            return Severity.INFO; // It was given back when the heap was full, and will be again.
        }
        if (live.isFull()) {
            return isSeen ? Severity.CRITICAL : Severity.WARNING;
        }
        long started = StartUp.endMillis(s.timeline().ticks(), START_UP_MILLIS);
        if (!isSeen || live.to() < started || !live.goesOnNow() || live.isLate(s)) {
            return Severity.INFO; // What was loaded at the start, or into a cache, is no growth.
        }
        boolean isMuch = live.trend().last() >= HALF_FULL * heap;
        boolean isSure = tellsGrowth(s, sites) && rise >= LiveTrend.LEAST_OF_HEAP * heap;
        boolean isLong = span >= LiveTrend.LONG_MILLIS && (isMuch || isSure);
        // old.frequent would warn about it as well: the question is only what to call it.
        boolean harms = OldFigures.of(s).pauseShare() > 1 - s.slo().throughputMin();
        boolean isTight = span >= SHORT_MILLIS && isMuch && harms;
        return isLong || isTight ? Severity.WARNING : Severity.INFO;
    }

    /** Sites that hold most are those of any application, unless few objects are tracked. */
    private static boolean tellsGrowth(Situation s, List<SiteEvidence> sites) {
        boolean isZ = s.settings().collector() == GarbageCollector.Z_GENERATIONAL;
        return !sites.isEmpty() && (!isOfHolders(sites) || isZ);
    }

    private static boolean isOfHolders(List<SiteEvidence> sites) {
        return sites.get(0).metric().equals("live");
    }

    /** Whether samples alone are enough to warn: they lasted, and the heap is full in an hour. */
    private static boolean isSure(Situation s, GrowingSites growing) {
        long started = StartUp.endMillis(s.timeline().ticks(), START_UP_MILLIS);
        return growing.tellGrowth(s)
                && growing.to() - Math.max(growing.from(), started) >= LiveTrend.LONG_MILLIS
                && growing.rise() >= LiveTrend.LEAST_OF_HEAP * s.settings().maxHeap()
                && growing.millisUntilFull(s) < HOUR_MILLIS;
    }

    /** Promoted garbage looks alive: what this rests on is said. */
    private Verdict bySamples(Situation s, LiveTrend live, GrowingSites growing) {
        double span = (double) growing.to() - growing.from();
        double rise = growing.rise();
        double left = growing.millisUntilFull(s);
        boolean isNone = live.collections() == 0;
        Severity severity = isNone && isSure(s, growing) ? Severity.WARNING : Severity.INFO;
        String title = "Live bytes grow, by samples: {b} in {t}";
        FindingBuilder finding = new FindingBuilder(this, s, severity, title, rise, span);
        finding.window(growing.from(), growing.to());
        String basis =
                isNone
                        ? "No collection has looked for garbage in the old generation yet"
                        : "Few collections have looked for garbage in the old generation";
        String text =
                "{}; this rests on samples: the lines named added {b} in {t}. Of what they"
                        + " allocate, {s} stays.";
        finding.evidence("live.rise", rise, "bytes", text, basis, rise, span, growing.stays());
        String full = "At this rate the heap is full in about {t}.";
        finding.evidence("old.full", left / 1000, "s", full, left);
        NamedSites.Share share = growing.ofOld();
        String explained = "The sites named explain {} of what the old generation grows by.";
        explained = Text.of(explained, share.text());
        NamedSites named = NamedSites.explaining(growing.lines(), share.value(), explained);
        double perSecond = growing.perSecond() / share.ratio();
        return finish(s, named, growing, perSecond, finding);
    }

    private static Verdict finish(
            Situation s,
            NamedSites named,
            GrowingSites growing,
            double perSecond,
            FindingBuilder finding) {
        tellSites(s, named.sites(), finding);
        finding.sites(named).evidence(growing.mostOfOneClass(s.sites(), perSecond));
        tellSoft(s, finding);
        String place = named.sites().isEmpty() ? "" : Places.name(named.sites().get(0).stack());
        String advice =
                place.isEmpty()
                        ? "Find the holders of the objects that stay: compare two heap dumps, or"
                                + " let the sampler run with a smaller interval."
                        : "Find the holders of the objects that {} allocates, and remove entries"
                                + " that are no longer needed.";
        return finding.advice(Advice.Kind.CODE, place.isEmpty() ? advice : Text.of(advice, place))
                .refutedBy(
                        "The live set stops growing, as that of a cache does when it is full, or of"
                                + " an application that has warmed up.")
                .refutedBy("The objects named here all come from the time after the start.")
                .fired();
    }

    /** In bytes; differences that full pauses leave as dead wood do not count. */
    private static double softlyReachable(Situation s) {
        long soft = OldCollection.softlyReachable(OldCollection.of(s.timeline()));
        return soft >= LiveTrend.LEAST_OF_HEAP * s.settings().maxHeap() ? soft : 0;
    }

    /** What is softly reachable counts as live until the heap is full: it is no leak. */
    private static void tellSoft(Situation s, FindingBuilder finding) {
        double soft = softlyReachable(s);
        if (soft > 0) {
            String text =
                    "{b} were only softly reachable when the heap was full before: the JVM gave"
                            + " them back. Such memory is no leak.";
            finding.evidence("soft", soft, "bytes", text, soft);
        }
        for (SiteMetrics site : s.sites().sites()) {
            long alive = site.live().samples();
            boolean isSoft = site.className().endsWith("SoftReference") && alive > 0;
            if (isSoft && Places.own(site.stack()) != null) {
                String text =
                        "{} makes soft references that are alive. What only they hold counts as"
                                + " live until the heap is nearly full, and is no leak.";
                String place = Places.name(site.stack());
                finding.evidence("soft.references", alive, "samples", text, place);
                return;
            }
        }
    }

    private static void tellSites(Situation s, List<SiteEvidence> sites, FindingBuilder finding) {
        String text;
        if (sites.isEmpty()) {
            text =
                    s.sites().isEmpty()
                            ? "The sampler does not run, so no site can be named."
                            : "There are too few samples to name a site.";
        } else if (isOfHolders(sites)) {
            text =
                    "The sites named hold most of the live bytes; the samples are too few to say"
                            + " which of them grow.";
        } else {
            text =
                    "The sites named hold objects that were born between 4 or more different"
                            + " collections; what was filled once comes from one.";
        }
        finding.evidence("sites", sites.size(), "count", text);
    }

    /**
     * The lines that grow for sure; before that is known, those with objects of many ages; and
     * where few objects are tracked, as with generational ZGC, those that hold most.
     */
    private static NamedSites named(Situation s, GrowingSites growing, double perSecond) {
        List<SiteEvidence> lines = growing.lines();
        if (lines.isEmpty()) {
            List<SiteEvidence> old = GrowingSites.ofManyAges(s.sites());
            return old.isEmpty() ? Makers.holders(s) : Makers.ofLive(s, old);
        }
        if (perSecond <= 0) {
            String text =
                    "How much of the growth the sites named explain is not known: while they grew,"
                            + " other sites gave as much back.";
            return NamedSites.explaining(lines, Double.NaN, text);
        }
        if (Double.isNaN(perSecond)) {
            String text =
                    "How much of the growth the sites named explain is not known: too few"
                            + " collections of the old generation lie between the snapshots that"
                            + " show their growth.";
            return NamedSites.explaining(lines, Double.NaN, text);
        }
        NamedSites.Share share = NamedSites.Share.of(lines, Math.max(perSecond, 1));
        String text = "The sites named explain {} of the growth of {b}/s.";
        text = Text.of(text, share.text(), perSecond);
        if (share.isMoreThanAll()) {
            text =
                    "The sites named grow faster than the heap: they explain more than the growth"
                            + " of {b}/s. Other sites may shrink.";
            text = Text.of(text, perSecond);
        } else if (share.value() < 1) {
            text += " The rest grows at other sites, or was live before the sampler began.";
        }
        return NamedSites.explaining(lines, share.value(), text);
    }
}
