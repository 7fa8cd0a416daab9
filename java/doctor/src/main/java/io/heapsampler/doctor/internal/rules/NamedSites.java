// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.Estimate;
import io.heapsampler.doctor.Evidence;
import io.heapsampler.doctor.SiteEvidence;
import io.heapsampler.doctor.internal.sites.SiteFigures;
import io.heapsampler.doctor.internal.sites.SiteMetrics;
import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.internal.shared.Normal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The sites that a finding names, most first, and the share of the problem that they explain. A
 * finding that names a site states that share; it is null if there are no sites.
 */
record NamedSites(List<SiteEvidence> sites, @Nullable Evidence explained) {

    static final NamedSites NONE = new NamedSites(List.of(), null);

    /** Fewer samples have no error that means anything. */
    private static final long LEAST_SAMPLES = 10;

    /** From here on there is no rest worth mentioning. */
    private static final double ALL = 0.995;

    /** Sites that make up a part of what the same samples estimate for all sites. */
    static NamedSites of(List<SiteEvidence> sites, Estimate total, String whole) {
        if (sites.isEmpty()) {
            return NONE;
        }
        Share share = Share.of(sites, total);
        String text = "The sites named explain {} of {}.";
        text += share.value() < ALL ? " The rest is at other sites." : "";
        return explaining(sites, share.value(), Text.of(text, share.text(), whole));
    }

    /** Sites with a sentence of their own about the share, from 0 to 1. */
    static NamedSites explaining(List<SiteEvidence> sites, double share, String text) {
        return sites.isEmpty()
                ? NONE
                : new NamedSites(sites, new Evidence("sites.explained", share, "share", text));
    }

    /** Sites of Java objects that own memory whose size samples do not show. */
    static NamedSites owning(List<SiteEvidence> sites, String owned) {
        String text =
                "How much of {} the sites named explain is not known: samples show the Java"
                        + " objects, and not the size of the memory they own.";
        return explaining(sites, Double.NaN, Text.of(text, owned));
    }

    /** The sites that allocate most. */
    static NamedSites ofAllocation(Situation s) {
        return allocating(s, site -> site.churn().samples() > 1);
    }

    /** The sites that make references, finalizers and cleaners. */
    static NamedSites references(Situation s) {
        return allocating(s, site -> SiteFigures.isReference(site.className()));
    }

    private static NamedSites allocating(Situation s, Predicate<SiteMetrics> isMeant) {
        var sites = most(s, isMeant, "share of allocation", SiteMetrics::churn, "share");
        return of(sites, s.sites().totals().churn(), "the allocated bytes");
    }

    /** The sites that hold most. */
    static NamedSites holders(Situation s) {
        Predicate<SiteMetrics> isMeant = site -> site.live().samples() > 1;
        return ofLive(s, most(s, isMeant, "live", SiteMetrics::live, "bytes"));
    }

    /** Sites of which the figures are parts of the live bytes. */
    static NamedSites ofLive(Situation s, List<SiteEvidence> sites) {
        Estimate live = s.sites().totals().live();
        String whole = "the live bytes, which samples estimate at " + Text.bytes(live.value());
        return of(sites, live, whole);
    }

    /** The sites that make objects that are humongous to G1. */
    static NamedSites humongous(Situation s) {
        Predicate<SiteMetrics> isMeant = site -> site.humongous().value() > 0;
        var sites = most(s, isMeant, "humongous", SiteMetrics::humongous, "bytes");
        Estimate all = s.sites().totals().humongous();
        return of(sites, all, "the bytes of humongous objects");
    }

    private static List<SiteEvidence> most(
            Situation s,
            Predicate<SiteMetrics> isMeant,
            String metric,
            Function<SiteMetrics, Estimate> figure,
            String unit) {
        return SiteFigures.most(s.sites().sites().stream().filter(isMeant), metric, figure, unit);
    }

    /** The sum of the class with most, at all of these sites; null if there are none. */
    static @Nullable SiteEvidence largestClass(List<SiteEvidence> sites) {
        Map<String, Estimate> sums = new HashMap<>();
        SiteEvidence largest = null;
        for (SiteEvidence site : sites) {
            Estimate sum = sums.getOrDefault(site.className(), Estimate.of(0, 0, 0, 0));
            sum = sum.plus(site.estimate());
            sums.put(site.className(), sum);
            if (largest == null || sum.value() > largest.estimate().value()) {
                String metric = site.metric();
                largest = new SiteEvidence(site.className(), List.of(), metric, sum, site.unit());
            }
        }
        return largest;
    }

    /**
     * A part of a total, with half of its 95 % interval.
     *
     * @param value from 0 to 1
     * @param ratio the same, and more than 1 where the part is more than the total
     * @param error not a number if there are too few samples
     */
    record Share(double value, double ratio, double error) {

        /** Of a total that the same samples estimate: the errors of part and rest are apart. */
        static Share of(List<SiteEvidence> part, Estimate total) {
            double whole = total.value();
            double sum = 0;
            double variance = 0;
            long samples = 0;
            for (SiteEvidence site : part) {
                Estimate each = site.estimate();
                sum += each.value();
                variance += each.standardError() * each.standardError();
                samples += each.samples();
            }
            double all = total.standardError() * total.standardError();
            double share = Math.min(sum / whole, 1);
            double others = all == 0 ? 1 : (1 - share) * (1 - share);
            double rest = share * share * Math.max(all - variance, 0);
            double error = Math.sqrt(others * variance + rest) / whole;
            boolean isKnown = samples >= LEAST_SAMPLES || error == 0;
            return new Share(share, sum / whole, isKnown ? Normal.Z95 * error : Double.NaN);
        }

        /** Of a total that was measured, and not by samples. */
        static Share of(List<SiteEvidence> part, double whole) {
            return of(part, Estimate.of(whole, 0, 0, 0));
        }

        /** Returns whether the part exceeds the total by more than its error. */
        boolean isMoreThanAll() {
            return ratio - 1 > error;
        }

        /** Returns whether the part is surely more than half. */
        boolean isMost() {
            return ratio - error > 0.5;
        }

        /** Such as {@code 43 % ± 3 %}. */
        String text() {
            String after = error > 0 ? " ± " + Text.share(error) : "";
            boolean isKnown = error <= 1; // Not so if it is not a number.
            return Text.share(value) + (isKnown ? after : " (too few samples)");
        }
    }
}
