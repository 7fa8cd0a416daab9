// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.ApiStatus;
import io.heapsampler.HeapGrowth;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SiteGrowth;
import io.heapsampler.assertj.Doubts.Chance;
import java.util.List;
import org.assertj.core.api.ListAssert;
import org.jspecify.annotations.Nullable;

/**
 * Assertions on how sites grow over several snapshots.
 *
 * <pre>{@code
 * assertThat(HeapGrowth.of(snapshots)).hasNoGrowingSites();
 * }</pre>
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
public class HeapGrowthAssert extends AbstractHeapAssert<HeapGrowthAssert, HeapGrowth> {

    /** Made by {@link HeapSamplerAssertions#assertThat(HeapGrowth)}; null fails each assertion. */
    public HeapGrowthAssert(@Nullable HeapGrowth actual) {
        super(actual, HeapGrowthAssert.class, Scope.NONE);
    }

    /**
     * Verifies that no site grows, and goes on growing in the later half, by more than chance
     * explains. This takes into account that many sites are tested: where the live bytes of none
     * change, it fails in at most one of 40 runs, however many sites there are. Undecided where no
     * site grows, but not all snapshots were taken after a forced collection, or samples were lost.
     * A site that grows by less than {@link HeapGrowth#smallestVisible()} mostly stays unseen.
     *
     * @return this
     */
    public HeapGrowthAssert hasNoGrowingSites() {
        if (!isThere()) {
            return this;
        }
        List<SiteGrowth> sites = actual.sites();
        List<SiteGrowth> growing =
                actual.growing().stream()
                        .filter(site -> Chance.isSure(site.chance(), sites.size()))
                        .toList();
        if (!growing.isEmpty()) {
            throw failed(
                    "Sites grow, and have not stopped, %s of %s over %s snapshots:\n%s%s"
                                    .formatted(
                                            growing.size(),
                                            sites.size(),
                                            actual.snapshots().size(),
                                            Top.ofGrowths(growing).text(info.representation()),
                                            Doubts.HELP)
                            + holders(last(), sites(growing)));
        }
        return undecided(Doubts.growth(actual.snapshots()));
    }

    private HeapSnapshot last() {
        return actual.snapshots().get(actual.snapshots().size() - 1);
    }

    /** Returns the sites of the last snapshot with these stacks, in their order. */
    private List<HeapSite> sites(List<SiteGrowth> growing) {
        List<HeapSite> all = last().sites();
        return growing.stream()
                .flatMap(
                        each ->
                                all.stream()
                                        .filter(site -> site.className().equals(each.className()))
                                        .filter(site -> site.stack().equals(each.stack())))
                .toList();
    }

    /** {@return assertions on all sites, fastest for sure first} */
    @CheckReturnValue
    public ListAssert<SiteGrowth> sites() {
        return toList(isThere() ? actual.sites() : List.of(), "sites");
    }

    /**
     * {@return assertions on {@link HeapGrowth#growing()}, fastest for sure first}. Where no site
     * grows, the list is empty in at least 95 of 100 runs. Its description says how small a growth
     * goes unseen.
     */
    @CheckReturnValue
    public ListAssert<SiteGrowth> growing() {
        return isThere()
                ? toList(actual.growing(), Doubts.listed(actual.smallestVisible()))
                : toList(List.of(), "growing sites");
    }
}
