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
import org.assertj.core.api.InstanceOfAssertFactory;
import org.jspecify.annotations.Nullable;

/**
 * The way in. Goes well beside {@code import static org.assertj.core.api.Assertions.assertThat}.
 *
 * <pre>{@code
 * import static io.heapsampler.assertj.HeapSamplerAssertions.assertThat;
 *
 * assertThat(recording.snapshot()).sitesOf(byte[].class).allocatesAtMost("64 KB");
 * }</pre>
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
@CheckReturnValue
public final class HeapSamplerAssertions {

    /** For {@code assertThat(holder).extracting(Holder::snapshot, as(HEAP_SNAPSHOT))}. */
    public static final InstanceOfAssertFactory<HeapSnapshot, HeapSnapshotAssert> HEAP_SNAPSHOT =
            new InstanceOfAssertFactory<>(HeapSnapshot.class, HeapSamplerAssertions::assertThat);

    /** For {@code assertThat(object).asInstanceOf(HEAP_SITE)}. */
    public static final InstanceOfAssertFactory<HeapSite, HeapSiteAssert> HEAP_SITE =
            new InstanceOfAssertFactory<>(HeapSite.class, HeapSamplerAssertions::assertThat);

    /** For {@code assertThat(amount).extracting(Amount::bytes, as(ESTIMATE))}. */
    public static final InstanceOfAssertFactory<Estimate, EstimateAssert> ESTIMATE =
            new InstanceOfAssertFactory<>(Estimate.class, HeapSamplerAssertions::assertThat);

    private HeapSamplerAssertions() {}

    /** {@return assertions on a snapshot; null fails each of them} */
    public static HeapSnapshotAssert assertThat(@Nullable HeapSnapshot snapshot) {
        return new HeapSnapshotAssert(snapshot).begin();
    }

    /** {@return assertions on one site; null fails each of them} */
    public static HeapSiteAssert assertThat(@Nullable HeapSite site) {
        return new HeapSiteAssert(site).begin();
    }

    /**
     * {@return assertions on the figures of a class, of a thread, or in total; null fails each of
     * them}
     */
    public static HeapFiguresAssert assertThat(@Nullable HeapFigures figures) {
        return new HeapFiguresAssert(figures == null ? null : NamedFigures.of(figures)).begin();
    }

    /** {@return assertions on an estimate; null fails each of them} */
    public static EstimateAssert assertThat(@Nullable Estimate estimate) {
        return new EstimateAssert(estimate).begin();
    }

    /** {@return assertions on the difference between two snapshots; null fails each of them} */
    public static HeapDiffAssert assertThat(@Nullable HeapDiff diff) {
        return new HeapDiffAssert(diff).begin();
    }

    /** {@return assertions on how sites grow over several snapshots; null fails each of them} */
    public static HeapGrowthAssert assertThat(@Nullable HeapGrowth growth) {
        return new HeapGrowthAssert(growth).begin();
    }
}
