// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.Estimate;
import io.heapsampler.doctor.SiteEvidence;
import io.heapsampler.doctor.internal.sites.Places;
import io.heapsampler.doctor.internal.sites.SiteBook;
import io.heapsampler.doctor.internal.sites.SiteFigures;
import io.heapsampler.doctor.internal.sites.SiteMetrics;
import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.doctor.internal.timeline.Tick;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The sites whose confirmed live bytes grow, by samples. By loops and without lambdas, since there
 * may be no metaspace left to link one.
 *
 * @param sites that grow for sure, with objects born between four or more collections
 * @param lines the same, added up by the line of the application; most first, at most three
 * @param perSecond what the lines add, in bytes
 * @param from of the first snapshot that was compared, milliseconds since 1970
 * @param to of the last one
 * @param ofOld the share of the growth of the old generation's used bytes that the lines explain
 * @param stays the share of the bytes allocated there that stays; not a number if it is not known
 */
record GrowingSites(
        List<SiteEvidence> sites,
        List<SiteEvidence> lines,
        double perSecond,
        long from,
        long to,
        NamedSites.Share ofOld,
        double stays) {

    static final int LEAST_EPOCHS = 4; // Objects of a leak come from many times.
    private static final int LINES = 3;
    private static final double MOST = 0.5;

    static GrowingSites of(Situation s) {
        List<SiteEvidence> sites = new ArrayList<>();
        Set<String> names = new HashSet<>();
        double all = 0;
        for (SiteBook.GrowingSite g : s.sites().mostGrowing()) {
            if (g.birthEpochs() >= LEAST_EPOCHS) {
                Estimate rate = g.bytesPerSecond();
                sites.add(new SiteEvidence(g.className(), g.stack(), "growth", rate, "bytes/s"));
                names.add(g.className() + " " + Places.name(g.stack()));
                all += rate.value();
            }
        }
        List<SiteEvidence> lines = first(Places.addedUp(sites));
        double named = 0;
        for (SiteEvidence line : lines) {
            named += line.estimate().value();
        }
        SiteBook.Span span = s.sites().growthSpan();
        long from = span == null ? 0 : span.from();
        long to = span == null ? 0 : span.to();
        double churn = 0;
        for (SiteMetrics site : s.sites().sites()) {
            boolean isOne = names.contains(site.className() + " " + Places.name(site.stack()));
            churn += isOne ? site.churn().value() : 0;
        }
        double allocated = churn * s.allocatedBetween(from, to) / Math.max(to - from, 1) * 1000;
        double stays = allocated > 0 ? Math.min(all / allocated, 1) : Double.NaN;
        double old = Math.max(oldPerSecond(s, from, to), 1);
        NamedSites.Share ofOld = NamedSites.Share.of(lines, old);
        return new GrowingSites(sites, lines, named, from, to, ofOld, stays);
    }

    private static List<SiteEvidence> first(List<SiteEvidence> places) {
        return places.subList(0, Math.min(LINES, places.size()));
    }

    /** By the used bytes: with garbage as long as no collection has looked for it. */
    private static double oldPerSecond(Situation s, long from, long to) {
        Tick first = null;
        Tick last = null;
        for (Tick tick : s.timeline().ticks()) {
            if (tick.atMillis() >= from && tick.atMillis() <= to && tick.oldUsed() >= 0) {
                first = first == null ? tick : first;
                last = tick;
            }
        }
        if (first == null || last == null) {
            return 0;
        }
        double millis = Math.max(last.atMillis() - first.atMillis(), 1);
        return (last.oldUsed() - first.oldUsed()) / millis * 1000;
    }

    /**
     * Whether they are evidence of growth where no collection shows the live set: promoted garbage
     * looks alive, so most of what the lines allocate must stay, and they must be most of what the
     * old generation grows by.
     */
    boolean tellGrowth(Situation s) {
        return !lines.isEmpty()
                && s.hasGenerations()
                && SiteBook.tellsPromotion(s.settings().collector())
                && ofOld.isMost()
                && stays > MOST;
    }

    double rise() {
        return perSecond * (to - from) / 1000;
    }

    /** Milliseconds until the heap is full at this rate. */
    double millisUntilFull(Situation s) {
        List<Tick> ticks = s.timeline().ticks();
        double used = ticks.isEmpty() ? 0 : (double) ticks.get(ticks.size() - 1).oldUsed();
        return Math.max(s.maxOld() - used, 0) / Math.max(perSecond, 1) * 1000;
    }

    /** Lines that hold objects of many ages, with enough samples to be sure of it. */
    static List<SiteEvidence> ofManyAges(SiteBook history) {
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

    /**
     * The class that explains most where no single line does: of the growth in bytes per second if
     * sites grow for sure, else of the live bytes. Not a number: it is not known.
     */
    void tellClass(SiteBook book, double growth, Facts f) {
        boolean isGrowth = !lines.isEmpty();
        List<SiteEvidence> parts = isGrowth ? sites : new ArrayList<>();
        for (SiteMetrics site : isGrowth ? List.<SiteMetrics>of() : book.sites()) {
            parts.add(SiteFigures.evidence(site, "live", site.live(), "bytes"));
        }
        List<SiteEvidence> line = Places.addedUp(parts);
        SiteEvidence largest = NamedSites.largestClass(parts);
        if (largest == null || line.isEmpty() || (isGrowth && Double.isNaN(growth))) {
            return;
        }
        Estimate live = book.totals().live();
        Estimate whole = isGrowth ? Estimate.of(Math.max(growth, 1), 0, 0, 0) : live;
        NamedSites.Share share = NamedSites.Share.of(List.of(largest), whole);
        if (NamedSites.Share.of(line.subList(0, 1), whole).value() > MOST || !share.isMost()) {
            return;
        }
        String text = "No single line explains most, but one class does: {} is {} of {}.";
        String what = isGrowth ? "the growth" : "the live bytes";
        text = Text.of(text, largest.className(), share.text(), what);
        f.put("class.explained", share.value(), "share", text);
    }
}
