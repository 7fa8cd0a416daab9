// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.sites;

import io.heapsampler.doctor.SiteEvidence;
import java.util.List;

/** The sites that make class loaders, as far as samples show them. */
public final class ClassLoaders {

    private ClassLoaders() {}

    /** The lines at which most loaders are made: of those held, or of all if none is held. */
    public static List<SiteEvidence> makers(SiteBook history) {
        List<SiteEvidence> held = SiteFigures.held(history, ClassLoaders::isLoader);
        return held.isEmpty()
                ? SiteFigures.most(
                        history.sites().stream().filter(ClassLoaders::isLoader),
                        "share of allocation",
                        SiteMetrics::churn,
                        "share")
                : held;
    }

    private static boolean isLoader(SiteMetrics site) {
        return ReferenceMakers.isClassLoader(site.className());
    }
}
