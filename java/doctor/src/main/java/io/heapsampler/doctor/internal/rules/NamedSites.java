// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.Estimate;
import io.heapsampler.doctor.Evidence;
import io.heapsampler.doctor.SiteEvidence;
import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.internal.shared.Normal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The sites that a finding names, and how much of the problem they explain. A finding that names a
 * site states that share.
 *
 * @param sites most first
 * @param explained the share; null if there are no sites
 */
record NamedSites(List<SiteEvidence> sites, @Nullable Evidence explained) {

    static final NamedSites NONE = new NamedSites(List.of(), null);

    private static final String NAME = "sites.explained";

    /** Fewer samples have no error that means anything. */
    private static final long LEAST_SAMPLES = 10;

    /**
     * Sites that make up a part of what the same samples estimate for all sites.
     *
     * @param whole what the total is, such as {@code the live bytes}
     */
    static NamedSites of(List<SiteEvidence> sites, Estimate total, String whole) {
        if (sites.isEmpty()) {
            return NONE;
        }
        Share share = Share.of(sites, total);
        return explaining(
                sites,
                share.value(),
                "The sites named explain "
                        + share.text()
                        + " of "
                        + whole
                        + ". The rest is at other sites.");
    }

    /** Sites with a sentence of their own about the share, from 0 to 1. */
    static NamedSites explaining(List<SiteEvidence> sites, double share, String text) {
        return sites.isEmpty()
                ? NONE
                : new NamedSites(sites, new Evidence(NAME, share, "share", text));
    }

    /** Sites of Java objects that own memory whose size samples do not show. */
    static NamedSites owning(List<SiteEvidence> sites, String owned) {
        return explaining(
                sites,
                Double.NaN,
                "How much of "
                        + owned
                        + " the sites named explain is not known: samples show the Java objects,"
                        + " and not the size of the memory they own.");
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
            double sum = sum(part);
            double variance = variance(part);
            double all = total.standardError() * total.standardError();
            double rest = Math.max(all - variance, 0);
            double share = Math.min(sum / whole, 1);
            double spread = (1 - share) * (1 - share) * variance + share * share * rest;
            return of(part, sum / whole, Math.sqrt(spread) / whole);
        }

        /** Of a total that was measured, and not by samples. */
        static Share of(List<SiteEvidence> part, double whole) {
            return of(part, sum(part) / whole, Math.sqrt(variance(part)) / whole);
        }

        private static Share of(List<SiteEvidence> part, double ratio, double standardError) {
            long samples = part.stream().mapToLong(site -> site.estimate().samples()).sum();
            boolean isKnown = samples >= LEAST_SAMPLES || standardError == 0;
            double error = isKnown ? Normal.Z95 * standardError : Double.NaN;
            return new Share(Math.min(ratio, 1), ratio, error);
        }

        private static double sum(List<SiteEvidence> part) {
            return part.stream().mapToDouble(site -> site.estimate().value()).sum();
        }

        private static double variance(List<SiteEvidence> part) {
            return part.stream()
                    .mapToDouble(site -> site.estimate().standardError())
                    .map(error -> error * error)
                    .sum();
        }

        /** Returns whether the part exceeds the total by more than its error. */
        boolean isMoreThanAll() {
            return ratio - 1 > error;
        }

        /** Such as {@code 43 % ± 3 %}. */
        String text() {
            return Text.share(value)
                    + (Double.isNaN(error) ? " (too few samples)" : " ± " + Text.share(error));
        }
    }
}
