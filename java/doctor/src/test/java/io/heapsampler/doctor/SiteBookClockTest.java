// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.OldCollections.at;
import static io.heapsampler.doctor.OldCollections.collected;
import static io.heapsampler.doctor.OldCollections.growing;
import static io.heapsampler.doctor.OldCollections.shot;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which snapshots follow each other, also if the clock is set between them. */
class SiteBookClockTest {

    private final SiteBook history = new SiteBook();

    private SiteMetrics site(String className) {
        return OldCollections.site(history, className);
    }

    /** In each direction; the collections are those of a clock that was not. */
    @ParameterizedTest
    @ValueSource(longs = {-3_600_000, 3_600_000})
    void aClockThatIsSetMixesNoSamplesWithCollections(long ahead) {
        Shot first = shot(15);
        first.live(first.site("a.Vain", "make", 1000), 20, 100, at(12), 1);
        history.add(first.take(), collected(10).timeline(), 0);
        Shot second = new Shot(at(0), at(21) + ahead);
        int vain = second.site("a.Vain", "make", 1000);
        second.dead(vain, 20, 100, at(12) + ahead, 1, at(19) + ahead, at(20) + 5 + ahead);
        second.live(vain, 20, 100, at(5) + ahead, 3);
        history.add(second.take(), collected(10, 20).timeline(), ahead);

        assertThat(history.totals().oldCollections()).isEqualTo(2);
        assertThat(site("a.Vain").reachedOld().value()).isEqualTo(2000);
        assertThat(site("a.Vain").promotedDead().value()).isEqualTo(2000);
        assertThat(site("a.Vain").retained().value()).isEqualTo(2000);
        assertThat(history.growth.snapshots.size()).isEqualTo(1);
        assertThat(history.growth.growing()).isEmpty();
    }

    @Test
    void growthTakesThreeSnapshots() {
        history.add(growing(60, 0, 1_000), collected(1).timeline(), 0);
        history.add(growing(120, 0, 9_000), collected(1).timeline(), 0);

        assertThat(history.growth.growing()).isEmpty();
    }

    @Test
    void aSnapshotThatIsNotLaterIsLeftOut() {
        history.add(growing(60, 0, 100), collected(1).timeline(), 0);
        history.add(growing(60, 0, 200), collected(1).timeline(), 0);
        history.add(growing(59, 0, 200), collected(1).timeline(), 0);

        assertThat(history.growth.snapshots.size()).isEqualTo(1);
        assertThat(site("a.Leak").live().samples()).isEqualTo(100);
    }

    /** By more than a second, or so that one snapshot is not later than the one before. */
    @ParameterizedTest
    @CsvSource({"10, 1000, 2", "10, -1000, 2", "10, 1001, 1", "10, -1001, 1", "1, -1000, 1"})
    void aClockThatIsPutRightDisturbsNoGrowth(int seconds, long ahead, int kept) {
        history.add(growing(60, 0, 100), collected(1).timeline(), 0);
        history.add(growing(60 + seconds, ahead, 200), collected(1).timeline(), ahead);

        assertThat(history.growth.snapshots.size()).isEqualTo(kept);
    }

    /** Before the sampler began there was a collection, of which it knows nothing. */
    @Test
    void whatWasBeforeTheSamplerIsNotCountedWhenTheClockIsSet() {
        long hour = 3_600_000;
        history.add(new Shot(at(15), at(16)).take(), collected(10).timeline(), 0);
        history.add(new Shot(at(15), at(21) + hour).take(), collected(10, 20).timeline(), hour);

        assertThat(history.totals().oldCollections()).isEqualTo(1);
    }
}
