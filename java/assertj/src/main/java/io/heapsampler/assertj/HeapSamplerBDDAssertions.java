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
import org.jspecify.annotations.Nullable;

/**
 * The way in for those who write {@code then(actual)}, as with {@code BDDAssertions}.
 *
 * <pre>{@code
 * import static io.heapsampler.assertj.HeapSamplerBDDAssertions.then;
 *
 * then(recording.snapshot()).sitesOf(byte[].class).allocatesAtMost("64 KB");
 * }</pre>
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
public final class HeapSamplerBDDAssertions {

    private HeapSamplerBDDAssertions() {}

    /**
     * Begins assertions on a snapshot.
     *
     * @param snapshot the actual value; null fails each assertion
     * @return the assertions
     */
    @CheckReturnValue
    public static HeapSnapshotAssert then(@Nullable HeapSnapshot snapshot) {
        return HeapSamplerAssertions.assertThat(snapshot);
    }

    /**
     * Begins assertions on one site.
     *
     * @param site the actual value; null fails each assertion
     * @return the assertions
     */
    @CheckReturnValue
    public static HeapSiteAssert then(@Nullable HeapSite site) {
        return HeapSamplerAssertions.assertThat(site);
    }

    /**
     * Begins assertions on the figures of a class, of a thread, or in total.
     *
     * @param figures the actual value; null fails each assertion
     * @return the assertions
     */
    @CheckReturnValue
    public static HeapFiguresAssert then(@Nullable HeapFigures figures) {
        return HeapSamplerAssertions.assertThat(figures);
    }

    /**
     * Begins assertions on an estimate.
     *
     * @param estimate the actual value; null fails each assertion
     * @return the assertions
     */
    @CheckReturnValue
    public static EstimateAssert then(@Nullable Estimate estimate) {
        return HeapSamplerAssertions.assertThat(estimate);
    }

    /**
     * Begins assertions on the difference between two snapshots.
     *
     * @param diff the actual value; null fails each assertion
     * @return the assertions
     */
    @CheckReturnValue
    public static HeapDiffAssert then(@Nullable HeapDiff diff) {
        return HeapSamplerAssertions.assertThat(diff);
    }

    /**
     * Begins assertions on how sites grow over several snapshots.
     *
     * @param growth the actual value; null fails each assertion
     * @return the assertions
     */
    @CheckReturnValue
    public static HeapGrowthAssert then(@Nullable HeapGrowth growth) {
        return HeapSamplerAssertions.assertThat(growth);
    }
}
