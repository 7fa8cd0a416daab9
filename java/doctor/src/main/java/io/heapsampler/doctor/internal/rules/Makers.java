// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.Estimate;
import io.heapsampler.doctor.SiteEvidence;
import io.heapsampler.doctor.internal.sites.SiteFigures;
import io.heapsampler.doctor.internal.sites.SiteMetrics;
import io.heapsampler.doctor.internal.text.Text;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/** Sites in the order of one of their figures. */
final class Makers {

    private Makers() {}

    /** The sites that allocate most. */
    static NamedSites during(Situation s) {
        return allocating(s, site -> site.churn().samples() > 1);
    }

    /** The sites that make references, finalizers and cleaners. */
    static NamedSites references(Situation s) {
        return allocating(s, site -> SiteFigures.isReference(site.className()));
    }

    private static NamedSites allocating(Situation s, Predicate<SiteMetrics> isMeant) {
        List<SiteEvidence> sites =
                most(s, isMeant, "share of allocation", SiteMetrics::churn, "share");
        return NamedSites.of(sites, s.sites().totals().churn(), "the allocated bytes");
    }

    /** The sites that hold most. */
    static NamedSites holders(Situation s) {
        return ofLive(
                s, most(s, site -> site.live().samples() > 1, "live", SiteMetrics::live, "bytes"));
    }

    /** Sites of which the figures are parts of the live bytes. */
    static NamedSites ofLive(Situation s, List<SiteEvidence> sites) {
        Estimate live = s.sites().totals().live();
        String whole = "the live bytes, which samples estimate at " + Text.bytes(live.value());
        return NamedSites.of(sites, live, whole);
    }

    /** The sites that make objects that are humongous to G1. */
    static NamedSites humongous(Situation s) {
        List<SiteEvidence> sites =
                most(
                        s,
                        site -> site.humongous().value() > 0,
                        "humongous",
                        SiteMetrics::humongous,
                        "bytes");
        Estimate all = s.sites().totals().humongous();
        return NamedSites.of(sites, all, "the bytes of humongous objects");
    }

    private static List<SiteEvidence> most(
            Situation s,
            Predicate<SiteMetrics> isMeant,
            String metric,
            Function<SiteMetrics, Estimate> figure,
            String unit) {
        return SiteFigures.most(s.sites().sites().stream().filter(isMeant), metric, figure, unit);
    }
}
