// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.LeakStories.found;
import static io.heapsampler.doctor.LeakStories.growing;
import static io.heapsampler.doctor.LeakStories.holding;
import static io.heapsampler.doctor.Story.MB;
import static io.heapsampler.doctor.Story.severity;
import static io.heapsampler.doctor.Story.value;
import static io.heapsampler.doctor.Story.why;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How severe growth is. */
class LeakGrowthTest {
    /** 12 MiB more after each of eleven collections: half of the heap and more, at last. */
    private static Diagnosis halfFull(int secondsApart) {
        return halfFull(secondsApart, 0);
    }

    private static Diagnosis halfFull(int secondsApart, double pauseMillis) {
        Story story = Story.serial();
        for (int i = 1; i <= 11; i++) {
            story.seconds(secondsApart, 20 * MB).old += 40 * MB;
            story.full(pauseMillis, i * 12 * MB, "Allocation Failure");
        }
        return story.second(0).judged();
    }

    @Test
    void aCacheThatFillsWithinAMomentIsNoLeakYet() {
        assertThat(severity(halfFull(9), "leak.growth")).isEqualTo(Severity.WARNING);
        assertThat(severity(halfFull(8), "leak.growth")).isEqualTo(Severity.INFO);
        assertThat(severity(halfFull(0), "leak.growth")).isNull();
        assertThat(why(halfFull(0), "leak.growth")).contains("too short to see growth");
    }

    /** Each application has sites that hold most: they say nothing of growth. */
    @Test
    void littleGrowthOfAMinuteNeedsASiteWithObjectsOfManyAges() {
        Story story = growing(12);
        assertThat(found(story, holding(story, 4, 5, 1_001_000)).severity())
                .isEqualTo(Severity.WARNING);
        assertThat(found(story, holding(story, 3, 5, 1_001_000)).severity())
                .isEqualTo(Severity.INFO);
    }

    /** It fills for a minute, with as much each second, and is full. */
    @Test
    void aCacheThatIsFullIsNotWarnedOfTwentySecondsLater() {
        for (int later = 20; later < 120; later += 2) {
            Story story = Story.serial();
            for (int second = 0; second < 60 + later; second += 2) {
                story.seconds(2, 20 * MB).old += 30 * MB;
                story.full(0, (20 + 2 * Math.min(second, 60)) * MB, "Allocation Failure");
            }
            assertThat(severity(story.second(0).judged(), "leak.growth"))
                    .as("%d s later", later)
                    .isIn(null, Severity.INFO);
        }
    }

    /** With a site, growth for 96 s by a twentieth of the heap is no warm-up. */
    @Test
    void growthThatLastsIsWarnedOfIfASiteIsKnown() {
        Story lasting = growing(9);
        assertThat(found(lasting, new SiteBook()).severity()).isEqualTo(Severity.INFO);
        assertThat(found(lasting, holding(lasting, 4, 5, 1_001_000)).severity())
                .isEqualTo(Severity.WARNING);
        Story less = growing(8);
        assertThat(found(less, holding(less, 4, 5, 1_001_000)).severity()).isEqualTo(Severity.INFO);
        lasting.maxHeap = 2048 * MB;
        assertThat(found(lasting, holding(lasting, 4, 5, 1_001_000)).severity())
                .isEqualTo(Severity.INFO);
    }

    /** It takes 62 % of the heap, and the collections of the old generation take no time. */
    @ParameterizedTest
    @ValueSource(ints = {40, 60, 70, 80})
    void aCacheThatFillsEvenlyIsNotWarnedOf(int fill) {
        for (int end = 10; end < 3 * fill; end += 2) {
            Story story = Story.serial();
            for (int second = 2; second <= end; second += 2) {
                story.seconds(2, 20 * MB).old += 30 * MB;
                story.full(0, (10 + 150 * Math.min(second, fill) / fill) * MB, "Ergonomics");
            }
            SiteBook book = holding(story, 4, 5, 1_001_000);
            assertThat(severity(story.second(0).judged(book), "leak.growth"))
                    .as("after %d s", end)
                    .isIn(null, Severity.INFO);
        }
    }

    /**
     * Serial and Parallel collect the old generation when it is full, for the first time here: it
     * leaves 96 of 120 MiB.
     */
    private static Severity onceCollected(long freed) {
        Story story = Story.serial();
        story.maxHeap = 144 * MB;
        story.maxYoung = 24 * MB;
        story.old = 6 * MB;
        for (int second = 0; second < 45; second++) {
            story.second(20 * MB).young(5, (90 * MB + freed) / 45);
        }
        story.full(300, 96 * MB, "Ergonomics");
        return severity(story.second(0).judged(), "leak.growth");
    }

    /** Live objects of the old generation have been alive since they came there. */
    @Test
    void oneCollectionThatFreesLittleShowsTheLiveSetOfAllTimesBefore() {
        assertThat(onceCollected(2 * MB)).isEqualTo(Severity.WARNING);
        assertThat(onceCollected(12 * MB)).isEqualTo(Severity.WARNING);
        assertThat(onceCollected(22 * MB)).isIn(null, Severity.INFO);
    }

    /** A marking of G1 frees no bytes itself: of earlier times it shows nothing. */
    @Test
    void oneMarkingShowsTheLiveSetOfOneTime() {
        Story story = Story.g1();
        for (int second = 0; second < 45; second++) {
            story.second(20 * MB).young(5, 22 * MB / 5, "G1 Evacuation Pause");
        }
        story.event(LiveSet.MARKED, 0, Map.of()).second(20 * MB);
        story.young(5, 0, "G1 Evacuation Pause");
        assertThat(severity(story.second(0).judged(), "leak.growth")).isEqualTo(Severity.INFO);
    }

    /** A cache of most of the heap is filled while the application starts. */
    @Test
    void whatIsFilledAtTheStartIsNotWarnedOfThoughTheHeapIsTight() {
        for (int end = 2; end < 60; end++) {
            Story story = Story.serial();
            for (int second = 1; second <= end; second++) {
                story.second(60 * MB).old = 250 * MB;
                story.full(0, 219 * MB * Math.min(second, 11) / 11, "Ergonomics");
            }
            assertThat(severity(story.second(0).judged(), "leak.growth"))
                    .as("after %d s", end)
                    .isIn(null, Severity.INFO);
        }
    }

    /** A leak of 40 seconds, and one of an hour that is seen late: only one of them is urgent. */
    @Test
    void aLeakThatFillsTheHeapWithinAMinuteIsWarnedOf() {
        for (int second = 20; second <= 35; second++) {
            Story story = Story.serial();
            for (int i = 1; i <= second; i++) {
                story.second(20 * MB).old += 30 * MB;
                story.full(0, i * 236 * MB / 40, "Ergonomics");
            }
            assertThat(severity(story.second(0).judged(), "leak.growth"))
                    .as("after %d s", second)
                    .isEqualTo(second < 33 ? Severity.INFO : Severity.WARNING);
        }
        Story slow = Story.serial();
        for (int i = 1; i <= 80; i++) {
            slow.second(20 * MB).old += 30 * MB;
            slow.full(0, 160 * MB + i * 35 * MB / 80, "Ergonomics");
        }
        assertThat(severity(slow.second(0).judged(), "leak.growth")).isEqualTo(Severity.INFO);
    }

    /** The same cache, while the collections take more time than they may: the heap is tight. */
    @Test
    void aHeapThatIsTightIsWarnedOfSooner() {
        assertThat(severity(halfFull(4, 60), "leak.growth")).isEqualTo(Severity.WARNING);
        assertThat(severity(halfFull(4, 20), "leak.growth")).isEqualTo(Severity.INFO);
    }

    /** Before a tenth of the time in which it would fill the heap is over. */
    @ParameterizedTest
    @ValueSource(ints = {60, 30})
    void aLeakIsWarnedOfWithinATenthOfItsTime(int minutes) {
        Story story = Story.serial();
        story.maxHeap = 1024 * MB;
        for (int second = 10; second <= 6 * minutes; second += 10) {
            story.seconds(10, 20 * MB).old += 30 * MB;
            story.full(0, 10 * MB + 1024 * MB * second / (60 * minutes), "Ergonomics");
        }
        SiteBook book = holding(story, 4, 5, 1_001_000);
        assertThat(severity(story.judged(book), "leak.growth")).isEqualTo(Severity.WARNING);
    }

    /** The heap is full, a second full pause clears soft references, and it fills again. */
    private static Story soft(long left) {
        return soft(20, 9, left);
    }

    private static Story soft(long first, long step, long left) {
        Story story = Story.serial();
        for (int i = 1; i <= 24; i++) {
            story.seconds(5, 20 * MB).old += 40 * MB;
            story.full(5, (first + step * i) * MB, "Allocation Failure");
            if (i == 4) {
                story.full(5, left, "Allocation Failure");
            }
        }
        return story;
    }

    @Test
    void whatWasGivenBackWithSoftReferencesIsNoLeak() {
        Finding hard = found(soft(55 * MB), new SiteBook());
        assertThat(hard.severity()).isEqualTo(Severity.CRITICAL);
        assertThat(value(hard, "soft")).isNaN();
        Story story = soft(10 * MB);
        story.maxHeap = 448 * MB;
        Finding some = found(story, new SiteBook());
        assertThat(value(some, "soft")).isEqualTo(46.0 * MB);
        assertThat(some.severity()).isEqualTo(Severity.WARNING);
        assertThat(found(soft(80, 6, 20 * MB), new SiteBook()).severity()).isEqualTo(Severity.INFO);
        assertThat(found(soft(80, 6, 90 * MB), new SiteBook()).severity())
                .isEqualTo(Severity.CRITICAL);
    }

    @Test
    void theEvidenceContainsTheTimeUntilTheHeapIsFull() {
        Story story = growing(5);
        // 168 MiB are left of 256, and 8 MiB come every 5 s.
        assertThat(found(story, new SiteBook()).evidence())
                .extracting(Evidence::text)
                .anyMatch(
                        text -> text.matches("At this rate the heap is full in about 10\\d s\\."));
        story.maxHeap = 0;
        assertThat(found(story, new SiteBook()).evidence())
                .extracting(Evidence::text)
                .noneMatch(text -> text.contains("full in about"))
                .noneMatch(text -> text.contains(" % of the heap"));
    }

    /** Once it is nearly full, growth ends, and the rest is still live. */
    @Test
    void theLiveBytesOfAFullHeapAreReported() {
        Story story = Story.serial();
        for (int i = 1; i <= 60; i++) {
            story.seconds(5, i < 40 ? 20 * MB : MB).old += 5 * MB;
            story.full(5, Math.min(6 * i, 240) * MB, "Allocation Failure");
        }
        Finding finding = found(story, new SiteBook());

        assertThat(finding.severity()).isEqualTo(Severity.CRITICAL);
        assertThat(value(finding, "live.share")).isEqualTo(240.0 / 256);
        assertThat(finding.evidence())
                .extracting(Evidence::text)
                .contains("240 MiB are live, 94 % of the heap.");
    }

    /** A leak of ten minutes has filled the heap, in which hardly anything has room since. */
    @ParameterizedTest
    @ValueSource(ints = {10, 60, 600})
    void aHeapThatALeakHasFilledIsStillFullOfIt(int minutesLater) {
        Story story = Story.serial();
        for (int i = 0; i < 6 * (10 + minutesLater); i++) {
            story.seconds(10, i < 58 ? 20 * MB : MB / 64).old = 250 * MB;
            story.full(5, Math.min(10 + 4 * i, 240) * MB, "Allocation Failure");
        }
        Finding finding = found(story, new SiteBook());

        assertThat(finding.severity()).isEqualTo(Severity.CRITICAL);
        assertThat(finding.startedAt().toEpochMilli()).isLessThan(1_010_000);
    }

    /** A cache of most of the heap that was filled within a moment. */
    @Test
    void aHeapThatWasFilledWithinAMomentLongAgoIsNoLeak() {
        Story story = Story.serial();
        for (int i = 0; i < 600; i++) {
            story.seconds(5, 20 * MB).old = 250 * MB;
            story.full(5, Math.min(10 + 15 * i, 230) * MB, "Allocation Failure");
        }
        assertThat(severity(story.second(0).judged(), "leak.growth")).isNull();
    }

    /** A day without growth, and a leak that fills the heap within two hours. */
    @Test
    void aLeakThatBeginsAfterADayIsFoundWhenTheHeapIsFull() {
        Story story = Story.serial();
        for (int i = 0; i < 6 * 26; i++) {
            story.millis(580_000).seconds(20, 20 * MB).old = 250 * MB;
            story.full(5, (60 + Math.max(0, i - 144) * 15) * MB, "Allocation Failure");
        }
        assertThat(found(story, new SiteBook()).severity()).isEqualTo(Severity.CRITICAL);
    }

    /** A day without growth, and a leak that would fill the heap in six hours. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void growthThatBeganLateIsNotRuledOut(int hours) {
        Story story = Story.serial();
        story.maxHeap = 1024 * MB;
        for (int i = 0; i < 6 * (24 + hours); i++) {
            story.millis(580_000).seconds(20, 20 * MB).old += 50 * MB;
            story.full(5, (100 + Math.max(0, i - 144) * 24) * MB, "Allocation Failure");
        }
        assertThat(found(story, new SiteBook()).severity()).isEqualTo(Severity.INFO);
    }

    /** As high as the day before, by day; and lower at night. */
    @Test
    void sessionsOfADayThatComeBackAreNoGrowth() {
        Story story = Story.serial();
        story.maxHeap = 1024 * MB;
        for (int i = 0; i < 6 * 24 * 4; i++) {
            story.millis(580_000).seconds(20, 20 * MB).old += 50 * MB;
            double day = Math.sin(2 * Math.PI * i / 144);
            story.full(5, (long) (400 + 200 * day) * MB, "Allocation Failure");
            Diagnosis judged = i % 6 == 0 && i >= 144 ? story.second(0).judged() : null;
            assertThat(judged == null ? null : severity(judged, "leak.growth"))
                    .as("after %d h", i / 6)
                    .isIn(null, Severity.INFO);
        }
    }
}
