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
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Objects are moved to the old generation and die soon after: the young one is too small for how
 * long they live.
 */
public final class PrematurePromotion implements Rule {

    /** In a well-configured service a smaller share of allocated bytes is promoted. */
    private static final double LEAST_PROMOTED = 0.05;

    /**
     * The share of promoted bytes, or of the old generation, that its next collection finds dead.
     */
    private static final double MOSTLY_DEAD = 0.5;

    /** If samples show it, the old generation need not be half empty afterwards. */
    private static final double SOME_FREED = 0.25;

    private static final int ENOUGH_SAMPLES = 10;
    private static final int EVENTS = 3;
    private static final int SITES = 3;

    @Override
    public String id() {
        return "promotion.premature";
    }

    @Override
    public Verdict judge(Situation s) {
        if (!s.hasGenerations()) {
            return Verdict.hidden(
                    this, s.collectorText() + " has no generations, so nothing is promoted.");
        }
        Promotions promoted = Promotions.of(s);
        if (promoted.share() < LEAST_PROMOTED) {
            return Verdict.quiet(
                    this,
                    Text.bytes(promoted.bytes())
                            + " were promoted, "
                            + Text.share(promoted.share())
                            + " of the allocated bytes; it takes "
                            + Text.share(LEAST_PROMOTED)
                            + ".");
        }
        OldFigures olds = OldFigures.of(s);
        if (olds.count() < EVENTS) {
            return Verdict.quiet(
                    this,
                    "The old generation was collected "
                            + Text.count(olds.count(), "time", "times")
                            + "; to judge the promoted objects takes "
                            + EVENTS
                            + ".");
        }
        return judge(
                s,
                promoted,
                olds,
                tellsPromotion(s) ? PromotedSites.of(s.sites()) : PromotedSites.NONE);
    }

    private Verdict judge(Situation s, Promotions promoted, OldFigures olds, PromotedSites sites) {
        boolean isSampled = sites.samples() >= ENOUGH_SAMPLES;
        double dead = isSampled ? sites.deadShare() : olds.freedShare();
        if (dead < MOSTLY_DEAD || olds.freedShare() < SOME_FREED) {
            return Verdict.quiet(
                    this,
                    Text.share(dead)
                            + " of the promoted bytes, by "
                            + (isSampled ? "samples" : "freed bytes")
                            + ", were dead at the next collection of the old generation, which"
                            + " freed "
                            + Text.share(olds.freedShare())
                            + " of it: the promotion is needed.");
        }
        return finding(s, promoted, olds, sites, isSampled);
    }

    private static boolean tellsPromotion(Situation s) {
        return SiteBook.tellsPromotion(s.settings().collector());
    }

    /** Why no site is named if samples do not show promotion. */
    private static String whyNoSite(Situation s) {
        boolean isZ = s.settings().collector() == GarbageCollector.Z_GENERATIONAL;
        return "Under "
                + s.collectorText()
                + (isZ
                        ? " young collections keep all sampled objects, dead or alive, so samples"
                                + " do not show which were promoted"
                        : " samples do not show which promoted objects died")
                + ", so no site is named.";
    }

    private Verdict finding(
            Situation s,
            Promotions promoted,
            OldFigures olds,
            PromotedSites sites,
            boolean isSampled) {
        boolean harms =
                olds.worstMinute().count() >= EVENTS
                        && s.worstPauseShare(s.recent()) > 1 - s.slo().throughputMin();
        FindingBuilder finding =
                new FindingBuilder(
                        this,
                        s,
                        harms ? Severity.WARNING : Severity.INFO,
                        "Objects are promoted and die soon after: "
                                + Text.bytes(promoted.bytes())
                                + " in "
                                + Text.span(s.millis()));
        promoted.tell(finding);
        olds.tell(finding);
        if (tellsPromotion(s)) {
            sites.tell(finding, isSampled);
        } else {
            finding.evidence("promoted.samples", 0, "count", whyNoSite(s));
        }
        tellSizes(s, promoted, olds, sites, finding);
        advise(promoted, sites, olds, s, finding);
        return finding.window(promoted.from(), s.to())
                .sites(sites.named(SITES))
                .refutedBy(
                        "Promoted objects stay: the old generation is as full after its collection"
                                + " as before.")
                .refutedBy(
                        "With a young generation of twice the size as much is promoted per minute.")
                .fired();
    }

    private static void tellSizes(
            Situation s,
            Promotions promoted,
            OldFigures olds,
            PromotedSites sites,
            FindingBuilder finding) {
        // Cycles of G1 leave all objects allocated since they began, which then look live.
        double life = s.isG1() || s.isConcurrent() ? 0 : sites.lifeBytes();
        if (life > 0 && promoted.youngBytes() > 0) {
            finding.evidence(
                    "lifetime",
                    life,
                    "bytes",
                    "The objects live while about "
                            + Text.bytes(life)
                            + " are allocated; the young generation holds "
                            + Text.bytes(promoted.youngBytes())
                            + " and needs "
                            + Text.bytes(Sizing.leastYoung(life))
                            + " or more.");
        }
        long heap = s.settings().maxHeap();
        if (heap > 0 && olds.live() > 0 && Sizing.young(heap, olds.live()) > 0) {
            finding.evidence(
                    "young.size",
                    Sizing.young(heap, olds.live()),
                    "bytes",
                    Text.bytes(olds.live())
                            + " are live. Of a heap of "
                            + Text.bytes(heap)
                            + " the old generation needs about "
                            + Text.bytes(Sizing.old(olds.live()))
                            + ", which leaves "
                            + Text.bytes(Sizing.young(heap, olds.live()))
                            + " for the young one.");
        }
    }

    private static void advise(
            Promotions promoted,
            PromotedSites sites,
            OldFigures olds,
            Situation s,
            FindingBuilder finding) {
        String place = sites.culprit();
        if (isTenuredAtOnce(s)) {
            finding.advice(
                    Advice.Kind.FLAG,
                    "Let objects grow older first: MaxTenuringThreshold is 0, so the first"
                            + " collection that finds an object alive promotes it. Start the JVM"
                            + " without the flag that says so (MaxTenuringThreshold, AlwaysTenure"
                            + " or ZTenuringThreshold) and look at this finding again.");
        } else if (place != null) {
            finding.advice(
                    Advice.Kind.CODE,
                    "Let what "
                            + place
                            + " allocates die sooner: hold fewer of these objects at a time, or"
                            + " for less long. If they must live that long, enlarge the young"
                            + " generation.");
        } else {
            adviseSize(promoted, olds, s, finding);
        }
    }

    private static boolean isTenuredAtOnce(Situation s) {
        return "0".equals(s.settings().flags().get("MaxTenuringThreshold"));
    }

    private static void adviseSize(
            Promotions promoted, OldFigures olds, Situation s, FindingBuilder finding) {
        long room = Sizing.young(s.settings().maxHeap(), olds.live());
        if (s.settings().collector() == GarbageCollector.Z_GENERATIONAL) {
            finding.advice(
                    Advice.Kind.SIZE,
                    "Enlarge the heap (-Xmx): ZGC collects its young generation when little of the"
                            + " heap is free, and ignores -Xmn.");
        } else if (room > promoted.youngBytes()) {
            finding.advice(
                    Advice.Kind.SIZE,
                    "Give the young generation "
                            + Text.bytes(room)
                            + " of the heap (-Xmn) and look at this finding again.");
        } else {
            finding.advice(
                    Advice.Kind.SIZE,
                    "Enlarge the heap: with "
                            + Text.bytes(olds.live())
                            + " live there is no room for a larger young generation.");
        }
    }

    /** The promoted objects, as samples show them. */
    private record PromotedSites(
            List<SiteMetrics> sites,
            double reached,
            double dead,
            long samples,
            double perOld,
            SiteBook.Promoted promoted) {

        static final PromotedSites NONE =
                new PromotedSites(List.of(), 0, 0, 0, 0, new SiteBook.Promoted(0, 0));

        static PromotedSites of(SiteBook history) {
            List<SiteMetrics> sites =
                    history.sites().stream()
                            .filter(site -> site.reachedOld().value() > 0)
                            .sorted(
                                    Comparator.comparingDouble(
                                                    (SiteMetrics m) -> m.promotedDead().value())
                                            .reversed())
                            .toList();
            double reached = 0;
            double dead = 0;
            long samples = 0;
            for (SiteMetrics site : sites) {
                reached += site.reachedOld().value();
                dead += site.promotedDead().value();
                samples += site.reachedOld().samples();
            }
            return new PromotedSites(
                    sites, reached, dead, samples, history.oldCollections(), history.promoted());
        }

        double deadShare() {
            return reached == 0 ? 0 : dead / reached;
        }

        /** Those of which most dies. */
        private List<SiteMetrics> premature() {
            return sites.stream().filter(m -> m.prematureShare() >= MOSTLY_DEAD).toList();
        }

        NamedSites named(int limit) {
            List<SiteEvidence> named =
                    premature().stream()
                            .filter(m -> m.promotedDead().samples() > 1)
                            .limit(limit)
                            .map(
                                    m ->
                                            SiteFigures.evidence(
                                                    m,
                                                    "promoted, then dead",
                                                    m.promotedDead(),
                                                    "bytes"))
                            .toList();
            return PromotedShare.of(named, reached, promoted).explaining(named);
        }

        /**
         * Returns the site with more than half of the promoted and dead bytes, if it is certain.
         */
        @Nullable String culprit() {
            List<SiteMetrics> all = premature();
            if (all.isEmpty() || all.get(0).promotedDead().hasTooFewSamples()) {
                return null;
            }
            SiteMetrics first = all.get(0);
            return first.promotedDead().low() > MOSTLY_DEAD * dead && !first.stack().isEmpty()
                    ? Places.name(first.stack())
                    : null;
        }

        /**
         * Returns the bytes allocated during the lifetime of one of these objects: their live bytes
         * at a time, divided by their share of allocation.
         */
        double lifeBytes() {
            double alive = 0;
            double churn = 0;
            for (SiteMetrics site : premature()) {
                alive += site.reachedOld().value() - site.promotedDead().value();
                churn += site.churn().value();
            }
            return churn > 0 && perOld > 0 ? alive / perOld / churn : 0;
        }

        void tell(FindingBuilder finding, boolean isSampled) {
            if (isSampled) {
                finding.evidence(
                        "promoted.dead",
                        deadShare(),
                        "share",
                        Text.share(deadShare())
                                + " of the bytes that survived a young collection were dead at the"
                                + " next one of the old generation, by "
                                + samples
                                + " samples.");
            } else {
                finding.evidence(
                        "promoted.samples",
                        samples,
                        "count",
                        "Only "
                                + Text.count(samples, "sample was", "samples were")
                                + " promoted, too few to name a site; a smaller interval gives"
                                + " more.");
            }
        }
    }
}
