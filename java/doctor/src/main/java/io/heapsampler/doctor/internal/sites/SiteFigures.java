// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.sites;

import io.heapsampler.Estimate;
import io.heapsampler.doctor.SiteEvidence;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Sites as evidence. */
public final class SiteFigures {

    private static final int SITES = 3;

    private SiteFigures() {}

    /**
     * Names the lines of the application that have most of a figure.
     *
     * @param sites which of them
     * @param metric what is estimated
     * @param figure by which they are sorted, the largest first
     * @param unit bytes, objects or share
     * @return the evidence, for three lines at most
     */
    public static List<SiteEvidence> most(
            Stream<SiteMetrics> sites,
            String metric,
            Function<SiteMetrics, Estimate> figure,
            String unit) {
        List<SiteEvidence> all =
                sites.map(site -> evidence(site, metric, figure.apply(site), unit)).toList();
        List<SiteEvidence> places = Places.addedUp(all);
        return places.subList(0, Math.min(SITES, places.size()));
    }

    /** Those of some sites that hold most; those of a closer look come first. */
    static List<SiteEvidence> held(SiteBook book, Predicate<SiteMetrics> isMeant) {
        List<SiteEvidence> closer = held(book.closer(), isMeant);
        return closer.isEmpty() ? held(book.sites(), isMeant) : closer;
    }

    private static List<SiteEvidence> held(
            List<SiteMetrics> sites, Predicate<SiteMetrics> isMeant) {
        return most(
                sites.stream().filter(isMeant),
                "alive or not yet collected",
                SiteMetrics::held,
                "bytes");
    }

    /**
     * Names a site in a finding.
     *
     * @param site whose figure it is
     * @param metric what is estimated
     * @param estimate how much
     * @param unit bytes, objects or share
     * @return the evidence
     */
    public static SiteEvidence evidence(
            SiteMetrics site, String metric, Estimate estimate, String unit) {
        return new SiteEvidence(site.className(), site.stack(), metric, estimate, unit);
    }
}
