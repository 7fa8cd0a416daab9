// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.sites;

import io.heapsampler.doctor.SiteEvidence;
import io.heapsampler.doctor.SiteMetrics;
import java.util.Comparator;
import java.util.List;

/** Where class loaders are made, as far as samples tell. */
public final class ClassLoaders {

    private static final int SITES = 3;

    private ClassLoaders() {}

    /** The sites at which most loaders are made; those of a closer look come first. */
    public static List<SiteEvidence> makers(SiteBook history) {
        List<SiteEvidence> closer = makers(history.closer());
        return closer.isEmpty() ? makers(history.sites()) : closer;
    }

    private static List<SiteEvidence> makers(List<SiteMetrics> sites) {
        return sites.stream()
                .filter(site -> ReferenceMakers.isClassLoader(site.className()))
                .filter(site -> site.held().value() > 0 || site.churn().value() > 0)
                .sorted(Comparator.comparingDouble((SiteMetrics m) -> m.held().value()).reversed())
                .limit(SITES)
                .map(
                        site ->
                                SiteFigures.evidence(
                                        site, "alive or not yet collected", site.held(), "bytes"))
                .toList();
    }
}
