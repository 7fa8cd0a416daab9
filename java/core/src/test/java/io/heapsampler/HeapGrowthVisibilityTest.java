// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.heapsampler.internal.Info;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

/** How small a growth {@link HeapGrowth} can see. */
class HeapGrowthVisibilityTest {

    @Test
    void growthThatGoesUnseenIsSaid() {
        List<HeapSnapshot> snapshots = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            GrowthShot shot = new GrowthShot(10 * i);
            shot.writer.info(Info.INTERVAL_IN_FORCE, 524_288);
            shot.writer.info(Info.FLAGS, Info.FLAG_GC_ASKED | Info.FLAG_GC_DONE);
            snapshots.add(shot.take());
        }
        HeapGrowth growth = HeapGrowth.of(snapshots);
        HeapDiff diff = snapshots.get(2).diff(snapshots.get(0));

        assertThat(growth.smallestVisible()).hasValue(5 * 1024 * 1024);
        assertThat(diff.smallestVisible()).hasValue(5 * 1024 * 1024);
        assertThat(growth)
                .hasToString(
                        "0 of 0 sites grow over 3 snapshots; growth of a site below about 5 MiB"
                                + " mostly goes unseen");
        assertThat(diff)
                .hasToString(
                        "0 of 0 sites have grown; growth of a site below about 5 MiB mostly goes"
                                + " unseen");
        assertThat(growth.notes())
                .isEqualTo(diff.notes())
                .extracting(Note::text)
                .containsExactly(
                        "A site is listed from about 10 new samples on: at this sampling interval,"
                                + " growth of a site below about 5 MiB mostly goes unseen. To see a"
                                + " growth of 512 KiB, use an interval of 32 KiB; for others see"
                                + " HeapGrowth.intervalToSee(bytes).");
    }

    @Test
    void whatGoesUnseenDependsOnHowSamplesAreChosen() {
        List<HeapSnapshot> exact = new ArrayList<>();
        List<HeapSnapshot> thinned = new ArrayList<>();
        List<HeapSnapshot> others = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            exact.add(new GrowthShot(i).take());
            GrowthShot shot = new GrowthShot(i);
            shot.writer.info(Info.INTERVAL_IN_FORCE, 1024).info(Info.THINNING, 2);
            thinned.add(shot.take());
            GrowthShot other = new GrowthShot(i);
            other.writer.info(Info.STRATEGY, SamplingStrategy.Kind.ALLOCATIONS.ordinal());
            other.writer.info(Info.STRATEGY_AMOUNT, 1_000);
            others.add(other.take());
        }

        assertThat(HeapGrowth.of(exact).smallestVisible()).hasValue(0);
        assertThat(HeapGrowth.of(exact)).hasToString("0 of 0 sites grow over 3 snapshots");
        assertThat(HeapGrowth.of(exact).notes())
                .extracting(Note::text)
                .singleElement(as(InstanceOfAssertFactories.STRING))
                .startsWith("Not all snapshots were taken after a forced collection");
        assertThat(HeapGrowth.of(thinned).smallestVisible()).hasValue(40 * 1024);
        assertThat(HeapGrowth.of(others).smallestVisible()).isEmpty();
        assertThat(HeapGrowth.of(others).notes().get(0).text())
                .isEqualTo(
                        "A site is listed from about 10 new samples on. Samples were not chosen by"
                                + " bytes, so no number of bytes says which growth goes unseen.");
    }

    @Test
    void intervalToSeeIsAPowerOfTwoOfSixteenSamplesOrMore() {
        assertThat(HeapGrowth.intervalToSee(1024 * 1024)).isEqualTo(64 * 1024);
        assertThat(HeapGrowth.intervalToSee(1024 * 1024 - 1)).isEqualTo(32 * 1024);
        assertThat(HeapGrowth.intervalToSee(15)).isZero();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HeapGrowth.intervalToSee(0))
                .withMessage("growth must be 1 byte or more: 0");
    }
}
