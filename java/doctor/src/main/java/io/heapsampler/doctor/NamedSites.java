// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.Estimate;
import io.heapsampler.internal.shared.Normal;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The lines of the application that a finding names, three at most, most first, and the share of
 * the problem that they explain. A finding that names a site states that share; it is null if there
 * are no sites.
 */
record NamedSites(List<SiteEvidence> sites, @Nullable Evidence explained) {

    private static final int SITES = 3;
    private static final int AGES = 4; // Objects of a leak come from many times.

    /** Fewer samples have no error that means anything. */
    private static final long LEAST_SAMPLES = 10;

    /** From here on there is no rest worth mentioning. */
    private static final double ALL = 0.995;

    /** All lines with some of a figure. */
    private static List<SiteEvidence> lines(
            List<SiteMetrics> sites,
            Predicate<SiteMetrics> isMeant,
            String metric,
            Function<SiteMetrics, Estimate> figure,
            String unit) {
        List<SiteEvidence> all = new ArrayList<>();
        for (SiteMetrics site : sites) {
            if (isMeant.test(site)) {
                all.add(site.evidence(metric, figure.apply(site), unit));
            }
        }
        return Places.addedUp(all);
    }

    static List<SiteEvidence> first(List<SiteEvidence> lines) {
        return lines.subList(0, Math.min(SITES, lines.size()));
    }

    /** Lines that make up a part of what the same samples estimate for all sites. */
    static NamedSites of(List<SiteEvidence> lines, Estimate total, String whole) {
        List<SiteEvidence> named = first(lines);
        Share share = Share.of(named, total);
        String key = share.value() < ALL ? "sites.share" : "sites.all";
        return explaining(named, share.value(), TableRule.note(key, share.text(), whole));
    }

    /** Sites with a sentence of their own about the share, from 0 to 1. */
    static NamedSites explaining(List<SiteEvidence> sites, double share, String text) {
        Evidence explained = new Evidence(Facts.EXPLAINED, share, "share", text);
        return new NamedSites(sites, sites.isEmpty() ? null : explained);
    }

    private static List<SiteEvidence> allocating(Situation s, Predicate<SiteMetrics> isMeant) {
        List<SiteMetrics> sites = s.sites().sites();
        return lines(sites, isMeant, "share of allocation", SiteMetrics::churn, "share");
    }

    /** The sites that allocate most. */
    static NamedSites ofAllocation(Situation s) {
        List<SiteEvidence> lines = allocating(s, site -> site.churn().samples() > 1);
        return of(lines, s.sites().totals().churn(), "the allocated bytes");
    }

    /** The sites that make references, finalizers and cleaners. */
    static NamedSites references(Situation s) {
        var lines = allocating(s, site -> KnownClasses.isReference(site.className()));
        return of(lines, s.sites().totals().churn(), "the allocated bytes");
    }

    /** The sites that hold most. */
    static NamedSites holders(Situation s) {
        var lines = lines(s.sites().sites(), site -> true, "live", SiteMetrics::live, "bytes");
        lines.removeIf(line -> line.estimate().samples() < 2); // Of all sites of the line.
        return of(lines, s.sites().totals().live(), "the live bytes");
    }

    /** Those that hold objects of many ages, with enough samples to be sure of it. */
    static NamedSites ofManyAges(Situation s) {
        Predicate<SiteMetrics> isMeant = site -> site.birthEpochs() >= AGES;
        var lines = lines(s.sites().sites(), isMeant, "retained", SiteMetrics::retained, "bytes");
        lines.removeIf(line -> line.estimate().hasTooFewSamples());
        return of(lines, s.sites().totals().live(), "the live bytes");
    }

    /** The sites that make objects that are humongous to G1. */
    static NamedSites humongous(Situation s) {
        List<SiteMetrics> sites = s.sites().sites();
        var lines = lines(sites, site -> true, "humongous", SiteMetrics::humongous, "bytes");
        return of(lines, s.sites().totals().humongous(), "the bytes of humongous objects");
    }

    /** Owners of memory outside of the heap that are alive, or were not collected yet. */
    static NamedSites owners(Situation s, String owned) {
        Predicate<SiteMetrics> isMeant =
                site -> KnownClasses.isOwner(site.className(), site.stack());
        return owning(held(s, true, isMeant), owned);
    }

    /**
     * The lines that make class loaders or define classes, with all objects allocated for it: those
     * that hold some, or all lines if none does.
     */
    static NamedSites loaders(Situation s) {
        Predicate<SiteMetrics> isMeant =
                site -> KnownClasses.isOfClasses(site.className(), site.stack());
        List<SiteEvidence> held = held(s, false, isMeant);
        return owning(held.isEmpty() ? allocating(s, isMeant) : held, "the metaspace");
    }

    /** Those of a closer look come first. */
    private static List<SiteEvidence> held(
            Situation s, boolean isOfOwners, Predicate<SiteMetrics> isMeant) {
        List<SiteEvidence> held = held(s.sites().closer(isOfOwners), isMeant);
        return held.isEmpty() ? held(s.sites().sites(), isMeant) : held;
    }

    private static List<SiteEvidence> held(
            List<SiteMetrics> sites, Predicate<SiteMetrics> isMeant) {
        return lines(sites, isMeant, "not known to be dead", SiteMetrics::held, "bytes");
    }

    /** Samples do not show the size of the memory that Java objects own. */
    private static NamedSites owning(List<SiteEvidence> sites, String owned) {
        return explaining(first(sites), Double.NaN, TableRule.note("sites.owners", owned));
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
