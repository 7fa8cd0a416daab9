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
@CheckReturnValue
public final class HeapSamplerBDDAssertions {

    private HeapSamplerBDDAssertions() {}

    /** {@return assertions on a snapshot; null fails each of them} */
    public static HeapSnapshotAssert then(@Nullable HeapSnapshot snapshot) {
        return HeapSamplerAssertions.assertThat(snapshot);
    }

    /** {@return assertions on one site; null fails each of them} */
    public static HeapSiteAssert then(@Nullable HeapSite site) {
        return HeapSamplerAssertions.assertThat(site);
    }

    /**
     * {@return assertions on the figures of a class, of a thread, or in total; null fails each of
     * them}
     */
    public static HeapFiguresAssert then(@Nullable HeapFigures figures) {
        return HeapSamplerAssertions.assertThat(figures);
    }

    /** {@return assertions on an estimate; null fails each of them} */
    public static EstimateAssert then(@Nullable Estimate estimate) {
        return HeapSamplerAssertions.assertThat(estimate);
    }

    /** {@return assertions on the difference between two snapshots; null fails each of them} */
    public static HeapDiffAssert then(@Nullable HeapDiff diff) {
        return HeapSamplerAssertions.assertThat(diff);
    }

    /** {@return assertions on how sites grow over several snapshots; null fails each of them} */
    public static HeapGrowthAssert then(@Nullable HeapGrowth growth) {
        return HeapSamplerAssertions.assertThat(growth);
    }
}
