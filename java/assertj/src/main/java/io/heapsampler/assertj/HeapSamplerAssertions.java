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

    /**
     * Begins assertions on a snapshot.
     *
     * @param snapshot the actual value; null fails each assertion
     * @return the assertions
     */
    @CheckReturnValue
    public static HeapSnapshotAssert assertThat(@Nullable HeapSnapshot snapshot) {
        return new HeapSnapshotAssert(snapshot).inChain(Scope.beginChain());
    }

    /**
     * Begins assertions on one site.
     *
     * @param site the actual value; null fails each assertion
     * @return the assertions
     */
    @CheckReturnValue
    public static HeapSiteAssert assertThat(@Nullable HeapSite site) {
        return new HeapSiteAssert(site).inChain(Scope.beginChain());
    }

    /**
     * Begins assertions on the figures of a class, of a thread, or in total.
     *
     * @param figures the actual value; null fails each assertion
     * @return the assertions
     */
    @CheckReturnValue
    public static HeapFiguresAssert assertThat(@Nullable HeapFigures figures) {
        return new HeapFiguresAssert(figures == null ? null : NamedFigures.of(figures))
                .inChain(Scope.beginChain());
    }

    /**
     * Begins assertions on an estimate.
     *
     * @param estimate the actual value; null fails each assertion
     * @return the assertions
     */
    @CheckReturnValue
    public static EstimateAssert assertThat(@Nullable Estimate estimate) {
        return new EstimateAssert(estimate).inChain(Scope.beginChain());
    }

    /**
     * Begins assertions on the difference between two snapshots.
     *
     * @param diff the actual value; null fails each assertion
     * @return the assertions
     */
    @CheckReturnValue
    public static HeapDiffAssert assertThat(@Nullable HeapDiff diff) {
        return new HeapDiffAssert(diff).inChain(Scope.beginChain());
    }

    /**
     * Begins assertions on how sites grow over several snapshots.
     *
     * @param growth the actual value; null fails each assertion
     * @return the assertions
     */
    @CheckReturnValue
    public static HeapGrowthAssert assertThat(@Nullable HeapGrowth growth) {
        return new HeapGrowthAssert(growth).inChain(Scope.beginChain());
    }
}
