// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.Story.MB;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.GarbageCollector;
import org.junit.jupiter.api.Test;

/** What counts as promoted, and which collections of the old generation count. */
class OldFiguresTest {

    private static PrematurePromotion.Promotions promoted(Story story) {
        return PrematurePromotion.Promotions.of(story.situation());
    }

    @Test
    void pausesAndCyclesOfTheYoungGenerationPromote() {
        Story story =
                new Story(GarbageCollector.Z_GENERATIONAL, 21).second(100 * MB).young(5, 3 * MB);
        story.second(100 * MB).old(CollectionKind.YOUNG_CYCLE, 50, 17 * MB, "Allocation Rate");
        story.second(0).old(CollectionKind.OLD_CYCLE, 50, 40 * MB, "Proactive");
        story.old(CollectionKind.PHASE_PAUSE, 1, 50 * MB, "Proactive");

        assertThat(promoted(story))
                .isEqualTo(
                        new PrematurePromotion.Promotions(
                                7.0 * MB, 0.035, 2, 1_001_000, 30.0 * MB));
    }

    @Test
    void aCollectionThatMovesNothingToTheOldGenerationPromotesNothing() {
        Story story = Story.g1().second(0).young(5, 0).young(5, -4 * MB);

        assertThat(promoted(story))
                .isEqualTo(new PrematurePromotion.Promotions(0, 0, 0, 1_001_010, 30.0 * MB));
    }

    @Test
    void whereNothingIsKnownToBeAllocatedAllIsPromoted() {
        Story story = Story.g1().second(0).young(5, MB).second(0);

        assertThat(promoted(story).share()).isEqualTo(1);
    }

    /** Without a tick it is not known how much was allocated. */
    @Test
    void onlyWhatWasPromotedUpToTheLastTickCounts() {
        Story story = Story.serial().second(100 * MB).young(5, MB).second(100 * MB);
        story.millis(30_000).young(5, 50 * MB);

        assertThat(promoted(story).bytes()).isEqualTo(MB);
        assertThat(promoted(story).share()).isEqualTo(0.005);
    }

    private static OldFigures olds(Story story) {
        return OldFigures.of(story.situation());
    }

    @Test
    void thoseOfTenMinutesForWantOfSpaceCount() {
        Story story = Story.serial().second(MB).full(0, 5 * MB, "Allocation Failure");
        story.full(0, 4 * MB, "System.gc()").seconds(600, MB);

        assertThat(olds(story).count()).isEqualTo(1);
        assertThat(olds(story).freedShare()).isEqualTo(0.5);
        assertThat(olds(story).live()).isEqualTo(5 * MB);
        assertThat(olds(story.second(MB)).count()).isZero();
        assertThat(olds(story).freedShare()).isZero();
        assertThat(olds(story).worstMinute().count()).isZero();
    }

    private static Situation.Minute worst(int... seconds) {
        Story story = Story.serial();
        for (int at : seconds) {
            story.now = 1_000_000 + 1000 * at;
            story.full(1000, 10 * MB, "Allocation Failure");
        }
        return olds(story.second(MB)).worstMinute();
    }

    @Test
    void theWorstMinuteIsTheFirstWithMostOfThem() {
        assertThat(worst(10, 20, 69)).isEqualTo(new Situation.Minute(3, 3, 1_010_000, 1_070_000));
        assertThat(worst(10, 20, 70)).isEqualTo(new Situation.Minute(2, 2, 1_010_000, 1_021_000));
        assertThat(worst(10, 80, 90, 200, 210))
                .isEqualTo(new Situation.Minute(2, 2, 1_080_000, 1_091_000));
    }

    @Test
    void oneOfMoreThanAMinuteIsItsOwnMinute() {
        Story story = Story.serial().second(MB).full(61_000, 10 * MB, "Allocation Failure");

        assertThat(olds(story.second(MB)).worstMinute())
                .isEqualTo(new Situation.Minute(1, 1, 1_001_000, 1_062_000));
    }

    /** Mixed pauses of one cycle go down; the next cycle begins higher. */
    @Test
    void mixedPausesOfTheNextCycleAreACollectionOfTheirOwn() {
        for (long before : new long[] {60, 101}) {
            Story story = Story.g1();
            story.old = 100 * MB;
            story.old(CollectionKind.YOUNG_PAUSE, 5, 60 * MB, "G1 Evacuation Pause").second(0);
            story.old = before * MB;
            story.old(CollectionKind.YOUNG_PAUSE, 5, 50 * MB, "G1 Evacuation Pause");
            assertThat(OldCollection.of(story.timeline())).hasSize(before == 60 ? 1 : 2);
        }
    }

    /**
     * JDK 17 to 19 do not notify that G1 frees the regions in which marking found nothing alive.
     */
    @Test
    void whatG1FreesBetweenTwoPausesBelongsToTheCollection() {
        Story story = Story.g1();
        story.old = 100 * MB;
        story.young(5, MB, "G1 Evacuation Pause").second(10 * MB).old = 50 * MB;
        story.young(5, 0, "G1 Evacuation Pause").second(10 * MB);
        story.old(CollectionKind.YOUNG_PAUSE, 5, 40 * MB, "G1 Evacuation Pause");

        assertThat(OldCollection.of(story.timeline()))
                .singleElement()
                .matches(old -> old.at() == 1_000_005 && old.end() == 1_002_015)
                .matches(old -> old.survived() == 1_001_005)
                .matches(old -> old.freed() == 61 * MB);
        story.completeFrom = 1_000_001; // What came between the two may be forgotten.
        assertThat(OldCollection.of(story.timeline()))
                .singleElement()
                .matches(old -> old.freed() == 10 * MB);
    }
}
