// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.GarbageCollector;
import io.heapsampler.doctor.Advice;
import io.heapsampler.doctor.Evidence;
import io.heapsampler.doctor.Severity;
import io.heapsampler.doctor.SiteEvidence;
import io.heapsampler.doctor.internal.sites.Places;
import io.heapsampler.doctor.internal.sites.SiteMetrics;
import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.doctor.internal.timeline.OldCollection;
import java.util.ArrayList;
import java.util.List;

/** The live set grows and goes on growing. */
public final class LeakGrowth implements Rule {

    /** A live set of this share needs no site to be warned about. */
    private static final double HALF_FULL = 0.5;

    /** Growth for a shorter time may be a cache, or sessions, that fill at once. */
    private static final long SHORT_MILLIS = 5_000;

    /** A cache that fills evenly within 80 s looks as if it grew until 1.2 times that. */
    private static final long LONG_MILLIS = 96_000;

    /** A start takes no longer, though classes are loaded all the time. */
    private static final long START_UP_MILLIS = 60_000;

    private static final double HOUR_MILLIS = 3_600_000;

    /** Fewer collections may have seen moments that are not typical. */
    private static final int SEVERAL = 4;

    /** If this share of the growth was softly reachable before, it is a cache. */
    private static final double MOSTLY_SOFT = 0.5;

    @Override
    public String id() {
        return "leak.growth";
    }

    @Override
    public Verdict judge(Situation s) {
        LiveTrend live = LiveTrend.of(s);
        GrowingSites growing = GrowingSites.of(s);
        if (live.isRising()) {
            return byCollections(s, live, growing);
        }
        if (live.isFull()) {
            String text =
                    """
                    The live set nearly fills the heap, so it cannot grow further, leak or not. \
                    """;
            return Verdict.hidden(this, text + live.text());
        }
        return live.collections() < SEVERAL && growing.tellGrowth(s)
                ? bySamples(s, live, growing)
                : Verdict.quiet(this, live.text());
    }

    private Verdict byCollections(Situation s, LiveTrend live, GrowingSites growing) {
        NamedSites named = named(s, growing);
        double rise = live.trend().rise();
        double last = live.trend().last();
        double full = last / Math.max(s.settings().maxHeap(), 1);
        double soft = softlyReachable(s);
        String title =
                Text.of(
                        "The live set grows: by {} in {}",
                        Text.bytes(rise),
                        Text.span(live.trend().span()));
        FindingBuilder finding =
                new FindingBuilder(this, s, severity(s, live, named.sites(), soft), title);
        finding.window(live.from(), live.to());
        finding.evidence("live.rise", rise, "bytes", live.text());
        finding.evidence(
                "live.share",
                full,
                "share",
                Text.of(
                        "{} are live, {} of the heap{}.",
                        Text.bytes(last),
                        Text.share(full),
                        whenFull(live, s.settings().maxHeap())));
        tellSites(s, named.sites(), finding);
        double perSecond = riseWhileCompared(s, growing);
        return finish(s, named, growing, perSecond, soft, finding);
    }

    private static Severity severity(
            Situation s, LiveTrend live, List<SiteEvidence> sites, double soft) {
        long heap = s.settings().maxHeap();
        boolean isSeen = live.collections() >= SEVERAL;
        if (soft >= MOSTLY_SOFT * live.trend().rise()) {
            return Severity.INFO; // It was given back when the heap was full, and will be again.
        }
        if (live.isFull()) {
            return isSeen ? Severity.CRITICAL : Severity.WARNING;
        }
        long started = StartUp.endMillis(s.timeline().ticks(), START_UP_MILLIS);
        if (live.to() < started || !live.goesOnNow()) {
            return Severity.INFO; // What was loaded at the start, or into a cache, is no growth.
        }
        boolean isMuch = live.trend().last() >= HALF_FULL * heap;
        boolean isSure =
                tellsGrowth(s, sites) && live.trend().rise() >= LiveTrend.LEAST_OF_HEAP * heap;
        double span = live.trend().span();
        // old.frequent would warn about it as well: the question is only what to call it.
        boolean harms = OldFigures.of(s).pauseShare() > 1 - s.slo().throughputMin();
        boolean isLong = span >= LONG_MILLIS && (isMuch || isSure);
        boolean isTight = span >= SHORT_MILLIS && isMuch && harms;
        return isSeen && (isLong || isTight) ? Severity.WARNING : Severity.INFO;
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
                : Text.of("; it is full in about {} at this rate", Text.span(left));
    }

    /** Promoted garbage looks alive: what this rests on is said. */
    private Verdict bySamples(Situation s, LiveTrend live, GrowingSites growing) {
        double span = (double) growing.to() - growing.from();
        double left = growing.millisUntilFull(s);
        long started = StartUp.endMillis(s.timeline().ticks(), START_UP_MILLIS);
        boolean isSure =
                live.collections() == 0
                        && growing.to() - Math.max(growing.from(), started) >= LONG_MILLIS
                        && growing.rise() >= LiveTrend.LEAST_OF_HEAP * s.settings().maxHeap()
                        && left < HOUR_MILLIS;
        String rise = Text.bytes(growing.rise());
        FindingBuilder finding =
                new FindingBuilder(
                        this,
                        s,
                        isSure ? Severity.WARNING : Severity.INFO,
                        Text.of("Live bytes grow, by samples: {} in {}", rise, Text.span(span)));
        finding.window(growing.from(), growing.to());
        String basis =
                live.collections() == 0
                        ? "No collection has looked for garbage in the old generation yet"
                        : "Too few collections have looked for garbage in the old generation";
        finding.evidence(
                "live.rise",
                growing.rise(),
                "bytes",
                Text.of(
                        """
                        {}; this rests on samples: the lines named added {} in {}. Of what they \
                        allocate, {} stays.\
                        """,
                        basis,
                        rise,
                        Text.span(span),
                        Text.share(growing.stays())));
        finding.evidence(
                "old.full",
                left / 1000,
                "s",
                Text.of("At this rate the heap is full in about {}.", Text.span(left)));
        tellSites(s, growing.lines(), finding);
        String explained = "The sites named explain {} of what the old generation grows by.";
        NamedSites named =
                NamedSites.explaining(
                        growing.lines(),
                        growing.ofOld().value(),
                        Text.of(explained, growing.ofOld().text()));
        double perSecond = growing.perSecond() / Math.max(growing.ofOld().ratio(), 1e-9);
        return finish(s, named, growing, perSecond, softlyReachable(s), finding);
    }

    private static Verdict finish(
            Situation s,
            NamedSites named,
            GrowingSites growing,
            double perSecond,
            double soft,
            FindingBuilder finding) {
        List<SiteEvidence> sites = named.sites();
        String place = sites.isEmpty() ? "" : Places.name(sites.get(0).stack());
        String advice =
                place.isEmpty()
                        ? """
                        Find the holders of the objects that stay: compare two heap dumps, or let \
                        the sampler run with a smaller interval.\
                        """
                        : Text.of(
                                """
                                Find the holders of the objects that {} allocates, and remove \
                                entries that are no longer needed.\
                                """,
                                place);
        return finding.sites(named)
                .evidence(growing.mostOfOneClass(s.sites(), perSecond))
                .evidence(tellSoft(s, soft))
                .advice(Advice.Kind.CODE, advice)
                .refutedBy(
                        """
                        The live set stops growing, as that of a cache does when it is full, or of \
                        an application that has warmed up.\
                        """)
                .refutedBy("The objects named here all come from the time after the start.")
                .fired();
    }

    /** In bytes; differences that full pauses leave as dead wood do not count. */
    private static double softlyReachable(Situation s) {
        long soft = OldCollection.softlyReachable(OldCollection.of(s.timeline()));
        return soft >= LiveTrend.LEAST_OF_HEAP * s.settings().maxHeap() ? soft : 0;
    }

    /** What is softly reachable counts as live until the heap is full: it is no leak. */
    private static List<Evidence> tellSoft(Situation s, double soft) {
        List<Evidence> told = new ArrayList<>();
        if (soft > 0) {
            String text =
                    """
                    {} were only softly reachable when the heap was full before: the JVM gave them \
                    back. Such memory is no leak.\
                    """;
            told.add(new Evidence("soft", soft, "bytes", Text.of(text, Text.bytes(soft))));
        }
        for (SiteMetrics site : s.sites().sites()) {
            boolean isSoft =
                    site.className().endsWith("SoftReference") && site.live().samples() > 0;
            if (isSoft && Places.own(site.stack()) != null) {
                String text =
                        """
                        {} makes soft references that are alive. What only they hold counts as live \
                        until the heap is nearly full, and is no leak.\
                        """;
                String place = Places.name(site.stack());
                told.add(
                        new Evidence(
                                "soft.references",
                                site.live().samples(),
                                "samples",
                                Text.of(text, place)));
                break;
            }
        }
        return told;
    }

    private static void tellSites(Situation s, List<SiteEvidence> sites, FindingBuilder finding) {
        String text =
                s.sites().isEmpty()
                        ? "The sampler does not run, so no site can be named."
                        : "There are too few samples to name a site.";
        if (!sites.isEmpty()) {
            text =
                    isOfHolders(sites)
                            ? """
                            The sites named hold most of the live bytes; the samples are too few \
                            to say which of them grow.\
                            """
                            : Text.of(
                                    """
                                    The sites named hold objects that were born between {} or more \
                                    different collections; what was filled once comes from one.\
                                    """,
                                    GrowingSites.LEAST_EPOCHS);
        }
        finding.evidence("sites", sites.size(), "count", text);
    }

    /**
     * The lines that grow for sure; before that is known, those with objects of many ages; and
     * where few objects are tracked, as with generational ZGC, those that hold most.
     */
    private static NamedSites named(Situation s, GrowingSites growing) {
        if (!growing.lines().isEmpty()) {
            return ofGrowth(growing.lines(), riseWhileCompared(s, growing));
        }
        List<SiteEvidence> old = GrowingSites.ofManyAges(s.sites());
        return old.isEmpty() ? Makers.holders(s) : Makers.ofLive(s, old);
    }

    /** Bytes per second, over the snapshots that show how fast sites grow. */
    private static double riseWhileCompared(Situation s, GrowingSites growing) {
        return growing.lines().isEmpty()
                ? Double.NaN
                : LiveTrend.within(s, growing.from(), growing.to()).perSecond();
    }

    private static NamedSites ofGrowth(List<SiteEvidence> sites, double perSecond) {
        if (Double.isNaN(perSecond)) {
            return NamedSites.explaining(
                    sites,
                    Double.NaN,
                    """
                    How much of the growth the sites named explain is not known: too few \
                    collections of the old generation lie between the snapshots that show their \
                    growth.\
                    """);
        }
        NamedSites.Share share = NamedSites.Share.of(sites, Math.max(perSecond, 1));
        String growth = "the growth of " + Text.bytes(perSecond) + "/s";
        String more =
                """
                The sites named grow faster than the heap: they explain more than {}. Other sites \
                may shrink.\
                """;
        String rest =
                share.value() == 1
                        ? ""
                        : " The rest grows at other sites, or was live before the sampler began.";
        String text =
                share.isMoreThanAll()
                        ? Text.of(more, growth)
                        : Text.of(
                                "The sites named explain {} of {}.{}", share.text(), growth, rest);
        return NamedSites.explaining(sites, share.value(), text);
    }
}
