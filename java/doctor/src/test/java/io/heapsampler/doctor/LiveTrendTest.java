// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.Story.MB;
import static io.heapsampler.doctor.Story.severity;
import static io.heapsampler.doctor.Story.why;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.GarbageCollector;
import java.util.Map;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.Test;

/** Which series count as growth of the live set, and which do not. */
class LiveTrendTest {

    private static boolean rises(int olds, IntToLongFunction megabytes) {
        Story story = Story.serial();
        for (int i = 0; i < olds; i++) {
            story.seconds(5, MB).old = 200 * MB;
            story.full(0, megabytes.applyAsLong(i) * MB, "Allocation Failure");
        }
        return severity(story.judged(), "leak.growth") != null;
    }

    @Test
    void itRisesSteadily() {
        assertThat(rises(12, i -> 20 + 8 * i + i % 2 * 10)).isTrue();
        assertThat(rises(12, i -> 20 + 8 * i + i * 7 % 5 * 30)).isFalse();
    }

    @Test
    void byFifteenPercent() {
        assertThat(rises(12, i -> 100 + 2 * i)).isTrue();
        assertThat(rises(12, i -> 100 + i)).isFalse();
    }

    @Test
    void andGoesOn() {
        assertThat(rises(12, i -> 10 + (i < 8 ? 10 * i : 72 - 2 * (i - 8)))).isFalse();
        assertThat(rises(14, i -> 10 + (i < 7 ? 10 * i : 63 + i))).isFalse();
    }

    /** Thick and fast at the end, when the heap is full: each piece of the time counts once. */
    @Test
    void manyAtTheEndHideNoGrowth() {
        Story story = Story.serial();
        for (int i = 0; i < 148; i++) {
            story.second(MB).old = 250 * MB;
            story.millis(i < 48 ? 4_000 : 0);
            story.full(0, Math.min(20 + 4 * i, 212) * MB, "Allocation Failure");
            story.now -= i < 48 ? 0 : 999;
        }
        assertThat(severity(story.judged(), "leak.growth")).isNotNull();
    }

    /** A story of G1 on a JDK that does not notify markings. */
    private static Story marking(Story story) {
        return story.event(LiveSet.MARKED, 0, Map.of());
    }

    /**
     * Each young pause promotes as much; after the second minute the heap is marked all the time.
     */
    private static Story promoting(int seconds, long promoted) {
        Story story = Story.g1();
        for (int i = 0; i < seconds; i++) {
            story.second(20 * MB).young(5, promoted, "G1 Evacuation Pause");
            if (i >= 120) {
                marking(story);
            }
        }
        return story.second(0);
    }

    /** G1 frees no old region after a marking that finds no garbage there: no mixed pause tells. */
    @Test
    void theMarkingsOfG1TellThatNothingWasFreed() {
        assertThat(severity(promoting(110, MB).judged(), "leak.growth")).isNull();
        assertThat(severity(promoting(180, MB).judged(), "leak.growth"))
                .isEqualTo(Severity.WARNING);
    }

    /** What was promoted since the last marking may be garbage. */
    @Test
    void whatG1PromotesBetweenMarkingsIsNoGrowth() {
        Story story = Story.g1();
        for (int round = 0; round < 8; round++) {
            for (int i = 0; i < 15; i++) {
                story.second(20 * MB).young(5, 5 * MB, "G1 Evacuation Pause");
            }
            marking(story).second(20 * MB).old = 40 * MB;
            story.young(5, 0, "G1 Evacuation Pause");
        }
        assertThat(severity(story.second(0).judged(), "leak.growth")).isNull();
    }

    /** The old generation fills with live objects; the first collection comes when it is full. */
    @Test
    void oneCollectionThatFreesNothingShowsGrowth() {
        Story story = Story.serial();
        for (int i = 0; i < 110; i++) {
            story.second(20 * MB).young(5, 2 * MB);
        }
        story.full(300, 228 * MB, "Ergonomics");

        assertThat(severity(story.second(0).judged(), "leak.growth")).isEqualTo(Severity.CRITICAL);
    }

    /** The same, and the collection frees a third: some of the promoted objects were garbage. */
    @Test
    void oneCollectionThatFreesMuchShowsNoGrowth() {
        Story story = Story.serial();
        for (int i = 0; i < 110; i++) {
            story.second(20 * MB).young(5, 2 * MB);
        }
        story.full(300, 100 * MB, "Ergonomics");

        assertThat(severity(story.second(0).judged(), "leak.growth")).isNull();
    }

    /** The last seconds of a heap in which nothing can be freed: a storm of full collections. */
    private static Story filling(int storm) {
        Story story = Story.serial();
        for (int i = 0; i < 12; i++) {
            story.seconds(10, 20 * MB).old += 30 * MB;
            story.full(50, Math.min(20 + 20 * i, 236) * MB, "Allocation Failure");
        }
        for (int i = 0; i < storm; i++) {
            story.old = 250 * MB;
            story.full(400, 236 * MB, "Allocation Failure");
            story.second(MB / 4); // Hardly anything has room.
        }
        return story.second(0);
    }

    @Test
    void aFindingStaysWhileTheHeapIsFull() {
        assertThat(severity(filling(0).judged(), "leak.growth")).isEqualTo(Severity.CRITICAL);
        assertThat(severity(filling(30).judged(), "leak.growth")).isEqualTo(Severity.CRITICAL);
        assertThat(severity(filling(600).judged(), "leak.growth")).isEqualTo(Severity.CRITICAL);
    }

    /** The heap is filled by a cache, which then replaces its entries: nothing is added. */
    @Test
    void aFullCacheThatReplacesItsEntriesIsNoLeak() {
        Story story = Story.serial().seconds(10, MB);
        for (int i = 0; i < 12; i++) {
            story.second(20 * MB).old = 250 * MB;
            story.full(20, (20 + 18 * i) * MB, "Allocation Failure");
        }
        assertThat(severity(story.judged(), "leak.growth")).isEqualTo(Severity.CRITICAL);
        for (int i = 0; i < 30; i++) {
            story.second(20 * MB).old = 250 * MB;
            story.full(20, 218 * MB, "Allocation Failure");
        }
        Diagnosis diagnosis = story.second(0).judged();

        assertThat(severity(diagnosis, "leak.growth")).isNull();
        assertThat(severity(diagnosis, "old.frequent")).isEqualTo(Severity.WARNING);
        assertThat(diagnosis.finding("old.frequent").orElseThrow().notFired())
                .extracting(Check::id)
                .doesNotContain("leak.growth");
    }

    /** Two requested collections in a row free little wherever nothing was allocated between. */
    @Test
    void requestedCollectionsDoNotShowThatNoRoomIsLeft() {
        for (String cause : new String[] {"System.gc()", "Diagnostic Command"}) {
            Story story = Story.serial().seconds(10, MB);
            for (int i = 0; i < 12; i++) {
                story.second(20 * MB).old = 250 * MB;
                story.full(20, (20 + 18 * i) * MB, "Allocation Failure");
            }
            story.full(20, 218 * MB, cause).full(20, 218 * MB, cause);
            for (int i = 0; i < 30; i++) {
                story.second(20 * MB).old = 250 * MB;
                story.full(20, 218 * MB, "Allocation Failure");
            }
            assertThat(severity(story.second(0).judged(), "leak.growth")).isNull();
        }
    }

    /** Where the old generation is full, a leak goes on in the young one for as long again. */
    @Test
    void aLeakThatGoesOnInTheYoungGenerationIsStillOne() {
        Story story = Story.serial();
        story.maxYoung = 85 * MB;
        for (int i = 1; i <= 60; i++) {
            story.second(20 * MB).old = 171 * MB;
            story.full(20, Math.min(4 * i, 171) * MB, "Allocation Failure");
        }
        assertThat(severity(story.second(0).judged(), "leak.growth")).isEqualTo(Severity.CRITICAL);
    }

    /** The full collections of Parallel leave what does not fit in the young generation. */
    @Test
    void aLeakThatEachCollectionShowsToGoOnHasNotStopped() {
        Story story = Story.serial();
        story.maxHeap = 132 * MB;
        story.maxYoung = 24 * MB;
        for (int i = 1; i <= 90; i++) {
            story.second(i < 70 ? 20 * MB : 60 * MB).old = 108 * MB;
            long live = (long) (1.25 * i * MB);
            story.full(20, live, "Ergonomics").old = Math.min(live, 108 * MB);
        }
        assertThat(severity(story.second(0).judged(), "leak.growth")).isEqualTo(Severity.CRITICAL);
    }

    /** Each OutOfMemoryError gives back what its request held, and other requests go on. */
    @Test
    void aLeakThatHasFilledAllOfTheHeapHasNotStopped() {
        Story story = Story.serial();
        for (int i = 1; i <= 200; i++) {
            story.second(20 * MB).old = 254 * MB;
            story.full(20, (i < 80 ? 3 * i + 14 : 240) * MB, "Allocation Failure");
        }
        assertThat(severity(story.second(0).judged(), "leak.growth")).isEqualTo(Severity.CRITICAL);
    }

    /** The same with Parallel, whose survivor spaces stay empty: 139 of 160 MiB are all. */
    @Test
    void aLeakThatOneCollectionAfterTheOtherFindsHasNotStopped() {
        Story story = Story.serial();
        story.maxHeap = 160 * MB;
        story.maxYoung = 53 * MB;
        for (int i = 1; i <= 200; i++) {
            story.second(20 * MB).old = 139 * MB;
            story.full(20, (i < 70 ? 2 * i : 131) * MB, "Ergonomics").old = 107 * MB;
        }
        assertThat(severity(story.second(0).judged(), "leak.growth")).isEqualTo(Severity.CRITICAL);
    }

    /** Others, such as listeners of collections, allocate while all that leaks has stopped. */
    @Test
    void whereNoRoomIsLeftNothingShowsThatALeakHasStopped() {
        Story story = new Story(GarbageCollector.Z_GENERATIONAL, 25);
        for (int i = 0; i < 120; i++) {
            story.second(i < 45 ? 20 * MB : 10 * MB).old = 254 * MB;
            long live = Math.min(20 + 5 * i, 248) * MB;
            story.old(CollectionKind.OLD_CYCLE, 400, live, "Allocation Stall");
        }
        assertThat(severity(story.second(0).judged(), "leak.growth")).isEqualTo(Severity.CRITICAL);
    }

    /** ZGC promotes seldom: what leaks is young for long, and becomes old all at once. */
    @Test
    void aLeakIsSeenThroughItsObjectsAreYoung() {
        Story story = new Story(GarbageCollector.Z_GENERATIONAL, 25);
        for (int i = 1; i <= 60; i++) {
            story.young = i <= 30 ? 3 * i * MB : 5 * MB;
            story.second(20 * MB);
            if (i % 10 == 0) {
                long live = i < 30 ? 10 : i < 50 ? 100 : 248;
                story.old(CollectionKind.OLD_CYCLE, 400, live * MB, "Allocation Rate");
            }
        }
        assertThat(severity(story.second(0).judged(), "leak.growth")).isEqualTo(Severity.CRITICAL);
    }

    /** A heap that was full from the beginning: no figure shows how it became full. */
    @Test
    void noLeakIsRuledOutInAFullHeap() {
        Story story = Story.serial();
        story.old = 236 * MB;
        for (int i = 0; i < 20; i++) {
            story.second(MB).old = 250 * MB;
            story.full(400, 236 * MB, "Allocation Failure");
        }
        Diagnosis diagnosis = story.second(0).judged();

        assertThat(severity(diagnosis, "leak.growth")).isNull();
        assertThat(why(diagnosis, "leak.growth")).startsWith("The live set nearly fills the heap");
        assertThat(diagnosis.finding("old.frequent").orElseThrow().notFired())
                .extracting(Check::id)
                .doesNotContain("leak.growth");
    }

    /** An hour without growth, and then a leak. */
    @Test
    void growthThatBeginsLateIsSeen() {
        Story story = Story.serial();
        for (int i = 0; i < 100; i++) {
            long live = i < 70 ? 60 + i % 3 : 60 + 5 * (i - 70);
            story.seconds(30, MB).old = 200 * MB;
            story.full(0, live * MB, "Allocation Failure");
        }
        assertThat(severity(story.second(0).judged(), "leak.growth")).isNotNull();
    }

    /** A batch that has held more before is no growth when it comes again. */
    @Test
    void whatWasAsMuchBeforeIsNoGrowth() {
        Story story = Story.serial();
        for (int i = 0; i < 99; i++) {
            story.seconds(30, MB).old = 240 * MB;
            story.full(0, (60 + 5 * (i % 33)) * MB, "Allocation Failure");
        }
        assertThat(severity(story.second(0).judged(), "leak.growth")).isNull();
    }

    /**
     * A service with much to do by day and little by night, which is inspected when its live set
     * has risen for four hours of the morning to what it was the day before.
     */
    private static Story morning(Story story, boolean isForgotten) {
        for (int minute = 0; minute < 24 * 60; minute++) {
            int load = minute < 6 * 60 ? 150 : 60 + Math.max(0, (minute - 20 * 60) / 3);
            long live = load * MB;
            story.now += 59_000;
            story.old = live + minute % 10 * 3 * MB;
            story.second(0);
            if (!isForgotten || minute > 20 * 60 - 10) {
                marking(story);
                story.old = live;
                story.young(5, 0, "G1 Evacuation Pause");
            }
            if (minute == 20 * 60 - 10) {
                story.completeFrom = isForgotten ? story.now : Long.MIN_VALUE;
            }
        }
        return story.second(0);
    }

    @Test
    void theLoadOfAMorningIsNoGrowth() {
        assertThat(severity(morning(Story.g1(), false).judged(), "leak.growth")).isNull();
    }

    /** The collections of the day before are forgotten, the ticks are not. */
    @Test
    void norIsItWhenTheCollectionsOfTheDayBeforeAreForgotten() {
        assertThat(severity(morning(Story.g1(), true).judged(), "leak.growth")).isNull();
    }

    /** Nothing of this hides a leak of a day, of which only the last hours are known. */
    @Test
    void aSlowLeakIsSeenThoughItsFirstCollectionsAreForgotten() {
        Story story = Story.g1();
        for (int minute = 0; minute < 24 * 60; minute++) {
            long live = 40 * MB + minute * MB / 12;
            story.now += 59_000;
            story.old = live + minute % 10 * 3 * MB;
            story.second(0);
            if (minute >= 20 * 60) {
                marking(story);
                story.old = live;
                story.young(5, 0, "G1 Evacuation Pause");
            }
            story.completeFrom = minute == 20 * 60 ? story.now : story.completeFrom;
        }
        assertThat(severity(story.second(0).judged(), "leak.growth")).isEqualTo(Severity.WARNING);
    }

    /** What it says is about the time in which the heap became full, not about the rest. */
    @Test
    void theTimeInWhichTheHeapIsFullIsNoTimeOfGrowth() {
        Finding soon = filling(0).judged().finding("leak.growth").orElseThrow();
        Finding late = filling(600).judged().finding("leak.growth").orElseThrow();

        assertThat(soon.title()).matches(".* in 1[0-2][0-9] s");
        assertThat(late.title()).matches(".* in (1[0-2][0-9] s|2 min)");
        assertThat(late.endedAt()).isAfter(soon.endedAt().plusSeconds(500));
    }
}
