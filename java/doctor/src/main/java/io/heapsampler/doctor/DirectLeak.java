// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.util.List;

/**
 * Direct memory grows towards its limit, or stays there after a collection. The thresholds are
 * derived in doc/thresholds.md.
 */
final class DirectLeak {

    private static final int LEAST_TICKS = 3;
    private static final double NEARLY_FULL = 0.9;
    private static final double HALF_FULL = 0.5;
    private static final long VAIN_MILLIS = 60_000;
    private static final int RISING_TICKS = 5;
    private static final long LEAST_MILLIS = 5_000;
    private static final long LONG_MILLIS = 120_000;
    private static final double RISING = 0.9;
    private static final double FALL = 0.9;

    /** Shares of what a straight line adds in the later half, and in the last two ticks. */
    private static final double GOES_ON = 0.4;

    private static final double STRAIGHT = 0.8;

    /** Rises, as shares of the limit, and times until it is reached: of concern, and urgent. */
    private static final double MUCH = 0.125;

    private static final double VERY_MUCH = 0.2;
    private static final double SOON_MILLIS = 600_000;
    private static final double URGENT_MILLIS = 60_000;

    private final Situation s;
    private final List<Tick> ticks;
    private final double limit;

    /** The used bytes since they last fell. */
    private final Trend trend;

    private final long from;
    private final double began;
    private final double millis;
    private final boolean isFreed;
    private final boolean isForbidden;

    /** Since they last fell, or of the last half of that time, and so on, where they rise now. */
    private static DirectLeak of(Situation s) {
        List<Tick> ticks = s.timeline().ticks();
        double limit = (double) s.settings().maxDirect();
        int first = 0;
        long most = 0;
        boolean hasFallen = false;
        for (int i = 0; i < ticks.size(); i++) {
            long used = ticks.get(i).directUsed();
            if (used < FALL * most) {
                first = i;
                hasFallen |= most >= MUCH * limit;
                most = 0;
            }
            most = Math.max(most, used);
        }
        DirectLeak whole = new DirectLeak(s, first, hasFallen);
        DirectLeak later = whole;
        while (!later.isSteady() && later.millis >= 2 * LEAST_MILLIS) {
            double middle = later.from + later.millis / 2;
            while (ticks.get(first).atMillis() < middle) {
                first++;
            }
            later = new DirectLeak(s, first, hasFallen);
        }
        return later.isSteady() ? later : whole;
    }

    private DirectLeak(Situation s, int first, boolean isFreed) {
        this.s = s;
        this.ticks = s.timeline().ticks();
        this.limit = (double) s.settings().maxDirect();
        List<Tick> rising = ticks.subList(first, ticks.size());
        this.isFreed = isFreed;
        this.isForbidden = s.settings().isOn("DisableExplicitGC");
        this.trend = Trend.over(rising, Tick::directUsed);
        this.from = rising.get(0).atMillis();
        this.began = (double) rising.get(0).directUsed();
        this.millis = (double) rising.get(rising.size() - 1).atMillis() - from;
    }

    static void find(Situation s, Facts f) {
        List<Tick> ticks = s.timeline().ticks();
        long limit = s.settings().maxDirect();
        int count = ticks.size();
        boolean isFew = count < LEAST_TICKS || limit <= 0 || ticks.get(count - 1).directUsed() < 0;
        f.is("few", isFew).bytes("limit", limit);
        if (!isFew) {
            of(s).tell(ticks.get(count - 1), f);
        }
    }

    private void tell(Tick last, Facts f) {
        boolean isStuck = isStuck();
        long since = collections(false);
        boolean isWarning =
                since >= CollectorRules.EVENTS
                        || isUrgent()
                        || (last.directUsed() >= HALF_FULL * limit && millis >= LONG_MILLIS);
        f.bytes("direct.used", last.directUsed());
        if (!f.fires(isStuck || isSteady(), isWarning)) {
            return;
        }
        f.count("buffers", last.directCount()).is("stuck", isStuck).is("urgent", isUrgent());
        f.bytes("rise", trend.rise()).span("span", millis).span("left", millisLeft());
        f.count("since", since);
        f.is("forbidden", isStuck && isForbidden).is("kept", since >= CollectorRules.EVENTS);
        f.is("old", since >= CollectorRules.EVENTS && collections(true) > 0);
        f.severity = isStuck ? Severity.CRITICAL : f.severity;
        f.window(isStuck ? firstAtLimit() : from, last.atMillis());
        f.sites(NamedSites.owners(s, "the direct memory"));
    }

    /** Does it rise all the time, by much, and towards a limit that is near? */
    private boolean isSteady() {
        return trend.count() >= RISING_TICKS
                && millis >= LEAST_MILLIS
                && trend.correlation() >= RISING
                && trend.rise() >= MUCH * limit
                && 2 * trend.recent().rise() >= GOES_ON * trend.rise()
                && millisLeft() <= SOON_MILLIS;
    }

    /** Does it reach the limit soon, whether the buffers are kept or are garbage? */
    private boolean isUrgent() {
        Tick last = ticks.get(ticks.size() - 1);
        Tick before = ticks.get(ticks.size() - LEAST_TICKS);
        double straight = (trend.last() - began) * (last.atMillis() - before.atMillis()) / millis;
        return !isFreed
                && trend.rise() >= VERY_MUCH * limit
                && last.directUsed() - before.directUsed() >= STRAIGHT * straight
                && millisLeft() <= URGENT_MILLIS;
    }

    private double millisLeft() {
        return Math.max(limit - trend.last(), 0) * millis / Math.max(trend.rise(), 1);
    }

    /** How many collections have taken place since the rise began, of all or of the old ones. */
    private long collections(boolean isOld) {
        return s.timeline().collections().stream()
                .filter(c -> isOld ? c.kind().isOld() : c.kind() != CollectionKind.PHASE_PAUSE)
                .filter(c -> c.atMillis() > from)
                .count();
    }

    private boolean isAtLimit(Tick tick) {
        return tick.directUsed() >= NEARLY_FULL * limit;
    }

    /** At the limit in spite of a collection that was to help, or where none may help. */
    private boolean isStuck() {
        return ticks.subList(ticks.size() - LEAST_TICKS, ticks.size()).stream()
                        .allMatch(this::isAtLimit)
                && (isForbidden
                        || s.timeline().collections().stream()
                                .filter(c -> Causes.isExplicit(c.cause()))
                                .filter(c -> c.atMillis() >= firstAtLimit() - VAIN_MILLIS)
                                .anyMatch(this::wasInVain));
    }

    /** Were the buffers there at the first tick after it? */
    private boolean wasInVain(GcEvent collection) {
        return ticks.stream()
                .filter(tick -> tick.atMillis() >= collection.endMillis())
                .findFirst()
                .filter(this::isAtLimit)
                .isPresent();
    }

    /** Since when they are there without a break. */
    private long firstAtLimit() {
        int first = ticks.size() - 1;
        while (first > 0 && isAtLimit(ticks.get(first - 1))) {
            first--;
        }
        return ticks.get(first).atMillis();
    }
}
