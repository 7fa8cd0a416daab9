// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.SiteEvidence;
import io.heapsampler.doctor.SiteMetrics;
import io.heapsampler.doctor.internal.sites.ReferenceMakers;
import io.heapsampler.doctor.internal.sites.SiteFigures;
import java.util.List;
import java.util.function.Predicate;

/** Sites in the order of one of their figures. */
final class Makers {

    private Makers() {}

    /** Who allocates most. */
    static List<SiteEvidence> during(Situation s) {
        return allocating(s, site -> site.churn().samples() > 1);
    }

    /** Who makes references, finalizers and cleaners. */
    static List<SiteEvidence> references(Situation s) {
        return allocating(s, site -> ReferenceMakers.isReference(site.className()));
    }

    private static List<SiteEvidence> allocating(Situation s, Predicate<SiteMetrics> isMeant) {
        return SiteFigures.most(
                s.sites().sites().stream().filter(isMeant),
                "share of allocation",
                SiteMetrics::churn,
                "share");
    }

    /** Who holds most. */
    static List<SiteEvidence> holders(Situation s) {
        return SiteFigures.most(
                s.sites().sites().stream().filter(site -> site.live().samples() > 1),
                "live",
                SiteMetrics::live,
                "bytes");
    }

    /** Who makes objects that are humongous to G1. */
    static List<SiteEvidence> humongous(Situation s) {
        return SiteFigures.most(
                s.sites().sites().stream().filter(site -> site.humongous().value() > 0),
                "humongous",
                SiteMetrics::humongous,
                "bytes");
    }
}
