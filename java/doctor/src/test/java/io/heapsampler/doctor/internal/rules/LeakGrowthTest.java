// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import static io.heapsampler.doctor.Story.MB;
import static io.heapsampler.doctor.Story.severity;
import static io.heapsampler.doctor.Story.value;
import static io.heapsampler.doctor.Story.why;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.heapsampler.doctor.Evidence;
import io.heapsampler.doctor.Finding;
import io.heapsampler.doctor.Severity;
import io.heapsampler.doctor.Shot;
import io.heapsampler.doctor.Story;
import io.heapsampler.doctor.internal.sites.SiteBook;
import org.junit.jupiter.api.Test;

/** Whom growth names, and how severe it is. */
class LeakGrowthTest {

    /** Eleven old collections, so far apart; 8 MiB more are live after each. */
    private static Story growing(int seconds) {
        Story story = Story.serial();
        for (int i = 1; i <= 11; i++) {
            story.seconds(seconds, 20 * MB).old += 40 * MB;
            story.full(0, i * 8 * MB, "Allocation Failure");
        }
        return story;
    }

    /** Objects of the given number of ages in collections, with the given number of each age. */
    private static SiteBook holding(Story story, int ages, int each, long bornMillis) {
        SiteBook book = new SiteBook();
        Shot shot = new Shot(1_000_000, story.now);
        int site = shot.site("byte[]", "keep", 480.0 * MB);
        for (int age = 1; age <= ages; age++) {
            shot.live(site, each, MB, bornMillis, age);
        }
        book.add(shot.take(), story.timeline(), 0);
        return book;
    }

    private static Finding found(Story story, SiteBook book) {
        return story.second(0).judged(book).finding("leak.growth").orElseThrow();
    }

    /** 12 MiB more after each of eleven collections: half of the heap and more, at last. */
    private static Judgement halfFull(int secondsApart) {
        Story story = Story.serial();
        for (int i = 1; i <= 11; i++) {
            story.seconds(secondsApart, 20 * MB).old += 40 * MB;
            story.full(0, i * 12 * MB, "Allocation Failure");
        }
        return story.second(0).judged();
    }

    @Test
    void aCacheThatFillsWithinAMomentIsNoLeakYet() {
        assertThat(severity(halfFull(1), "leak.growth")).isEqualTo(Severity.WARNING);
        assertThat(severity(halfFull(0), "leak.growth")).isNull();
        assertThat(why(halfFull(0), "leak.growth")).contains("too short to see growth");
    }

    @Test
    void aSiteThatHoldsObjectsOfFourAgesIsNamed() {
        Story story = growing(5);
        Finding finding = found(story, holding(story, 4, 5, 1_001_000));

        assertThat(finding.sites())
                .singleElement()
                .matches(site -> site.estimate().value() == 20.0 * MB);
        assertThat(value(finding, "sites")).isEqualTo(1);
        assertThat(value(finding, "sites.explained")).isEqualTo(1);
        assertThat(finding.advice().text()).contains("shop.Cart.keep");
    }

    @Test
    void whereNoneHasFourAgesTheLineThatHoldsMostIsNamed() {
        Story story = growing(5);
        Finding three = found(story, holding(story, 3, 5, 1_001_000));
        assertThat(three.sites()).singleElement().matches(site -> site.metric().equals("live"));
        assertThat(three.evidence())
                .extracting(Evidence::text)
                .contains(
                        "The sites named hold most of the live bytes; the samples are too few to"
                                + " say which of them grow.");

        assertThat(found(story, holding(story, 4, 5, story.now - 10)).sites())
                .singleElement()
                .matches(site -> site.metric().equals("live"));
    }

    @Test
    void withoutSamplesNoSiteIsNamed() {
        Story story = growing(5);
        Finding none = found(story, holding(story, 0, 0, 1_001_000));
        assertThat(none.sites()).isEmpty();
        assertThat(none.evidence())
                .extracting(Evidence::text)
                .contains("There are too few samples to name a site.");
        assertThat(none.advice().text()).contains("heap dumps");
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

    @Test
    void theSiteThatGrowsForSureComesAlone() {
        Story story = growing(5);
        SiteBook book = new SiteBook();
        for (int i = 1; i <= 4; i++) {
            Shot shot = new Shot(1_000_000, story.now + i * 60_000L);
            int leak = shot.site("a.Leak", "keep", 1e6 * i);
            int cache = shot.site("a.Cache", "put", 1e9);
            for (int age = 1; age <= 4; age++) {
                shot.live(leak, 2_000 + 500 * i, 1000, 1_001_000, age);
                shot.live(cache, 100, 100_000, 1_001_000, age);
            }
            book.add(shot.take(), story.timeline(), 0);
        }
        assertThat(found(story, book).sites())
                .singleElement()
                .matches(site -> site.className().equals("a.Leak"))
                .matches(site -> site.metric().equals("growth"));
    }

    /**
     * The first half of 24 collections of the old generation adds 1 MiB each, the second half 8
     * MiB. Snapshots of a site come after each second one of the later half, or only of the last.
     */
    private static Finding grownFaster(int snapshots, int kilobytesEach) {
        Story story = Story.serial();
        SiteBook book = new SiteBook();
        for (int i = 1; i <= 24; i++) {
            story.seconds(60, 20 * MB).old += 40 * MB;
            story.full(0, (i + Math.max(0, i - 12) * 7) * MB, "Allocation Failure");
            story.second(0);
            if (i >= 24 - 2 * snapshots && (i % 2 == 0 || snapshots == 1)) {
                Shot shot = new Shot(1_000_000, story.now);
                int leak = shot.site("a.Leak", "keep", 480.0 * MB);
                for (int age = 1; age <= i - 11; age++) {
                    shot.live(leak, 16, kilobytesEach * MB / 1024, 1_001_000 + age, age);
                }
                book.add(shot.take(), story.timeline(), 0);
            }
        }
        return found(story, book);
    }

    private static String explained(Finding finding) {
        return finding.evidence().stream()
                .filter(each -> each.name().equals("sites.explained"))
                .findFirst()
                .orElseThrow()
                .text();
    }

    /** 4 MiB of the 8 that are added after each collection while the snapshots are taken. */
    @Test
    void theShareIsOfTheGrowthWhileSitesAreCompared() {
        Finding finding = grownFaster(5, 256);

        assertThat(value(finding, "sites.explained")).isCloseTo(0.5, within(0.03));
        assertThat(explained(finding)).contains("The rest grows at other sites");
    }

    /** Between two collections, what is in use is an upper bound. */
    @Test
    void theShareIsKnownWithTwoCollectionsBetweenTheSnapshots() {
        Finding finding = grownFaster(1, 256);

        assertThat(finding.sites()).hasSize(1);
        assertThat(value(finding, "sites.explained")).isBetween(0.5, 1.0);
    }

    @Test
    void sitesThatGrowFasterThanTheHeapDoNotExplainAShareOfIt() {
        assertThat(explained(grownFaster(5, 1024)))
                .contains("grow faster than the heap")
                .doesNotContain("100 %")
                .doesNotContain("The rest");
    }

    /** With a site, growth for a minute by a twentieth of the heap is no warm-up. */
    @Test
    void growthForAMinuteIsWarnedOfIfASiteIsKnown() {
        Story minute = growing(6);
        assertThat(found(minute, new SiteBook()).severity()).isEqualTo(Severity.INFO);
        assertThat(found(minute, holding(minute, 4, 5, 1_001_000)).severity())
                .isEqualTo(Severity.WARNING);
        Story less = growing(5);
        assertThat(found(less, holding(less, 4, 5, 1_001_000)).severity()).isEqualTo(Severity.INFO);
        minute.maxHeap = 2048 * MB;
        assertThat(found(minute, holding(minute, 4, 5, 1_001_000)).severity())
                .isEqualTo(Severity.INFO);
    }

    @Test
    void theEvidenceContainsTheTimeUntilTheHeapIsFull() {
        Story story = growing(5);
        // 168 MiB are left of 256, and 8 MiB come every 5 s.
        assertThat(found(story, new SiteBook()).evidence())
                .extracting(Evidence::text)
                .anyMatch(text -> text.matches(".*it is full in about 10\\d s at this rate\\."));
        story.maxHeap = 0;
        assertThat(found(story, new SiteBook()).evidence())
                .extracting(Evidence::text)
                .noneMatch(text -> text.contains("full in about"));
    }
}
