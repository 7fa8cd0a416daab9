// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import io.heapsampler.Estimate;
import io.heapsampler.HeapDiff;
import io.heapsampler.HeapFigures;
import io.heapsampler.HeapGrowth;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import org.assertj.core.api.SoftAssertionsProvider;
import org.jspecify.annotations.Nullable;

/** How soft assertions begin, whatever their provider calls it. */
@SuppressWarnings("NullAway") // null is reported by the assertion
final class Soft {

    private Soft() {}

    static HeapSnapshotAssert snapshot(
            SoftAssertionsProvider softly, @Nullable HeapSnapshot snapshot) {
        return softly.proxy(HeapSnapshotAssert.class, HeapSnapshot.class, snapshot)
                .soft(softly)
                .inChain(Scope.beginChain());
    }

    static HeapSiteAssert site(SoftAssertionsProvider softly, @Nullable HeapSite site) {
        return softly.proxy(HeapSiteAssert.class, HeapSite.class, site)
                .soft(softly)
                .inChain(Scope.beginChain());
    }

    static HeapFiguresAssert figures(SoftAssertionsProvider softly, @Nullable HeapFigures figures) {
        NamedFigures named = figures == null ? null : NamedFigures.of(figures);
        return softly.proxy(HeapFiguresAssert.class, NamedFigures.class, named)
                .soft(softly)
                .inChain(Scope.beginChain());
    }

    static EstimateAssert estimate(SoftAssertionsProvider softly, @Nullable Estimate estimate) {
        return softly.proxy(EstimateAssert.class, Estimate.class, estimate)
                .soft(softly)
                .inChain(Scope.beginChain());
    }

    static HeapDiffAssert diff(SoftAssertionsProvider softly, @Nullable HeapDiff diff) {
        return softly.proxy(HeapDiffAssert.class, HeapDiff.class, diff)
                .soft(softly)
                .inChain(Scope.beginChain());
    }

    static HeapGrowthAssert growth(SoftAssertionsProvider softly, @Nullable HeapGrowth growth) {
        return softly.proxy(HeapGrowthAssert.class, HeapGrowth.class, growth)
                .soft(softly)
                .inChain(Scope.beginChain());
    }
}
