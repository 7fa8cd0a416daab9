// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.Estimate;
import io.heapsampler.GarbageCollector;
import io.heapsampler.doctor.SiteEvidence;
import io.heapsampler.doctor.internal.sites.Places;
import io.heapsampler.doctor.internal.sites.SiteBook;
import io.heapsampler.doctor.internal.sites.SiteFigures;
import io.heapsampler.doctor.internal.sites.SiteMetrics;
import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.doctor.internal.timeline.GcEvent;
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
    private static final double SOME = 0.005; // Shares that differ by less are the same.
    private static final int ENOUGH_SAMPLES = 10;
    private static final int EVENTS = 3;
    private static final int SITES = 3;

    /** Per bytes allocated in an object's life: then it dies before a second collection. */
    private static final double YOUNG_PER_LIFE = 2.5;

    static final TableRule RULE =
            new TableRule(
                    """
                    promotion.premature
                    hidden?none {collector} has no generations, so nothing is promoted.
                    quiet?little {promoted} were promoted, {share} of the allocated bytes; it takes \
                    5 %.
                    quiet?few The old generation was collected {olds time|times}; to judge the \
                    promoted objects takes 3.
                    quiet {dead} of the promoted bytes, by {by}, were dead at the next collection \
                    of the old generation, which freed {freed} of it: the promotion is needed.
                    title Objects are promoted and die soon after: {promoted} in {span}
                    promoted {promoted} were moved to the old generation by {times \
                    collection|collections}, {share} of the allocated bytes.
                    old.freed {old.freed}
                    promoted.samples?z Under {collector} young collections keep all sampled \
                    objects, dead or alive, so samples do not show which were promoted, so no site \
                    is named.
                    promoted.samples?silent Under {collector} samples do not show which promoted \
                    objects died, so no site is named.
                    promoted.dead {dead} of the bytes that survived a young collection were dead \
                    at the next one of the old generation, by {samples} samples.
                    promoted.samples?rare Only {samples sample was|samples were} promoted, too few \
                    to name a site; a smaller interval gives more.
                    promoted.samples?unsure {samples sample was|samples were} promoted, and \
                    {sampled} of their bytes died: too few to say whether most do. The freed bytes \
                    decide.
                    lifetime The objects live while about {lifetime} are allocated{young}.
                    young?too.small ; the young generation holds {holds} and needs {needs} or more
                    young.size {live} are live. Of a heap of {heap} the old generation needs about \
                    {old.size}, which leaves {young.size} for the young one.
                    SIZE Enlarge the heap: with {live} live there is no room for a larger young \
                    generation.
                    SIZE?room Give the young generation {room} of the heap (-Xmn) and look at this \
                    finding again.
                    SIZE?z Enlarge the heap (-Xmx): ZGC collects its young generation when little \
                    of the heap is free, and ignores -Xmn.
                    CODE?place Let what {place} allocates die sooner: hold fewer of these objects \
                    at a time, or for less long. If they must live that long, enlarge the young \
                    generation.
                    FLAG?tenured Let objects grow older first: MaxTenuringThreshold is 0, so the \
                    first collection that finds an object alive promotes it. Start the JVM without \
                    the flag that says so (MaxTenuringThreshold, AlwaysTenure or \
                    ZTenuringThreshold) and look at this finding again.
                    wrong Promoted objects stay: the old generation is as full after its collection \
                    as before.
                    wrong With a young generation of twice the size as much is promoted per minute.
                    """,
                    PrematurePromotion::find);

    private PrematurePromotion() {}

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
            for (GcEvent c : s.recent(each -> each.atMillis() <= s.lastTick())) {
                if (c.isYoung()) {
                    young = Math.max(young, (double) (c.heapBefore() - c.oldBefore()));
                }
                if (c.promoted() > 0) {
                    bytes += c.promoted();
                    count++;
                    from = Math.min(from, c.atMillis());
                }
            }
            double share = bytes == 0 ? 0 : Math.min(bytes / s.allocated(), 1);
            return new Promotions(bytes, share, count, from, young);
        }
    }

    private static void find(Situation s, Facts f) {
        Promotions promoted = Promotions.of(s);
        boolean isLittle = promoted.share() < LEAST_PROMOTED;
        f.bytes("promoted", promoted.bytes()).share("share", promoted.share());
        f.is("none", !s.hasGenerations()).is("little", isLittle);
        if (!s.hasGenerations() || isLittle) {
            return;
        }
        OldFigures olds = OldFigures.of(s);
        olds.tell(f);
        f.is("few", olds.count() < EVENTS);
        if (olds.count() < EVENTS) {
            return;
        }
        Samples samples = new Samples(s);
        double dead = samples.decide ? samples.deadShare.value() : olds.freedShare();
        f.share("dead", dead).text("by", samples.decide ? "samples" : "freed bytes");
        boolean isFound = dead >= MOSTLY_DEAD && olds.freedShare() >= SOME_FREED;
        boolean harms =
                olds.worstMinute().count() >= EVENTS
                        && s.worstPauseShare(s.recent()) > 1 - s.slo().throughputMin();
        if (f.fires(isFound, harms)) {
            f.window(promoted.from(), s.to()).span("span", s.millis());
            f.count("times", promoted.count()).sites(samples.named());
            samples.tell(f);
            tellSizes(s, promoted, olds, samples, f);
        }
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
        if (heap > 0 && olds.live() > 0 && young > 0) {
            f.bytes("young.size", young).bytes("heap", heap).bytes("old.size", olds.old());
        }
        f.bytes("room", young > holds ? young : 0);
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

        private final Situation s;
        private final boolean tellsPromotion;
        private final SiteBook.Promoted promoted;

        /** Those of which most dies, most dead bytes first. */
        private final List<SiteMetrics> premature = new ArrayList<>();

        private double reached;
        private double dead;
        private long count;
        private final NamedSites.Share deadShare;
        private final boolean decide;

        Samples(Situation s) {
            this.s = s;
            this.promoted = s.sites().promoted(); // Here, so that the rehearsal loads its class.
            this.tellsPromotion = SiteBook.tellsPromotion(s.settings().collector());
            Estimate all = Estimate.of(0, 0, 0, 0);
            List<SiteEvidence> died = new ArrayList<>();
            for (SiteMetrics site : tellsPromotion ? s.sites().sites() : List.<SiteMetrics>of()) {
                if (site.reachedOld().value() > 0) {
                    reached += site.reachedOld().value();
                    dead += site.promotedDead().value();
                    count += site.reachedOld().samples();
                    all = all.plus(site.reachedOld());
                    died.add(evidence(site));
                    if (site.prematureShare() >= MOSTLY_DEAD) {
                        premature.add(site);
                    }
                }
            }
            premature.sort(Comparator.comparingDouble(m -> -m.promotedDead().value()));
            deadShare = NamedSites.Share.of(died, all);
            decide = isSure(deadShare, count);
        }

        private static SiteEvidence evidence(SiteMetrics site) {
            return SiteFigures.evidence(site, "promoted, then dead", site.promotedDead(), "bytes");
        }

        void tell(Facts f) {
            boolean isZ = s.settings().collector() == GarbageCollector.Z_GENERATIONAL;
            f.is("z", isZ).is("silent", !tellsPromotion && !isZ);
            f.count("samples", count).text("place", culprit());
            if (decide) {
                f.share("promoted.dead", deadShare.value());
            } else {
                f.count("promoted.samples", count).share("sampled", deadShare.value());
                f.is("rare", tellsPromotion && count < ENOUGH_SAMPLES);
                f.is("unsure", tellsPromotion && count >= ENOUGH_SAMPLES);
            }
        }

        /** With their share of all promoted bytes, by the pools, or by samples if that is more. */
        NamedSites named() {
            List<SiteEvidence> named = new ArrayList<>();
            for (SiteMetrics site : premature) {
                if (site.promotedDead().samples() > 1 && named.size() < SITES) {
                    named.add(evidence(site));
                }
            }
            double followed = Math.max(promoted.followed(), reached);
            double all = Math.max(promoted.all(), followed);
            NamedSites.Share share = NamedSites.Share.of(named, all);
            double forgotten = (all - followed) / all;
            double others = Math.max(reached / all - share.value(), 0);
            double unseen = (followed - reached) / all;
            String text = "The sites named explain " + share.text() + " of the promoted bytes.";
            if (forgotten >= SOME) {
                String more =
                        """
                         For {} no site is known: the sampler had forgotten their deaths when the \
                        doctor read them (SamplerOptions.maxDead). Of the remaining {} they \
                        explain {}.\
                        """;
                String rest = NamedSites.Share.of(named, followed).text();
                text += Text.of(more, Text.share(forgotten), Text.share(1 - forgotten), rest);
            }
            if (others >= SOME) {
                text += " " + Text.share(others) + " lived on, or came from other sites.";
            }
            if (unseen >= SOME) {
                text += " " + Text.share(unseen) + " was not seen by samples.";
            }
            return NamedSites.explaining(named, share.value(), text);
        }

        /** The site with surely more than half of the promoted and dead bytes; empty if none. */
        String culprit() {
            if (premature.isEmpty() || premature.get(0).promotedDead().hasTooFewSamples()) {
                return "";
            }
            SiteMetrics first = premature.get(0);
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
            double olds = s.sites().oldCollections();
            return churn > 0 && olds > 0 ? alive / olds / churn : 0;
        }
    }
}
