// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.Estimate;
import io.heapsampler.doctor.SiteEvidence;
import io.heapsampler.doctor.internal.sites.ReferenceMakers;
import io.heapsampler.doctor.internal.sites.SiteFigures;
import io.heapsampler.doctor.internal.sites.SiteMetrics;
import io.heapsampler.doctor.internal.text.Text;
import java.util.List;
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
        return allocating(s, site -> ReferenceMakers.isReference(site.className()));
    }

    private static NamedSites allocating(Situation s, Predicate<SiteMetrics> isMeant) {
        List<SiteEvidence> sites =
                SiteFigures.most(
                        s.sites().sites().stream().filter(isMeant),
                        "share of allocation",
                        SiteMetrics::churn,
                        "share");
        return NamedSites.of(sites, s.sites().totals().churn(), "the allocated bytes");
    }

    /** The sites that hold most. */
    static NamedSites holders(Situation s) {
        List<SiteEvidence> sites =
                SiteFigures.most(
                        s.sites().sites().stream().filter(site -> site.live().samples() > 1),
                        "live",
                        SiteMetrics::live,
                        "bytes");
        return ofLive(s, sites);
    }

    /** Sites of which the figures are parts of the live bytes. */
    static NamedSites ofLive(Situation s, List<SiteEvidence> sites) {
        Estimate live = s.sites().totals().live();
        return NamedSites.of(
                sites,
                live,
                "the live bytes, which samples estimate at " + Text.bytes(live.value()));
    }

    /** The sites that make objects that are humongous to G1. */
    static NamedSites humongous(Situation s) {
        List<SiteEvidence> sites =
                SiteFigures.most(
                        s.sites().sites().stream().filter(site -> site.humongous().value() > 0),
                        "humongous",
                        SiteMetrics::humongous,
                        "bytes");
        return NamedSites.of(
                sites, s.sites().totals().humongous(), "the bytes of humongous objects");
    }
}
