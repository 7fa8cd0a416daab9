// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.GarbageCollector;
import java.util.List;

/** The live set grows and goes on growing. Derivations: {@code doc/thresholds.md}. */
final class LeakGrowth {

    private static final long SHORT_MILLIS = 5_000; // A cache may fill within a moment.
    private static final double MOSTLY_FULL = 0.75;
    private static final double URGENT_MILLIS = 60_000;
    private static final double HALF_FULL = 0.5; // Needs no site to be warned about.
    private static final double HOUR_MILLIS = 3_600_000;
    private static final int SEVERAL = 4; // Fewer times may have been odd moments.
    private static final double MOSTLY_SOFT = 0.5; // Of the growth: then it is a cache.
    private static final double SEARCH_MILLIS = 20_000; // A search for holders takes no longer.

    static void find(Situation s, Facts f) {
        LiveTrend live = LiveTrend.of(s);
        f.text("text", live.text()).is("full", live.isFull && !live.isRising);
        if (!live.isRising && (live.isFull || live.collections >= SEVERAL)) {
            return;
        }
        GrowingSites growing = GrowingSites.of(s); // Unpacks snapshots.
        if (live.isRising) {
            byCollections(s, live, growing, f);
        } else if (growing.tellGrowth(s)) {
            bySamples(s, live, growing, f);
        }
    }

    private static void byCollections(Situation s, LiveTrend live, GrowingSites growing, Facts f) {
        double perSecond = Double.NaN;
        NamedSites named = NamedSites.ofManyAges(s);
        if (!growing.lines().isEmpty()) {
            perSecond = LiveTrend.within(s, growing.from(), growing.to()).perSecond();
            named = growing.named(perSecond);
        } else if (named.sites().isEmpty()) {
            named = NamedSites.holders(s); // As with generational ZGC, which tracks few objects.
        }
        double heap = (double) s.settings().maxHeap();
        double rise = live.trend.rise();
        // Where no room is left, the JVM has cleared all soft references.
        boolean isOut = live.isFull && !live.hasRoom();
        double left = live.millisUntil(heap - live.last() + live.trend.last());
        Severity severity = severity(s, live, growing, named.sites());
        f.severity = isOut ? severity : unlessSoft(s, live, severity, named.sites(), rise, left, f);
        f.window(live.from, live.to).span("span", live.trend.span());
        f.bytes("live.rise", rise).bytes("live", live.last());
        if (heap > 0) {
            f.share("live.share", live.last() / heap);
            untilFull(live.isFull ? 0 : live.millisUntil(heap), f);
        }
        tell(s, named, growing, perSecond, f);
    }

    private static void untilFull(double millis, Facts f) {
        if (millis > 0 && !Double.isInfinite(millis)) {
            f.put("old.full", millis / 1000, "s", Text.span(millis));
        }
    }

    private static Severity severity(
            Situation s, LiveTrend live, GrowingSites growing, List<SiteEvidence> sites) {
        long heap = s.settings().maxHeap();
        double rise = live.trend.rise();
        double span = live.trend.span();
        boolean isSeen = live.timesKnown() >= SEVERAL || isSure(s, growing);
        if (softlyReachable(s) >= MOSTLY_SOFT * rise) {
            return Severity.INFO; // It was given back when the heap was full, and will be again.
        }
        boolean isLoaded = live.millisSince(s.startedMillis()) < SHORT_MILLIS; // At the start.
        if (live.isFull && !(isLoaded && live.hasRoom())) {
            return isSeen ? Severity.CRITICAL : Severity.WARNING;
        }
        boolean isStarting = live.isFull || live.to < s.startedMillis();
        if (!isSeen || isStarting || !live.goesOnNow() || live.isLate()) {
            return Severity.INFO; // What was loaded at the start, or into a cache, is no growth.
        }
        boolean isMuch = live.trend.last() >= HALF_FULL * heap;
        boolean isSure = tellsGrowth(s, sites) && rise >= LiveTrend.LEAST_OF_HEAP * heap;
        boolean isLong = span >= LiveTrend.LONG_MILLIS && (isMuch || isSure);
        // old.frequent would warn about it as well: the question is only what to call it.
        boolean harms = OldFigures.of(s).pauseShare() > s.pauseShareMax();
        boolean isTight = span >= SHORT_MILLIS && isMuch && harms;
        boolean isUrgent = !isLoaded && isUrgent(s, live);
        return isLong || isTight || isUrgent ? Severity.WARNING : Severity.INFO;
    }

    /**
     * A growth that soft references hold is no leak. A search for holders shows it, and begins when
     * a warning is due, which waits for it unless the heap is full before, or full pauses find no
     * room.
     */
    private static Severity unlessSoft(
            Situation s,
            LiveTrend live,
            Severity severity,
            List<SiteEvidence> named,
            double rise,
            double millisLeft,
            Facts f) {
        if (severity == Severity.INFO) {
            return severity;
        }
        Softly softly = s.sites().softly;
        double soft = softly.isOf(named) ? softly.bytes(s.sites().sites()) : 0;
        if (soft > 0) {
            f.share(HoldersLook.SOFT_SHARE, softly.share());
        }
        if (soft >= MOSTLY_SOFT * rise) {
            return Severity.INFO;
        }
        if (!s.sites().canSearchHolders || !softly.isOpenFor(named)) {
            return severity;
        }
        boolean isUrgent = millisLeft <= SEARCH_MILLIS || live.isAgainInVain();
        f.is(isUrgent ? "soft.unknown" : HoldersLook.SOFT_AWAITED, true);
        return isUrgent ? severity : Severity.INFO;
    }

    /** Most of the heap is live, and within a minute all of it is: no time is left to wait. */
    private static boolean isUrgent(Situation s, LiveTrend live) {
        return live.trend.last() >= MOSTLY_FULL * s.maxOld()
                && live.millisUntil(s.maxOld()) <= URGENT_MILLIS;
    }

    /** Sites that hold most are those of any application, unless few objects are tracked. */
    private static boolean tellsGrowth(Situation s, List<SiteEvidence> sites) {
        boolean isZ = s.settings().collector() == GarbageCollector.Z_GENERATIONAL;
        return !sites.isEmpty() && (!isOfHolders(sites) || isZ);
    }

    private static boolean isOfHolders(List<SiteEvidence> sites) {
        return !sites.isEmpty() && sites.get(0).metric().equals("live");
    }

    /** Whether samples alone are enough to warn: they lasted, and the heap is full in an hour. */
    private static boolean isSure(Situation s, GrowingSites growing) {
        return growing.tellGrowth(s)
                && growing.to() - Math.max(growing.from(), s.startedMillis())
                        >= LiveTrend.LONG_MILLIS
                && growing.rise() >= LiveTrend.LEAST_OF_HEAP * s.settings().maxHeap()
                && growing.millisUntilFull(s) < HOUR_MILLIS;
    }

    /** Promoted garbage looks alive: what this rests on is said. */
    private static void bySamples(Situation s, LiveTrend live, GrowingSites growing, Facts f) {
        double perSecond = growing.oldPerSecond();
        NamedSites named = growing.named(perSecond);
        double left = growing.millisUntilFull(s);
        boolean isHarm = live.collections == 0 && isSure(s, growing);
        Severity severity = isHarm ? Severity.WARNING : Severity.INFO;
        f.severity = unlessSoft(s, live, severity, named.sites(), growing.rise(), left, f);
        f.is("sampled", true).is("none", live.collections == 0);
        f.share("stays", growing.stays());
        f.window(growing.from(), growing.to()).bytes("live.rise", growing.rise());
        f.span("span", (double) growing.to() - growing.from());
        untilFull(left, f);
        tell(s, named, growing, perSecond, f);
    }

    private static void tell(
            Situation s, NamedSites named, GrowingSites growing, double perSecond, Facts f) {
        List<SiteEvidence> sites = named.sites();
        boolean isOff = s.sites().isEmpty();
        boolean isOfHolders = isOfHolders(sites);
        f.count("sites", sites.size()).sites(named);
        f.is("off", sites.isEmpty() && isOff).is("few", sites.isEmpty() && !isOff);
        f.is("holders", isOfHolders).is("ages", !sites.isEmpty() && !isOfHolders);
        f.text("place", sites.isEmpty() ? "" : Places.name(sites.get(0).stack()));
        growing.tellMost(s.sites(), perSecond, f);
        if (softlyReachable(s) > 0) {
            f.bytes("soft", softlyReachable(s));
        }
        // What is softly reachable counts as live until the heap is full: it is no leak.
        for (SiteMetrics site : s.sites().sites()) {
            long alive = site.live().samples();
            boolean isSoft = site.className().endsWith("SoftReference") && alive > 0;
            if (isSoft && Places.own(site.stack()) != null) {
                f.put("soft.references", (double) alive, "samples", "");
                f.text("maker", Places.name(site.stack()));
                return;
            }
        }
    }

    /** In bytes; differences that full pauses leave as dead wood do not count. */
    private static double softlyReachable(Situation s) {
        long soft = OldCollection.softlyReachable(OldCollection.of(s.timeline()));
        return soft >= LiveTrend.LEAST_OF_HEAP * s.settings().maxHeap() ? soft : 0;
    }
}
