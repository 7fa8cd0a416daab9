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

    private static final double LEAST_PROMOTED = 0.05; // Of the allocated bytes.
    private static final double MOSTLY_DEAD = 0.5; // Of promoted bytes, or of the old generation.
    private static final double SOME_FREED = 0.25; // Enough if samples show the deaths.
    private static final double SOME = 0.005; // Shares that differ by less are the same.
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
            String why = s.collectorText() + " has no generations, so nothing is promoted.";
            return Verdict.hidden(this, why);
        }
        Promotions promoted = Promotions.of(s);
        if (promoted.share() < LEAST_PROMOTED) {
            String text = "{b} were promoted, {s} of the allocated bytes; it takes {s}.";
            return Verdict.quiet(this, text, promoted.bytes(), promoted.share(), LEAST_PROMOTED);
        }
        OldFigures olds = OldFigures.of(s);
        if (olds.count() < EVENTS) {
            String text =
                    "The old generation was collected {}; to judge the promoted objects takes {}.";
            return Verdict.quiet(this, text, Text.count(olds.count(), "time", "times"), EVENTS);
        }
        Samples samples = new Samples(s);
        double dead = samples.decide ? samples.deadShare.value() : olds.freedShare();
        if (dead < MOSTLY_DEAD || olds.freedShare() < SOME_FREED) {
            String text =
                    "{s} of the promoted bytes, by {}, were dead at the next collection of the old"
                            + " generation, which freed {s} of it: the promotion is needed.";
            String by = samples.decide ? "samples" : "freed bytes";
            return Verdict.quiet(this, text, dead, by, olds.freedShare());
        }
        boolean harms =
                olds.worstMinute().count() >= EVENTS
                        && s.worstPauseShare(s.recent()) > 1 - s.slo().throughputMin();
        Severity severity = harms ? Severity.WARNING : Severity.INFO;
        String title = "Objects are promoted and die soon after: {b} in {t}";
        FindingBuilder finding =
                new FindingBuilder(this, s, severity, title, promoted.bytes(), s.millis());
        promoted.tell(finding);
        olds.tell(finding);
        samples.tell(finding);
        tellSizes(s, promoted, olds, samples, finding);
        advise(s, promoted, olds, samples.culprit(), finding);
        return finding.window(promoted.from(), s.to())
                .sites(samples.named())
                .refutedBy(
                        "Promoted objects stay: the old generation is as full after its collection"
                                + " as before.")
                .refutedBy(
                        "With a young generation of twice the size as much is promoted per minute.")
                .fired();
    }

    private static void tellSizes(
            Situation s, Promotions promoted, OldFigures olds, Samples samples, FindingBuilder to) {
        // Cycles of G1 leave all objects allocated since they began, which then look live.
        double life = s.isG1() || s.isConcurrent() ? 0 : samples.lifeBytes();
        double holds = promoted.youngBytes();
        if (life > 0 && holds > 0) {
            String text =
                    "The objects live while about {b} are allocated; the young generation holds"
                            + " {b} and needs {b} or more.";
            long need = Sizing.leastYoung(life);
            if (need > holds) {
                to.evidence("lifetime", life, "bytes", text, life, holds, need);
            } else {
                String enough = "The objects live while about {b} are allocated.";
                to.evidence("lifetime", life, "bytes", enough, life);
            }
        }
        long heap = s.settings().maxHeap();
        long live = olds.live();
        long young = Sizing.young(heap, live);
        if (heap > 0 && live > 0 && young > 0) {
            String text =
                    "{b} are live. Of a heap of {b} the old generation needs about {b}, which"
                            + " leaves {b} for the young one.";
            to.evidence("young.size", young, "bytes", text, live, heap, Sizing.old(live), young);
        }
    }

    private static void advise(
            Situation s, Promotions promoted, OldFigures olds, String place, FindingBuilder to) {
        long room = Sizing.young(s.settings().maxHeap(), olds.live());
        if ("0".equals(s.settings().flags().get("MaxTenuringThreshold"))) {
            to.advice(
                    Advice.Kind.FLAG,
                    "Let objects grow older first: MaxTenuringThreshold is 0, so the first"
                            + " collection that finds an object alive promotes it. Start the JVM"
                            + " without the flag that says so (MaxTenuringThreshold, AlwaysTenure"
                            + " or ZTenuringThreshold) and look at this finding again.");
        } else if (!place.isEmpty()) {
            String text =
                    "Let what {} allocates die sooner: hold fewer of these objects at a time, or"
                            + " for less long. If they must live that long, enlarge the young"
                            + " generation.";
            to.advice(Advice.Kind.CODE, text, place);
        } else if (s.settings().collector() == GarbageCollector.Z_GENERATIONAL) {
            to.advice(
                    Advice.Kind.SIZE,
                    "Enlarge the heap (-Xmx): ZGC collects its young generation when little of the"
                            + " heap is free, and ignores -Xmn.");
        } else if (room > promoted.youngBytes()) {
            String text =
                    "Give the young generation {b} of the heap (-Xmn) and look at this finding"
                            + " again.";
            to.advice(Advice.Kind.SIZE, text, room);
        } else {
            String text =
                    "Enlarge the heap: with {b} live there is no room for a larger young"
                            + " generation.";
            to.advice(Advice.Kind.SIZE, text, olds.live());
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

        void tell(FindingBuilder finding) {
            String name = "promoted.samples";
            if (!tellsPromotion) {
                boolean isZ = s.settings().collector() == GarbageCollector.Z_GENERATIONAL;
                String text =
                        isZ
                                ? "Under {} young collections keep all sampled objects, dead or"
                                        + " alive, so samples do not show which were promoted, so"
                                        + " no site is named."
                                : "Under {} samples do not show which promoted objects died, so no"
                                        + " site is named.";
                finding.evidence(name, 0, "count", text, s.collectorText());
                return;
            }
            String samples = Text.count(count, "sample was", "samples were");
            if (decide) {
                String text =
                        "{s} of the bytes that survived a young collection were dead at the next"
                                + " one of the old generation, by {} samples.";
                double share = deadShare.value();
                finding.evidence("promoted.dead", share, "share", text, share, count);
            } else if (count < ENOUGH_SAMPLES) {
                String text =
                        "Only {} promoted, too few to name a site; a smaller interval gives more.";
                finding.evidence(name, count, "count", text, samples);
            } else {
                String text =
                        "{} promoted, and {s} of their bytes died: too few to say whether most do."
                                + " The freed bytes decide.";
                finding.evidence(name, count, "count", text, samples, deadShare.value());
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
            String text =
                    Text.of("The sites named explain {} of the promoted bytes.", share.text());
            if (forgotten >= SOME) {
                String more =
                        " For {s} no site is known: the sampler had forgotten their deaths when"
                                + " the doctor read them (SamplerOptions.maxDead). Of the"
                                + " remaining {s} they explain {}.";
                String rest = NamedSites.Share.of(named, followed).text();
                text += Text.of(more, forgotten, 1 - forgotten, rest);
            }
            if (others >= SOME) {
                text += Text.of(" {s} lived on, or came from other sites.", others);
            }
            if (unseen >= SOME) {
                text += Text.of(" {s} was not seen by samples.", unseen);
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
