// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.sites;

import io.heapsampler.doctor.SiteEvidence;
import java.util.List;

/** The former name of {@link SiteFigures#owners}. */
public final class OffHeap {
    private OffHeap() {}

    public static List<SiteEvidence> owners(SiteBook book) {
        return SiteFigures.owners(book);
    }
}
