// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.Estimate;
import io.heapsampler.GarbageCollector;
import io.heapsampler.internal.shared.Normal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Objects are moved to the old generation and die soon after: the young one is too small for how
 * long they live.
 */
final class PrematurePromotion {

    private static final double LEAST_PROMOTED = 0.05; // Of the allocated bytes.
    private static final double MOSTLY_DEAD = 0.5; // Of promoted bytes, or of the old generation.
    private static final double SOME_FREED = 0.25; // Enough if samples show the deaths.
    private static final int ENOUGH_SAMPLES = 10;

    /** The first collection also frees older objects, and so it does not count. */
    private static final int LEAST_OLDS = 2;

    /** Per bytes allocated in an object's life: then it dies before a second collection. */
    private static final double YOUNG_PER_LIFE = 2.5;

    /**
     * What young collections moved to the old generation in the last ten minutes, up to the last
     * tick: later allocation is not known.
     *
     * @param share of the allocated bytes; 1 if that is not known but bytes were promoted
     * @param count the number of collections that promoted anything
     * @param from the time of the first of them, milliseconds since 1970
     * @param youngBytes what the young generation held at most before a collection
     */
    record Promotions(double bytes, double share, int count, long from, double youngBytes) {

        static Promotions of(Situation s) {
            double bytes = 0;
            double young = 0;
            int count = 0;
            long from = s.to();
            // Threads that hold critical sections can keep the doctor from ticking.
            List<Tick> ticks = s.timeline().ticks();
            long last = ticks.isEmpty() ? 0 : ticks.get(ticks.size() - 1).atMillis();
            for (GcEvent c : s.recent(each -> each.atMillis() <= last)) {
                if (c.isYoung()) {
                    young = Math.max(young, (double) (c.heapBefore() - c.oldBefore()));
                }
                if (c.promoted() > 0) {
                    bytes += c.promoted();
                    count++;
                    from = Math.min(from, c.atMillis());
                }
            }
            double share =
                    bytes == 0 ? 0 : Math.min(bytes / s.allocatedBetween(s.from(), s.to()), 1);
            return new Promotions(bytes, share, count, from, young);
        }
    }

    static void find(Situation s, Facts f) {
        Promotions promoted = Promotions.of(s);
        boolean isLittle = promoted.share() < LEAST_PROMOTED;
        f.bytes("promoted", promoted.bytes()).share("share", promoted.share());
        f.is("none", !s.settings().hasGenerations()).is("little", isLittle);
        if (!s.settings().hasGenerations() || isLittle) {
            return;
        }
        OldFigures olds = OldFigures.of(s);
        olds.tell(f);
        f.is("few", olds.count() < LEAST_OLDS);
        if (olds.count() < LEAST_OLDS) {
            return;
        }
        double freed = OldFigures.freedShare(olds.olds().subList(1, olds.count()));
        Samples samples = new Samples(s);
        double dead = samples.decide() ? samples.deadShare.value() : freed;
        f.share("dead", dead).text("by", samples.decide() ? "samples" : "freed bytes");
        boolean isFound = dead >= MOSTLY_DEAD && freed >= SOME_FREED;
        OldCollection first = olds.olds().get(0);
        boolean isTwice = // One may be that of the start-up, or of a batch.
                olds.count() > LEAST_OLDS
                        || (first.at() >= s.startedMillis()
                                && OldFigures.freedShare(List.of(first)) >= SOME_FREED);
        double lost = dead * s.worstMinute(s.recent(), c -> ofPromotion(s, c)).sum();
        if (f.fires(isFound, isTwice && lost / s.minuteMillis() > s.pauseShareMax())) {
            f.window(promoted.from(), s.to()).span("span", s.millis());
            f.count("times", promoted.count());
            samples.tell(f);
            tellSizes(s, promoted, olds, samples, f);
        }
    }

    /** The time of a pause in which objects were promoted, or promoted ones were freed. */
    private static double ofPromotion(Situation s, GcEvent c) {
        boolean frees = Causes.isForSpace(c.cause()) && OldCollection.isPart(c, s.settings());
        double share = frees ? 1 : c.promoted() / Math.max(c.copied(), 1);
        return c.kind().isPause() ? share * s.fairMillis(c) : 0;
    }

    private static void tellSizes(
            Situation s, Promotions promoted, OldFigures olds, Samples samples, Facts f) {
        // Cycles of G1 leave all objects allocated since they began, which then look live.
        double life = s.isG1() || s.isConcurrent() ? 0 : samples.lifeBytes();
        double holds = promoted.youngBytes();
        if (life > 0 && holds > 0) {
            double needs = YOUNG_PER_LIFE * life;
            f.bytes("lifetime", life).bytes("holds", holds).bytes("needs", needs);
            f.is("too.small", needs > holds);
        }
        long heap = s.settings().maxHeap();
        long young = olds.young(heap);
        if (olds.live() > 0 && young > 0) {
            f.bytes("young.size", young).bytes("heap", heap).bytes("old.size", olds.old());
        }
        f.bytes("room", young > holds ? young : 0);
        f.is("z", s.settings().collector() == GarbageCollector.Z_GENERATIONAL);
        f.is("tenured", "0".equals(s.settings().flags().get("MaxTenuringThreshold")));
    }

    /**
     * Whether samples show if most die: there are enough, and their share is surely above or below
     * the half. The error of none or all of n is 3/n; with few dead ones it is that of a binomial.
     */
    static boolean isSure(NamedSites.Share dead, long samples) {
        double share = dead.value();
        double error = dead.error();
        if (share <= 0 || share >= 1) {
            error = 3.0 / samples;
        } else if (Double.isNaN(error)) {
            error = Normal.Z95 * Math.sqrt(share * (1 - share) / samples);
        }
        return samples >= ENOUGH_SAMPLES && Math.abs(share - MOSTLY_DEAD) >= error;
    }

    /** The promoted objects whose fate at the next collection of the old generation is known. */
    private static final class Samples {

        private final SiteBook book;
        private final boolean isSilent;

        /** Those of which most dies, most dead bytes first. */
        private final List<SiteMetrics> premature = new ArrayList<>();

        private Estimate reached = Estimate.of(0, 0, 0, 0);
        private final NamedSites.Share deadShare;

        Samples(Situation s) {
            book = s.sites();
            isSilent = !SiteBook.tellsPromotion(s.settings().collector());
            List<SiteEvidence> died = new ArrayList<>();
            for (SiteMetrics site : isSilent ? List.<SiteMetrics>of() : book.sites()) {
                if (site.reachedOld().value() > 0) {
                    reached = reached.plus(site.reachedOld());
                    died.add(evidence(site));
                    if (site.prematureShare() >= MOSTLY_DEAD) {
                        premature.add(site);
                    }
                }
            }
            premature.sort(Comparator.comparingDouble(m -> -m.promotedDead().value()));
            deadShare = NamedSites.Share.of(died, reached);
        }

        private static SiteEvidence evidence(SiteMetrics site) {
            return site.evidence("promoted, then dead", site.promotedDead(), "bytes");
        }

        boolean decide() {
            return isSure(deadShare, reached.samples());
        }

        void tell(Facts f) {
            f.is("silent", isSilent).count("samples", reached.samples()).sites(named());
            f.text("place", culprit());
            if (decide()) {
                f.share("promoted.dead", deadShare.value());
            } else {
                f.count("promoted.samples", reached.samples());
            }
        }

        /** With their share of all promoted bytes, by the pools, or by samples if that is more. */
        NamedSites named() {
            List<SiteEvidence> named = new ArrayList<>();
            for (SiteMetrics site : premature) {
                if (site.promotedDead().samples() > 1) {
                    named.add(evidence(site));
                }
            }
            named = NamedSites.first(named);
            double all = Math.max(book.totals().promoted(), reached.value());
            NamedSites.Share share = NamedSites.Share.of(named, all);
            String known = NamedSites.Share.of(named, reached).text();
            String text = TableRule.note("promotion.share", share.text(), known);
            return NamedSites.explaining(named, share.value(), text);
        }

        /** The site with surely more than half of the promoted and dead bytes; empty if none. */
        String culprit() {
            if (premature.isEmpty() || premature.get(0).promotedDead().hasTooFewSamples()) {
                return "";
            }
            SiteMetrics first = premature.get(0);
            double dead = deadShare.ratio() * reached.value();
            boolean isMost = first.promotedDead().low() > MOSTLY_DEAD * dead;
            return isMost ? Places.name(first.stack()) : "";
        }

        /** Their live bytes at a time, divided by their share of allocation. */
        double lifeBytes() {
            double alive = 0;
            double churn = 0;
            for (SiteMetrics site : premature) {
                alive += site.reachedOld().value() - site.promotedDead().value();
                churn += site.churn().value();
            }
            double olds = book.totals().oldCollections();
            return churn > 0 && olds > 0 ? alive / olds / churn : 0;
        }
    }
}
