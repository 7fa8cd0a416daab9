// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.ApiStatus;
import io.heapsampler.ByteSize;
import io.heapsampler.Estimate;
import io.heapsampler.HeapDiff;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SiteDelta;
import io.heapsampler.assertj.Doubts.Chance;
import io.heapsampler.assertj.Reading.Limit;
import io.heapsampler.assertj.Reading.Measure;
import io.heapsampler.assertj.Reading.Spacing;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ListAssert;
import org.jspecify.annotations.Nullable;

/**
 * Assertions on the difference between two snapshots. Take both with {@link
 * io.heapsampler.SnapshotOptions#afterGc()}: otherwise limits of growth are undecided, for what is
 * unconfirmed may be alive.
 *
 * <pre>{@code
 * assertThat(after.diff(before)).hasGrownByAtMost("1 MB").hasNoGrowingSites();
 * }</pre>
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
public class HeapDiffAssert extends AbstractHeapAssert<HeapDiffAssert, HeapDiff> {

    /** Made by {@link HeapSamplerAssertions#assertThat(HeapDiff)}; null fails each assertion. */
    public HeapDiffAssert(@Nullable HeapDiff actual) {
        super(actual, HeapDiffAssert.class, Scope.of(actual == null ? null : actual.later()));
    }

    /**
     * Verifies that the live bytes of all sites together have grown by no more.
     *
     * @param limit such as {@code "64 KB"}
     * @return this
     */
    public HeapDiffAssert hasGrownByAtMost(String limit) {
        return hasGrownBy(Limit.atMost(ByteSize.parse(limit)));
    }

    /** As {@link #hasGrownByAtMost(String)}, with a number of bytes, 0 or more. */
    public HeapDiffAssert hasGrownByAtMost(long bytes) {
        return hasGrownBy(Limit.atMost(Texts.checked(bytes)));
    }

    /**
     * Verifies that the live bytes of all sites together have surely grown by as much.
     *
     * @param limit such as {@code "64 KB"}
     * @return this
     */
    public HeapDiffAssert hasGrownByAtLeast(String limit) {
        return hasGrownBy(Limit.atLeast(ByteSize.parse(limit)));
    }

    /** As {@link #hasGrownByAtLeast(String)}, with a number of bytes, 0 or more. */
    public HeapDiffAssert hasGrownByAtLeast(long bytes) {
        return hasGrownBy(Limit.atLeast(Texts.checked(bytes)));
    }

    private HeapDiffAssert hasGrownBy(Limit limit) {
        return isThere()
                ? verify(
                        reading(actual.live().bytes()),
                        limit,
                        "all sites",
                        Top.ofDeltas(actual.deltas()),
                        Top.grown(actual.deltas()))
                : this;
    }

    private Reading reading(Estimate growth) {
        HeapSnapshot earlier = actual.earlier();
        HeapSnapshot later = actual.later();
        return new Reading(
                Measure.GROWTH,
                growth,
                growth,
                Spacing.of(earlier).or(Spacing.of(later)),
                Doubts.growth(List.of(earlier, later)),
                List.of());
    }

    /**
     * Verifies that no site has grown by more than chance explains. This takes into account that
     * many sites are tested: where none grows, it fails in at most one of 40 runs, however many
     * sites there are. A site that grows by less than {@link HeapDiff#smallestVisible()} mostly
     * stays unseen; {@link #hasNoSiteGrowingByMoreThan(String)} demands an interval that shows its
     * limit, and {@link #hasGrownByAtMost(String)} sets a limit that is proved. Undecided where no
     * site has, but not both snapshots were taken after a forced collection, or samples were lost.
     *
     * <p>With interval 0 a single object is growth. The entries of a weak map, for example, stay
     * after the collection of their keys until the map is next used: use it once before each
     * snapshot, or allow for them with {@link #hasNoSiteGrowingByMoreThan(String)}.
     *
     * @return this
     */
    public HeapDiffAssert hasNoGrowingSites() {
        return noSiteGrowsBy(0, "Sites have grown by more than chance explains");
    }

    /**
     * Verifies that no site has surely grown by more. This takes into account that many sites are
     * checked, and is undecided, as {@link #hasNoGrowingSites()} is, and where so much growth
     * mostly goes unseen, see {@link HeapDiff#smallestVisible()}.
     *
     * @param perSite such as {@code "1 KB"}
     * @return this
     */
    public HeapDiffAssert hasNoSiteGrowingByMoreThan(String perSite) {
        return noSiteSurelyGrowsBy(ByteSize.parse(perSite));
    }

    /** As {@link #hasNoSiteGrowingByMoreThan(String)}, with a number of bytes, 0 or more. */
    public HeapDiffAssert hasNoSiteGrowingByMoreThan(long bytesPerSite) {
        return noSiteSurelyGrowsBy(Texts.checked(bytesPerSite));
    }

    private HeapDiffAssert noSiteSurelyGrowsBy(long limit) {
        return noSiteGrowsBy(
                limit,
                "Sites have surely grown by more than " + Measure.GROWTH.exact((double) limit));
    }

    private HeapDiffAssert noSiteGrowsBy(long limit, String what) {
        if (!isThere()) {
            return this;
        }
        List<SiteDelta> deltas = actual.deltas();
        List<SiteDelta> growing =
                deltas.stream().filter(delta -> isSure(delta, limit, deltas.size())).toList();
        if (!growing.isEmpty()) {
            String top = Top.ofDeltas(growing).text(info.representation());
            throw failed(
                    "%s, %s of %s:\n%s%s"
                                    .formatted(
                                            what, growing.size(), deltas.size(), top, Doubts.HELP)
                            + holders(actual.later(), Top.grown(growing)));
        }
        return undecided(
                limit == 0
                        ? Doubts.growth(List.of(actual.earlier(), actual.later()))
                        : Doubts.growth(actual, limit));
    }

    /** By the test of {@link HeapDiff#growing()}, and with its error if there is a limit. */
    private static boolean isSure(SiteDelta delta, long limit, int many) {
        return Chance.isSure(delta.chance(), many)
                && (limit == 0 || Chance.isSurelyAbove(delta.live().bytes(), (double) limit, many));
    }

    /**
     * Verifies that both snapshots were taken after a forced collection.
     *
     * @return this
     */
    public HeapDiffAssert isAfterGc() {
        boolean isConfirmed =
                isThere()
                        && Stream.of(actual.earlier(), actual.later())
                                .allMatch(HeapSnapshot::isAfterGc);
        if (!isConfirmed && !scope().isReported()) {
            throw failed(
                    "Not both snapshots were taken after a collection. What helps:"
                            + " snapshot(SnapshotOptions.afterGc()) for both.");
        }
        return this;
    }

    /** {@return assertions on the bytes that were allocated in between} */
    @CheckReturnValue
    public EstimateAssert allocatedBytes() {
        return estimate(true);
    }

    /**
     * {@return assertions on the growth of the live bytes, which is negative if they have shrunk}
     */
    @CheckReturnValue
    public EstimateAssert liveBytes() {
        return estimate(false);
    }

    private EstimateAssert estimate(boolean isAllocated) {
        Reading reading =
                !isThere()
                        ? null
                        : isAllocated
                                ? Reading.of(
                                        Measure.ALLOCATED_BYTES,
                                        actual.allocated().bytes(),
                                        scope().spacing())
                                : reading(actual.live().bytes());
        return toEstimate(
                reading, isAllocated ? "bytes allocated in between" : "growth of live bytes");
    }

    /** {@return assertions on all sites of either snapshot, most growth first} */
    @CheckReturnValue
    public ListAssert<SiteDelta> deltas() {
        return toList(isThere() ? actual.deltas() : List.of(), "deltas");
    }

    /**
     * {@return assertions on {@link HeapDiff#growing()}, the largest lower bound of the growth
     * first}. Where no site grows, the list is empty in at least 95 of 100 runs. Its description
     * says how small a growth goes unseen.
     */
    @CheckReturnValue
    public ListAssert<SiteDelta> growing() {
        return isThere()
                ? toList(actual.growing(), Doubts.listed(actual.smallestVisible()))
                : toList(List.of(), "growing sites");
    }
}
