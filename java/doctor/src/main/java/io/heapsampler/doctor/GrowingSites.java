// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.Estimate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The sites whose confirmed live bytes grow, by samples. By loops and without lambdas, since there
 * may be no metaspace left to link one.
 *
 * @param sites that grow for sure, with objects born between four or more collections
 * @param lines the same, added up by the line of the application; most first, at most three
 * @param from of the first snapshot that was compared, milliseconds since 1970
 * @param to of the last one
 * @param oldPerSecond what the old generation grows by, in bytes, with garbage as long as no
 *     collection has looked for it; 1 at least
 * @param stays the share of the bytes allocated there that stays; not a number if it is not known
 */
record GrowingSites(
        List<SiteEvidence> sites,
        List<SiteEvidence> lines,
        long from,
        long to,
        double oldPerSecond,
        double stays) {

    private static final double MOST = 0.5;

    static GrowingSites of(Situation s) {
        List<SiteEvidence> sites = s.sites().growth.growing();
        Set<String> names = new HashSet<>();
        for (SiteEvidence site : sites) {
            names.add(site.className() + " " + Places.name(site.stack()));
        }
        SiteBook.Span span = s.sites().growthSpan();
        long from = span.from();
        long to = span.to();
        double churn = 0;
        for (SiteMetrics site : s.sites().sites()) {
            boolean isOne = names.contains(site.className() + " " + Places.name(site.stack()));
            churn += isOne ? site.churn().value() : 0;
        }
        double allocated = churn * s.allocatedBetween(from, to) / Math.max(to - from, 1) * 1000;
        double stays = allocated > 0 ? Math.min(perSecond(sites) / allocated, 1) : Double.NaN;
        List<SiteEvidence> lines = NamedSites.first(Places.addedUp(sites));
        return new GrowingSites(sites, lines, from, to, oldPerSecond(s, from, to), stays);
    }

    private static double perSecond(List<SiteEvidence> sites) {
        double sum = 0;
        for (SiteEvidence site : sites) {
            sum += site.estimate().value();
        }
        return sum;
    }

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
            return 1;
        }
        double millis = Math.max(last.atMillis() - first.atMillis(), 1);
        return Math.max((last.oldUsed() - first.oldUsed()) / millis * 1000, 1);
    }

    /**
     * Whether they are evidence of growth where no collection shows the live set: promoted garbage
     * looks alive, so most of what the lines allocate must stay, and they must be most of what the
     * old generation grows by.
     */
    boolean tellGrowth(Situation s) {
        return !lines.isEmpty()
                && s.settings().hasGenerations()
                && SiteBook.tellsPromotion(s.settings().collector())
                && NamedSites.Share.of(lines, oldPerSecond).isMost()
                && stays > MOST;
    }

    /** Bytes that the lines have added. */
    double rise() {
        return perSecond(lines) * (to - from) / 1000;
    }

    /** Milliseconds until the heap is full at this rate. */
    double millisUntilFull(Situation s) {
        List<Tick> ticks = s.timeline().ticks();
        double used = ticks.isEmpty() ? 0 : (double) ticks.get(ticks.size() - 1).oldUsed();
        return Math.max(s.maxOld() - used, 0) / Math.max(perSecond(lines), 1) * 1000;
    }

    /** The lines, with their share of a growth in bytes per second; not a number: not known. */
    NamedSites named(double perSecond) {
        if (!(perSecond > 0)) {
            return NamedSites.explaining(lines, Double.NaN, TableRule.note("growth.unknown"));
        }
        NamedSites.Share share = NamedSites.Share.of(lines, Math.max(perSecond, 1));
        String key = share.value() < 1 ? "growth.share" : "growth.all";
        key = share.isMoreThanAll() ? "growth.more" : key;
        String text = TableRule.note(key, share.text(), Text.bytes(perSecond));
        return NamedSites.explaining(lines, share.value(), text);
    }

    /**
     * The class that explains most where no single line does, and the value of a label that does:
     * of the growth if sites grow for sure, else of the live bytes. The growth is in bytes per
     * second, and not a number if it is not known.
     */
    void tellMost(SiteBook book, double growth, Facts f) {
        boolean isGrowth = !lines.isEmpty();
        if (isGrowth && Double.isNaN(growth)) {
            return;
        }
        List<SiteEvidence> parts = isGrowth ? sites : new ArrayList<>();
        for (SiteMetrics site : isGrowth ? List.<SiteMetrics>of() : book.sites()) {
            parts.add(site.evidence("live", site.live(), "bytes"));
        }
        Estimate live = book.totals().live();
        Estimate whole = isGrowth ? Estimate.of(Math.max(growth, 1), 0, 0, 0) : live;
        String of = isGrowth ? "the growth" : "the live bytes";
        List<SiteEvidence> line = Places.addedUp(parts);
        if (!line.isEmpty() && NamedSites.Share.of(line.subList(0, 1), whole).value() <= MOST) {
            tellMost("class.explained", parts, whole, of, f);
        }
        LabelShare label = book.growth.label(isGrowth);
        if (!label.label().isEmpty()) {
            String shown = isGrowth ? "the growth that samples show" : of;
            NamedSites.Share share = label.share();
            String text = TableRule.note(LabelShare.EVIDENCE, label.label(), share.text(), shown);
            f.put(LabelShare.EVIDENCE, share.value(), "share", text);
        }
    }

    /** Adds up parts by their names, and says which is surely most. */
    private static void tellMost(
            String fact, List<SiteEvidence> parts, Estimate whole, String of, Facts f) {
        Map<String, SiteEvidence> sums = new HashMap<>();
        SiteEvidence largest = null;
        for (SiteEvidence part : parts) {
            SiteEvidence sum = sums.merge(part.className(), part, Places::sum);
            largest = largest == null || isMore(sum, largest) ? sum : largest;
        }
        if (largest != null) {
            NamedSites.Share share = NamedSites.Share.of(List.of(largest), whole);
            if (share.isMost()) {
                String text = TableRule.note(fact, largest.className(), share.text(), of);
                f.put(fact, share.value(), "share", text);
            }
        }
    }

    private static boolean isMore(SiteEvidence one, SiteEvidence other) {
        return one.estimate().value() > other.estimate().value();
    }
}
