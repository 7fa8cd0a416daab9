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
import io.heapsampler.doctor.internal.timeline.LiveSet;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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
        return halfFull(secondsApart, 0);
    }

    private static Judgement halfFull(int secondsApart, double pauseMillis) {
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

    /**
     * No collection of the old generation. Each minute a line keeps some MiB, and another one
     * promotes as much or not; 600 MiB are allocated. The line allocates a multiple of what stays.
     */
    private static Judgement sampled(int minutes, int kept, int promoted, int multiple) {
        Story story = Story.g1();
        SiteBook book = new SiteBook();
        sample(story, book, minutes, kept, promoted, multiple);
        return story.judged(book);
    }

    private static void sample(
            Story story, SiteBook book, int minutes, int kept, int promoted, int multiple) {
        story.maxHeap = 1024 * MB;
        for (int minute = 1; minute <= minutes; minute++) {
            for (int i = 0; i < 60; i++) {
                long bytes = (kept + promoted) * MB / 60;
                story.second(10 * MB).young(5, bytes, "G1 Evacuation Pause");
                story.now -= 5;
            }
            Shot shot = new Shot(1_000_000, story.now);
            int leak = shot.site("a.Leak", "keep", (double) multiple * kept * minute * MB);
            shot.site("byte[]", "use", (600.0 - multiple * kept) * minute * MB);
            for (int age = 1; age <= 4; age++) {
                shot.live(leak, kept * minute * 256, 1024, 1_001_000 + age, age);
            }
            book.add(shot.take(), story.timeline(), 0);
        }
    }

    /** The first markings of G1 show what samples have shown before. */
    @Test
    void aWarningBySamplesStaysWhenCollectionsBeginToShowTheLiveSet() {
        Story story = Story.g1();
        SiteBook book = new SiteBook();
        sample(story, book, 6, 17, 0, 1);
        for (int i = 0; i < 20; i++) {
            assertThat(severity(story.judged(book), "leak.growth"))
                    .as("%d markings", i)
                    .isEqualTo(Severity.WARNING);
            story.event(LiveSet.MARKED, 0, Map.of());
            story.second(10 * MB).young(5, 0, "G1 Evacuation Pause");
        }
    }

    /** They show that what looked alive was garbage. */
    @Test
    void aWarningBySamplesGoesWhenACollectionFreesWhatWasPromoted() {
        Story story = Story.g1();
        SiteBook book = new SiteBook();
        sample(story, book, 6, 17, 0, 1);
        story.event(LiveSet.MARKED, 0, Map.of());
        story.old = 12 * MB;
        story.second(10 * MB).young(5, 0, "G1 Evacuation Pause");
        assertThat(severity(story.judged(book), "leak.growth")).isIn(null, Severity.INFO);
    }

    @ParameterizedTest
    @CsvSource({"6, 17", "3, 34"})
    void samplesNameALeakWithinATenthOfItsTimeWhereNoCollectionShowsIt(int minutes, int kept) {
        Judgement judged = sampled(minutes, kept, 0, 1);
        Finding finding = judged.finding("leak.growth").orElseThrow();

        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
        assertThat(finding.sites()).singleElement().matches(s -> s.className().equals("a.Leak"));
        assertThat(finding.advice().text()).contains("shop.Cart.keep");
        assertThat(finding.evidence().get(0).text())
                .startsWith("No collection has looked for garbage in the old generation yet;")
                .contains("this rests on samples");
        assertThat(value(finding, "sites.explained")).isGreaterThan(0.9);
    }

    @Test
    void samplesAreInformationWhereTheHeapIsFarFromFullOrTheTimeIsShort() {
        // 1,024 MiB at 8 MiB a minute take two hours.
        assertThat(severity(sampled(8, 8, 0, 1), "leak.growth")).isEqualTo(Severity.INFO);
        assertThat(severity(sampled(2, 34, 0, 1), "leak.growth")).isNull();
    }

    @Test
    void samplesThatDoNotExplainMostOfThePromotedBytesAreNoEvidence() {
        assertThat(severity(sampled(6, 17, 15, 1), "leak.growth")).isEqualTo(Severity.WARNING);
        assertThat(severity(sampled(6, 17, 20, 1), "leak.growth")).isNull();
    }

    /** Promoted garbage looks alive; but most of what the same line allocates died before. */
    @Test
    void aLineOfWhichMostDiesYoungIsNoEvidence() {
        assertThat(severity(sampled(6, 17, 0, 3), "leak.growth")).isNull();
    }

    /** Ten lines hold the same class. */
    @Test
    void aClassIsNamedWhereNoLineExplainsMost() {
        Story story = growing(5);
        SiteBook book = new SiteBook();
        Shot shot = new Shot(1_000_000, story.now);
        for (int line = 0; line < 10; line++) {
            int site = shot.site("a.Entry", "put" + line, 8.0 * MB);
            shot.live(site, 16, MB / 2, 1_001_000, 2);
        }
        shot.live(shot.site("byte[]", "read", 10.0 * MB), 10, MB, 1_001_000, 2);
        book.add(shot.take(), story.timeline(), 0);
        Finding finding = found(story, book);

        assertThat(value(finding, "class.explained")).isCloseTo(80.0 / 90, within(0.01));
        assertThat(value(found(story, holding(story, 3, 5, 1_001_000)), "class.explained")).isNaN();
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
    void linesThatMakeSoftReferencesAreNamed() {
        Story story = growing(5);
        SiteBook book = new SiteBook();
        Shot shot = new Shot(1_000_000, story.now);
        shot.live(shot.site("java.lang.ref.SoftReference", "cache", 480.0), 3, 48, 1_001_000, 4);
        book.add(shot.take(), story.timeline(), 0);

        assertThat(found(story, book).evidence())
                .filteredOn(each -> each.name().equals("soft.references"))
                .singleElement()
                .extracting(Evidence::text)
                .asString()
                .contains("shop.Cart.cache", "no leak");
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

    /** The sites named grow while the heap shrinks: elsewhere more is given back. */
    @Test
    void aGrowthBelowZeroIsNotSaidToBeExplained() {
        Story story = Story.serial();
        SiteBook book = new SiteBook();
        for (int i = 1; i <= 48; i++) {
            story.seconds(30, 20 * MB).old += 5 * MB;
            long live = i < 36 || i > 40 ? 3 * i : 3 * i - 2 * (i - 35);
            story.full(0, live * MB, "Allocation Failure");
            story.second(0);
            if (i >= 36 && i <= 40) {
                Shot shot = new Shot(1_000_000, story.now);
                int leak = shot.site("a.Leak", "keep", 480.0 * MB);
                for (int age = 1; age <= i - 20; age++) {
                    shot.live(leak, 16, MB / 4, 1_001_000 + age, age);
                }
                book.add(shot.take(), story.timeline(), 0);
            }
        }
        SiteBook none = book;
        assertThat(GrowingSites.of(Situation.of(story.timeline(), none, Slo.DEFAULT)).lines())
                .isNotEmpty();
        assertThat(explained(found(story, book))).doesNotContain("-").doesNotContain("100 %");
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
            Judgement judged = i % 6 == 0 && i >= 144 ? story.second(0).judged() : null;
            assertThat(judged == null ? null : severity(judged, "leak.growth"))
                    .as("after %d h", i / 6)
                    .isIn(null, Severity.INFO);
        }
    }
}
