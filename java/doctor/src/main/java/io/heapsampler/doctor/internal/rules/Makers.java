// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.SiteEvidence;
import io.heapsampler.doctor.SiteMetrics;
import io.heapsampler.doctor.internal.sites.ReferenceMakers;
import io.heapsampler.doctor.internal.sites.SiteFigures;
import java.util.Comparator;
import java.util.List;

/** Sites in the order of one of their figures. */
final class Makers {

    private static final int SITES = 3;

    private Makers() {}

    /** Who allocates most. */
    static List<SiteEvidence> during(Situation s) {
        return s.sites().sites().stream()
                .filter(site -> site.churn().samples() > 1)
                .sorted(Comparator.comparingDouble((SiteMetrics m) -> m.churn().value()).reversed())
                .limit(SITES)
                .map(
                        site ->
                                SiteFigures.evidence(
                                        site, "share of allocation", site.churn(), "share"))
                .toList();
    }

    /** Who holds most. */
    static List<SiteEvidence> holders(Situation s) {
        return s.sites().sites().stream()
                .filter(site -> site.live().samples() > 1)
                .sorted(Comparator.comparingDouble((SiteMetrics m) -> m.live().value()).reversed())
                .limit(SITES)
                .map(site -> SiteFigures.evidence(site, "live", site.live(), "bytes"))
                .toList();
    }

    /** Who makes references, finalizers and cleaners. */
    static List<SiteEvidence> references(Situation s) {
        return s.sites().sites().stream()
                .filter(site -> ReferenceMakers.isReference(site.className()))
                .sorted(Comparator.comparingDouble((SiteMetrics m) -> m.churn().value()).reversed())
                .limit(SITES)
                .map(
                        site ->
                                SiteFigures.evidence(
                                        site, "share of allocation", site.churn(), "share"))
                .toList();
    }

    /** Who makes objects that are humongous to G1. */
    static List<SiteEvidence> humongous(Situation s) {
        return s.sites().sites().stream()
                .filter(site -> site.humongous().value() > 0)
                .sorted(
                        Comparator.comparingDouble((SiteMetrics m) -> m.humongous().value())
                                .reversed())
                .limit(SITES)
                .map(site -> SiteFigures.evidence(site, "humongous", site.humongous(), "bytes"))
                .toList();
    }
}
