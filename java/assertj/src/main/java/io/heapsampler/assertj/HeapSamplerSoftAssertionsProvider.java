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
 * Soft assertions over heap snapshots, to mix into one's own. Assertions that they navigate to are
 * soft as well.
 *
 * <pre>{@code
 * class MySoftAssertions extends SoftAssertions
 *         implements HeapSamplerSoftAssertionsProvider, MyDomainSoftAssertionsProvider {}
 * }</pre>
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
public interface HeapSamplerSoftAssertionsProvider extends SoftAssertionsProvider {

    /**
     * Begins soft assertions on a snapshot.
     *
     * @param snapshot the actual value; null fails each assertion
     * @return the assertions
     */
    @CheckReturnValue
    default HeapSnapshotAssert assertThat(@Nullable HeapSnapshot snapshot) {
        return Soft.snapshot(this, snapshot);
    }

    /**
     * Begins soft assertions on one site.
     *
     * @param site the actual value; null fails each assertion
     * @return the assertions
     */
    @CheckReturnValue
    default HeapSiteAssert assertThat(@Nullable HeapSite site) {
        return Soft.site(this, site);
    }

    /**
     * Begins soft assertions on the figures of a class, of a thread, or in total.
     *
     * @param figures the actual value; null fails each assertion
     * @return the assertions
     */
    @CheckReturnValue
    default HeapFiguresAssert assertThat(@Nullable HeapFigures figures) {
        return Soft.figures(this, figures);
    }

    /**
     * Begins soft assertions on an estimate.
     *
     * @param estimate the actual value; null fails each assertion
     * @return the assertions
     */
    @CheckReturnValue
    default EstimateAssert assertThat(@Nullable Estimate estimate) {
        return Soft.estimate(this, estimate);
    }

    /**
     * Begins soft assertions on the difference between two snapshots.
     *
     * @param diff the actual value; null fails each assertion
     * @return the assertions
     */
    @CheckReturnValue
    default HeapDiffAssert assertThat(@Nullable HeapDiff diff) {
        return Soft.diff(this, diff);
    }

    /**
     * Begins soft assertions on how sites grow over several snapshots.
     *
     * @param growth the actual value; null fails each assertion
     * @return the assertions
     */
    @CheckReturnValue
    default HeapGrowthAssert assertThat(@Nullable HeapGrowth growth) {
        return Soft.growth(this, growth);
    }
}
