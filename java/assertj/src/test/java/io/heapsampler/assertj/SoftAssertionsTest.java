// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.heapsampler.HeapGrowth;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import java.util.List;
import org.assertj.core.api.BDDSoftAssertions;
import org.assertj.core.api.SoftAssertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class SoftAssertionsTest {

    private static final HeapSnapshot SHOP =
            new TestSnapshot(0)
                    .afterGc()
                    .site("byte[]", "com.acme.Cart.add", 40, 40, 0)
                    .site("char[]", "com.acme.Cart.rename", 20, 0, 0)
                    .take();

    /** As a user would mix it into his own. */
    public static class Mixed extends SoftAssertions implements HeapSamplerSoftAssertionsProvider {}

    /** The same for those who say then. */
    public static class MixedThen extends BDDSoftAssertions
            implements HeapSamplerBDDSoftAssertionsProvider {}

    @Test
    void allThatFailsIsReportedWhereverItWasNavigatedTo() {
        SoftHeapSamplerAssertions softly = new SoftHeapSamplerAssertions();

        softly.assertThat(SHOP)
                .allocatesAtMost(1)
                .sitesOf(byte[].class)
                .allocatesAtMost(2)
                .leavesBehindAtMost(3)
                .returnToSnapshot()
                .leavesBehindAtMost(4);
        softly.assertThat(SHOP).siteAt("com.acme.Cart", "rename").isOf("byte[]").stack().isEmpty();
        softly.assertThat(SHOP).liveBytes().isAtMost("5 B").isAtLeast("1 GB");
        softly.assertThat(SHOP).sites().hasSize(9).first().allocatesAtMost(6);
        softly.assertThat(SHOP).classTotals("byte[]").hasNothingLive();
        softly.assertThat(SHOP).threadTotals("main").hasNothingLive();
        softly.assertThat(SHOP.diff(SHOP)).hasGrownByAtLeast("7 B");
        softly.assertThat(SHOP).hasNoDrops().hasNoNotes();
        softly.assertThat("also").isEqualTo("AssertJ's own");

        assertThat(softly.assertionErrorsCollected()).hasSize(14);
    }

    @Test
    void aSiteThatIsMissingIsReportedOnce() {
        SoftHeapSamplerAssertions softly = new SoftHeapSamplerAssertions();

        softly.assertThat(SHOP)
                .siteAt("com.acme.Cart", "absent")
                .isOf("byte[]")
                .allocatesAtMost(1)
                .hasNothingLive()
                .allocatedBytes()
                .isAtMost(1)
                .hasAtLeastSamples(3);
        softly.assertThat(SHOP).siteAt("com.acme.Cart", "absent").stack().isEmpty();

        assertThat(softly.assertionErrorsCollected())
                .hasSize(2)
                .allSatisfy(
                        error ->
                                assertThat(error)
                                        .hasMessageContaining(
                                                "No sampled site is at com.acme.Cart.absent."));
    }

    @Test
    void theyMixWithOthers() {
        Mixed mixed = new Mixed();
        mixed.assertThat(SHOP).sitesOf("byte[]").hasNothingLive();
        mixed.assertThat(1).isEqualTo(2);
        MixedThen then = new MixedThen();
        then.then(SHOP).sitesOf("byte[]").hasNothingLive();
        then.then(1).isEqualTo(2);

        assertThat(mixed.assertionErrorsCollected()).hasSize(2);
        assertThat(then.assertionErrorsCollected()).hasSize(2);
    }

    @Test
    void everyTypeHasASoftForm() {
        SoftHeapSamplerAssertions softly = new SoftHeapSamplerAssertions();
        HeapSite site = SHOP.sites().get(0);
        HeapSnapshot later = new TestSnapshot(0).takenAt(2).site("byte[]", "a.A.m", 1, 1, 0).take();
        HeapSnapshot last = new TestSnapshot(0).takenAt(3).take();

        softly.assertThat(site).allocatesAtMost(1);
        softly.assertThat(SHOP.totals()).allocatesAtMost(1);
        softly.assertThat(site.allocated().bytes()).isAtMost(1);
        softly.assertThat(later.diff(last)).isAfterGc();
        softly.assertThat(HeapGrowth.of(List.of(SHOP, later, last))).sites().hasSize(99);
        softly.assertThat((HeapSnapshot) null).hasNoDrops();

        assertThat(softly.assertionErrorsCollected()).hasSize(6);
    }

    @Test
    void whatIsNavigatedToIsSoftFromEveryType() {
        SoftHeapSamplerAssertions softly = new SoftHeapSamplerAssertions();
        HeapSnapshot later = new TestSnapshot(0).takenAt(2).site("byte[]", "a.A.m", 1, 1, 0).take();

        softly.assertThat(SHOP.sites().get(0)).allocatedBytes().isAtMost(1).isAtMost(2);
        softly.assertThat(SHOP.totals()).allocatedObjects().isAtMost(1).isAtMost(2);
        softly.assertThat(later.diff(SHOP)).deltas().hasSize(99);

        assertThat(softly.assertionErrorsCollected()).hasSize(5);
    }

    @Test
    void everyTypeHasAFormWithThen() {
        MixedThen softly = new MixedThen();
        HeapSite site = SHOP.sites().get(0);
        HeapSnapshot later = new TestSnapshot(0).takenAt(2).site("byte[]", "a.A.m", 1, 1, 0).take();
        HeapSnapshot last = new TestSnapshot(0).takenAt(3).take();
        HeapGrowth growth = HeapGrowth.of(List.of(SHOP, later, last));

        softly.then(site).allocatesAtMost(1);
        softly.then(SHOP.totals()).allocatesAtMost(1);
        softly.then(site.allocated().bytes()).isAtMost(1);
        softly.then(later.diff(last)).isAfterGc();
        softly.then(growth).sites().hasSize(99);
        assertThat(softly.assertionErrorsCollected()).hasSize(5);

        for (ThrowingCallable hard :
                List.<ThrowingCallable>of(
                        () -> HeapSamplerBDDAssertions.then(site).allocatesAtMost(1),
                        () -> HeapSamplerBDDAssertions.then(SHOP.totals()).allocatesAtMost(1),
                        () -> HeapSamplerBDDAssertions.then(site.allocated().bytes()).isAtMost(1),
                        () -> HeapSamplerBDDAssertions.then(growth).sites().hasSize(99))) {
            assertThatExceptionOfType(AssertionError.class).isThrownBy(hard);
        }
        HeapSamplerBDDAssertions.then(later.diff(SHOP)).deltas().isNotEmpty();
    }

    @Test
    void assertSoftlyThrowsAtTheEndAndMistakesAtOnce() {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(
                        () ->
                                SoftHeapSamplerAssertions.assertSoftly(
                                        softly -> softly.assertThat(SHOP).allocatesNothing()))
                .withMessageContaining("Allocated bytes of the snapshot over the limit:");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                SoftHeapSamplerAssertions.assertSoftly(
                                        softly ->
                                                softly.assertThat(SHOP).allocatesAtMost("1 MBB")));
    }
}
