// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.LeakStories.found;
import static io.heapsampler.doctor.LeakStories.growing;
import static io.heapsampler.doctor.LeakStories.holding;
import static io.heapsampler.doctor.Story.MB;
import static io.heapsampler.doctor.Story.severity;
import static io.heapsampler.doctor.Story.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The sites that growth names, and the evidence of samples. */
class LeakSitesTest {
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

    /** As with generational ZGC, which tracks few objects. */
    @Test
    void samplesOfManyClassesAtALineAreAddedUpBeforeTheyAreTooFew() {
        Story story = growing(12);
        Shot shot = new Shot(1_000_000, story.now);
        for (String name : List.of("a.Meter", "a.Tag", "a.Id")) {
            shot.live(shot.site(name, "keep", MB), 1, MB, 1_001_000, 1);
        }
        shot.live(shot.site("a.Other", "once", MB), 1, MB, 1_001_000, 1);
        SiteBook book = new SiteBook();
        book.add(shot.take(), story.timeline(), 0);

        assertThat(found(story, book).sites())
                .singleElement()
                .matches(site -> site.estimate().samples() == 3)
                .matches(site -> Places.name(site.stack()).contains("keep"));
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

    /**
     * No collection of the old generation. Each minute a line keeps some MiB, and another one
     * promotes as much or not; 600 MiB are allocated. The line allocates a multiple of what stays.
     */
    private static Diagnosis sampled(int minutes, int kept, int promoted, int multiple) {
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
        Diagnosis judged = sampled(minutes, kept, 0, 1);
        Finding finding = judged.finding("leak.growth").orElseThrow();

        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
        assertThat(finding.sites()).singleElement().matches(s -> s.className().equals("a.Leak"));
        assertThat(finding.advice().text()).contains("shop.Cart.keep");
        assertThat(finding.evidence().get(0).text())
                .startsWith("No collection has looked for garbage in the old generation yet, ")
                .contains("This rests on samples");
        assertThat(value(finding, "sites.explained")).isGreaterThan(0.9);
    }

    /** A collection at the start shows a live set that does not grow. */
    @Test
    void whatRestsOnSamplesDoesNotSayThatTheLiveSetStays() {
        Story story = Story.g1();
        story.seconds(10, MB).full(20, 10 * MB, "Metadata GC Threshold");
        SiteBook book = new SiteBook();
        sample(story, book, 6, 17, 0, 1);
        Finding finding = story.judged(book).finding("leak.growth").orElseThrow();

        assertThat(finding.severity()).isEqualTo(Severity.INFO);
        assertThat(finding.evidence().get(0).text())
                .startsWith(
                        "Few collections have looked for garbage in the old generation. This rests"
                                + " on samples: ");
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
}
