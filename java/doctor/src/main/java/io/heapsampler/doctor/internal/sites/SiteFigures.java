// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.sites;

import io.heapsampler.Estimate;
import io.heapsampler.doctor.SiteEvidence;
import io.heapsampler.doctor.SiteMetrics;

/** Sites as evidence. */
public final class SiteFigures {

    private SiteFigures() {}

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
