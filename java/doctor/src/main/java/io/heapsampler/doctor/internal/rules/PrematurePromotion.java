// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.Estimate;
import io.heapsampler.GarbageCollector;
import io.heapsampler.doctor.Advice;
import io.heapsampler.doctor.Severity;
import io.heapsampler.doctor.SiteEvidence;
import io.heapsampler.doctor.internal.sites.Places;
import io.heapsampler.doctor.internal.sites.SiteBook;
import io.heapsampler.doctor.internal.sites.SiteFigures;
import io.heapsampler.doctor.internal.sites.SiteMetrics;
import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.internal.shared.Normal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Objects are moved to the old generation and die soon after: the young one is too small for how
 * long they live.
 */
public final class PrematurePromotion implements Rule {

    /** In a well-configured service a smaller share of allocated bytes is promoted. */
    private static final double LEAST_PROMOTED = 0.05;

    /** Of promoted bytes, or of the old generation, that its next collection finds dead. */
    private static final double MOSTLY_DEAD = 0.5;

    /** If samples show it, the old generation need not be half empty afterwards. */
    private static final double SOME_FREED = 0.25;

    /** Shares that differ by less are the same. */
    private static final double SOME = 0.005;

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
                    Text.of(
                            "{} were promoted, {} of the allocated bytes; it takes {}.",
                            Text.bytes(promoted.bytes()),
                            Text.share(promoted.share()),
                            Text.share(LEAST_PROMOTED)));
        }
        OldFigures olds = OldFigures.of(s);
        if (olds.count() < EVENTS) {
            String text =
                    "The old generation was collected {}; to judge the promoted objects takes {}.";
            String times = Text.count(olds.count(), "time", "times");
            return Verdict.quiet(this, Text.of(text, times, EVENTS));
        }
        Samples samples = Samples.of(s);
        double dead = samples.decide ? samples.deadShare.value() : olds.freedShare();
        if (dead < MOSTLY_DEAD || olds.freedShare() < SOME_FREED) {
            return Verdict.quiet(
                    this,
                    Text.of(
                            """
                            {} of the promoted bytes, by {}, were dead at the next collection of \
                            the old generation, which freed {} of it: the promotion is needed.\
                            """,
                            Text.share(dead),
                            samples.decide ? "samples" : "freed bytes",
                            Text.share(olds.freedShare())));
        }
        return finding(s, promoted, olds, samples);
    }

    private Verdict finding(Situation s, Promotions promoted, OldFigures olds, Samples samples) {
        boolean harms =
                olds.worstMinute().count() >= EVENTS
                        && s.worstPauseShare(s.recent()) > 1 - s.slo().throughputMin();
        FindingBuilder finding =
                new FindingBuilder(
                        this,
                        s,
                        harms ? Severity.WARNING : Severity.INFO,
                        Text.of(
                                "Objects are promoted and die soon after: {} in {}",
                                Text.bytes(promoted.bytes()),
                                Text.span(s.millis())));
        promoted.tell(finding);
        olds.tell(finding);
        samples.tell(s, finding);
        tellSizes(s, promoted, olds, samples, finding);
        advise(s, promoted, olds, samples, finding);
        return finding.window(promoted.from(), s.to())
                .sites(samples.named(s.sites().promoted()))
                .refutedBy(
                        """
                        Promoted objects stay: the old generation is as full after its collection \
                        as before.\
                        """)
                .refutedBy(
                        """
                        With a young generation of twice the size as much is promoted per \
                        minute.\
                        """)
                .fired();
    }

    private static void tellSizes(
            Situation s,
            Promotions promoted,
            OldFigures olds,
            Samples samples,
            FindingBuilder finding) {
        // Cycles of G1 leave all objects allocated since they began, which then look live.
        double life = s.isG1() || s.isConcurrent() ? 0 : samples.lifeBytes(s);
        if (life > 0 && promoted.youngBytes() > 0) {
            String text =
                    """
                    The objects live while about {} are allocated; the young generation holds {} \
                    and needs {} or more.\
                    """;
            String holds = Text.bytes(promoted.youngBytes());
            String needs = Text.bytes(Sizing.leastYoung(life));
            finding.evidence(
                    "lifetime", life, "bytes", Text.of(text, Text.bytes(life), holds, needs));
        }
        long heap = s.settings().maxHeap();
        long young = Sizing.young(heap, olds.live());
        if (heap > 0 && olds.live() > 0 && young > 0) {
            String text =
                    """
                    {} are live. Of a heap of {} the old generation needs about {}, which leaves {} \
                    for the young one.\
                    """;
            String needs = Text.bytes(Sizing.old(olds.live()));
            finding.evidence(
                    "young.size",
                    young,
                    "bytes",
                    Text.of(
                            text,
                            Text.bytes(olds.live()),
                            Text.bytes(heap),
                            needs,
                            Text.bytes(young)));
        }
    }

    private static void advise(
            Situation s,
            Promotions promoted,
            OldFigures olds,
            Samples samples,
            FindingBuilder finding) {
        String place = samples.culprit();
        long room = Sizing.young(s.settings().maxHeap(), olds.live());
        if ("0".equals(s.settings().flags().get("MaxTenuringThreshold"))) {
            finding.advice(
                    Advice.Kind.FLAG,
                    """
                    Let objects grow older first: MaxTenuringThreshold is 0, so the first \
                    collection that finds an object alive promotes it. Start the JVM without the \
                    flag that says so (MaxTenuringThreshold, AlwaysTenure or ZTenuringThreshold) \
                    and look at this finding again.\
                    """);
        } else if (!place.isEmpty()) {
            String text =
                    """
                    Let what {} allocates die sooner: hold fewer of these objects at a time, or for \
                    less long. If they must live that long, enlarge the young generation.\
                    """;
            finding.advice(Advice.Kind.CODE, Text.of(text, place));
        } else if (s.settings().collector() == GarbageCollector.Z_GENERATIONAL) {
            finding.advice(
                    Advice.Kind.SIZE,
                    """
                    Enlarge the heap (-Xmx): ZGC collects its young generation when little of the \
                    heap is free, and ignores -Xmn.\
                    """);
        } else {
            boolean hasRoom = room > promoted.youngBytes();
            String text =
                    hasRoom
                            ? """
                            Give the young generation {} of the heap (-Xmn) and look at this \
                            finding again.\
                            """
                            : """
                            Enlarge the heap: with {} live there is no room for a larger young \
                            generation.\
                            """;
            finding.advice(
                    Advice.Kind.SIZE, Text.of(text, Text.bytes(hasRoom ? room : olds.live())));
        }
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

        /** Those of which most dies, most dead bytes first. */
        private final List<SiteMetrics> premature = new ArrayList<>();

        private double reached;
        private double dead;
        private long count;
        private NamedSites.Share deadShare;
        private boolean decide;

        /** Whether the samples are enough, and their share surely above or below the half. */
        private Samples(List<SiteMetrics> sites) {
            Estimate all = Estimate.of(0, 0, 0, 0);
            List<SiteEvidence> died = new ArrayList<>();
            for (SiteMetrics site : sites) {
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
            premature.sort(
                    Comparator.comparingDouble((SiteMetrics m) -> m.promotedDead().value())
                            .reversed());
            deadShare = NamedSites.Share.of(died, all);
            decide = isSure(deadShare, count);
        }

        static Samples of(Situation s) {
            boolean tells = SiteBook.tellsPromotion(s.settings().collector());
            return new Samples(tells ? s.sites().sites() : List.of());
        }

        private static SiteEvidence evidence(SiteMetrics site) {
            return SiteFigures.evidence(site, "promoted, then dead", site.promotedDead(), "bytes");
        }

        void tell(Situation s, FindingBuilder finding) {
            GarbageCollector collector = s.settings().collector();
            if (!SiteBook.tellsPromotion(collector)) {
                String why =
                        collector == GarbageCollector.Z_GENERATIONAL
                                ? """
                                young collections keep all sampled objects, dead or alive, so \
                                samples do not show which were promoted\
                                """
                                : "samples do not show which promoted objects died";
                String text = Text.of("Under {} {}, so no site is named.", s.collectorText(), why);
                finding.evidence("promoted.samples", 0, "count", text);
            } else if (decide) {
                String text =
                        """
                        {} of the bytes that survived a young collection were dead at the next one \
                        of the old generation, by {} samples.\
                        """;
                double share = deadShare.value();
                finding.evidence(
                        "promoted.dead", share, "share", Text.of(text, Text.share(share), count));
            } else {
                String samples = Text.count(count, "sample was", "samples were");
                String text =
                        """
                        Only {} promoted, too few to name a site; a smaller interval gives more.\
                        """;
                String many =
                        """
                        {} promoted and their fate is known: too few to say by samples whether most \
                        die. The freed bytes decide.\
                        """;
                finding.evidence(
                        "promoted.samples",
                        count,
                        "count",
                        Text.of(count < ENOUGH_SAMPLES ? text : many, samples));
            }
        }

        /**
         * Names sites, with their share of all promoted bytes. The total is that of the pools;
         * where samples estimate more than that, theirs is taken.
         */
        NamedSites named(SiteBook.Promoted promoted) {
            List<SiteEvidence> named = new ArrayList<>();
            for (SiteMetrics site : premature) {
                if (site.promotedDead().samples() > 1 && named.size() < SITES) {
                    named.add(evidence(site));
                }
            }
            double followed = Math.max(promoted.followed(), reached);
            double all = Math.max(promoted.all(), followed);
            NamedSites.Share ofAll = NamedSites.Share.of(named, all);
            double forgotten = (all - followed) / all;
            double others = Math.max(reached / all - ofAll.value(), 0);
            double unseen = (followed - reached) / all;
            StringBuilder text = new StringBuilder();
            text.append(Text.of("The sites named explain {} of the promoted bytes.", ofAll.text()));
            if (forgotten >= SOME) {
                text.append(
                        Text.of(
                                """
                                 For {} no site is known: the sampler had forgotten their deaths \
                                when the doctor read them (SamplerOptions.maxDead). Of the \
                                remaining {} they explain {}.\
                                """,
                                Text.share(forgotten),
                                Text.share(1 - forgotten),
                                NamedSites.Share.of(named, followed).text()));
            }
            if (others >= SOME) {
                text.append(Text.of(" {} lived on, or came from other sites.", Text.share(others)));
            }
            if (unseen >= SOME) {
                text.append(Text.of(" {} was not seen by samples.", Text.share(unseen)));
            }
            return NamedSites.explaining(named, ofAll.value(), text.toString());
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
        double lifeBytes(Situation s) {
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
