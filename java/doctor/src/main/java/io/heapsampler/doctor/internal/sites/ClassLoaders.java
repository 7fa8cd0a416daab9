// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.sites;

import io.heapsampler.doctor.SiteEvidence;
import java.util.List;

/** The former name of {@link SiteFigures#loaders}. */
public final class ClassLoaders {
    private ClassLoaders() {}

    public static List<SiteEvidence> makers(SiteBook book) {
        return SiteFigures.loaders(book);
    }
}
