// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.util.Comparator;
import java.util.List;

/** Where class loaders are made, as far as samples tell. */
final class ClassLoaders {

    private static final int SITES = 3;

    private ClassLoaders() {}

    /** The sites at which most loaders are made; they are small, and rarely sampled. */
    static List<SiteEvidence> makers(SiteHistory history) {
        return history.sites().stream()
                .filter(site -> ReferenceMakers.isClassLoader(site.className()))
                .sorted(
                        Comparator.comparingDouble(
                                        (SiteMetrics m) -> m.live().value() + m.churn().value())
                                .reversed())
                .limit(SITES)
                .map(site -> site.evidence("live", site.live(), "bytes"))
                .toList();
    }
}
