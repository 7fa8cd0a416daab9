// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.ApiStatus;
import io.heapsampler.Estimate;
import io.heapsampler.HeapDiff;
import io.heapsampler.HeapFigures;
import io.heapsampler.HeapGrowth;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import org.assertj.core.api.SoftAssertionsProvider;
import org.jspecify.annotations.Nullable;

/**
 * Soft assertions over heap snapshots for those who write {@code then(actual)}, to mix into one's
 * own.
 *
 * <pre>{@code
 * class MySoftAssertions extends BDDSoftAssertions implements HeapSamplerBDDSoftAssertionsProvider {}
 * }</pre>
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
@CheckReturnValue
public interface HeapSamplerBDDSoftAssertionsProvider extends SoftAssertionsProvider {

    /** {@return soft assertions on a snapshot; null fails each of them} */
    default HeapSnapshotAssert then(@Nullable HeapSnapshot snapshot) {
        return AbstractHeapAssert.soft(
                this, HeapSnapshotAssert.class, HeapSnapshot.class, snapshot);
    }

    /** {@return soft assertions on one site; null fails each of them} */
    default HeapSiteAssert then(@Nullable HeapSite site) {
        return AbstractHeapAssert.soft(this, HeapSiteAssert.class, HeapSite.class, site);
    }

    /**
     * {@return soft assertions on the figures of a class, of a thread, or in total; null fails each
     * of them}
     */
    default HeapFiguresAssert then(@Nullable HeapFigures figures) {
        NamedFigures named = figures == null ? null : NamedFigures.of(figures);
        return AbstractHeapAssert.soft(this, HeapFiguresAssert.class, NamedFigures.class, named);
    }

    /** {@return soft assertions on an estimate; null fails each of them} */
    default EstimateAssert then(@Nullable Estimate estimate) {
        return AbstractHeapAssert.soft(this, EstimateAssert.class, Estimate.class, estimate);
    }

    /**
     * {@return soft assertions on the difference between two snapshots; null fails each of them}
     */
    default HeapDiffAssert then(@Nullable HeapDiff diff) {
        return AbstractHeapAssert.soft(this, HeapDiffAssert.class, HeapDiff.class, diff);
    }

    /**
     * {@return soft assertions on how sites grow over several snapshots; null fails each of them}
     */
    default HeapGrowthAssert then(@Nullable HeapGrowth growth) {
        return AbstractHeapAssert.soft(this, HeapGrowthAssert.class, HeapGrowth.class, growth);
    }
}
