// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.sites;

import io.heapsampler.doctor.SiteEvidence;
import io.heapsampler.doctor.SiteMetrics;
import java.util.List;

/** Where class loaders are made, as far as samples tell. */
public final class ClassLoaders {

    private ClassLoaders() {}

    /** The sites at which most loaders are made; those of a closer look come first. */
    public static List<SiteEvidence> makers(SiteBook history) {
        return SiteFigures.held(history, ClassLoaders::isMaker);
    }

    private static boolean isMaker(SiteMetrics site) {
        return ReferenceMakers.isClassLoader(site.className())
                && (site.held().value() > 0 || site.churn().value() > 0);
    }
}
