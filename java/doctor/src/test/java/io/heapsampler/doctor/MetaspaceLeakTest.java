// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.Story.MB;
import static io.heapsampler.doctor.Story.severity;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.Test;

/** Each condition of a leak of class loaders, with all the others met. */
class MetaspaceLeakTest {

    private static final String THRESHOLD = "Metadata GC Threshold";

    private static Story full(long committed, int loaded, int unloaded) {
        Story story = Story.g1().second(MB);
        story.maxMetaspace = 100 * MB;
        story.metaspace = committed - MB;
        story.loaded += loaded;
        story.unloaded += unloaded;
        return story.seconds(5, MB);
    }

    /** The size of metaspace in MB after each of the given number of collections. */
    private static Story rising(int times, int seconds, long limit, IntToLongFunction megabytes) {
        Story story = Story.g1();
        story.maxMetaspace = limit;
        for (int i = 0; i < times; i++) {
            story.metaspace = megabytes.applyAsLong(i) * MB;
            story.loaded += 1000;
            story.seconds(seconds, MB).full(20, 10 * MB, THRESHOLD);
        }
        return story.second(MB);
    }

    private static Severity found(Story story) {
        return severity(story.judged(), "metaspace.leak");
    }

    @Test
    void aFullMetaspaceIsWarnedOfIfAHundredClassesCameAndFewWent() {
        assertThat(found(full(90 * MB, 100, 29))).isEqualTo(Severity.WARNING);
        assertThat(found(full(97 * MB, 100, 29))).isEqualTo(Severity.CRITICAL);
        assertThat(found(full(89 * MB, 100, 29))).isNull();
        assertThat(found(full(90 * MB, 99, 0))).isNull();
        assertThat(found(full(90 * MB, 100, 30))).isNull();
    }

    @Test
    void afterALastResortNoClassNeedsToHaveCome() {
        Story story = full(90 * MB, 1, 0);
        story.full(20, 10 * MB, "Metadata GC Clear Soft References").second(MB);
        Finding finding = story.judged().finding("metaspace.leak").orElseThrow();

        assertThat(finding.severity()).isEqualTo(Severity.CRITICAL);
    }

    @Test
    void itMustRiseOverFourCollectionsByATenthAndFourMegabytes() {
        assertThat(found(rising(4, 1, 200 * MB, i -> 20 + 2 * i))).isEqualTo(Severity.INFO);
        assertThat(found(rising(3, 1, 200 * MB, i -> 20 + 9 * i))).isNull();
        assertThat(found(rising(4, 1, 200 * MB, i -> 20 + i))).isNull();
        assertThat(found(rising(4, 1, 400 * MB, i -> 80 + 2 * i))).isNull();
        assertThat(found(rising(4, 1, 400 * MB, i -> 80 + 3 * i))).isEqualTo(Severity.INFO);
    }

    @Test
    void itMustRiseSteadilyAndStill() {
        assertThat(found(rising(8, 1, 400 * MB, i -> 20 + 3 * i - i % 2 * 15))).isNull();
        assertThat(found(rising(12, 1, 400 * MB, i -> 20 + 5 * Math.min(i, 5)))).isNull();
        assertThat(found(rising(10, 1, 400 * MB, i -> 20 + 5 * Math.min(i, 5)))).isNull();
    }

    @Test
    void halfOfTheLimitOrHalfAnHourMakesItAWarning() {
        assertThat(found(rising(7, 5, 200 * MB, i -> 63 + 6 * i))).isEqualTo(Severity.WARNING);
        assertThat(found(rising(7, 5, 202 * MB, i -> 63 + 6 * i))).isEqualTo(Severity.INFO);
        assertThat(found(rising(7, 300, Long.MAX_VALUE, i -> 63 + 6 * i)))
                .isEqualTo(Severity.WARNING);
        assertThat(found(rising(7, 299, Long.MAX_VALUE, i -> 63 + 6 * i))).isEqualTo(Severity.INFO);
    }

    @Test
    void onlyCollectionsThatCanUnloadClassesCount() {
        Story young = Story.g1();
        Story threshold = Story.g1();
        Story untold = Story.g1();
        for (int i = 0; i < 6; i++) {
            for (Story story : new Story[] {young, threshold, untold}) {
                story.metaspace = (20 + 4 * i) * MB;
                story.loaded += 1000;
                story.second(MB);
            }
            young.young(20, 0, "G1 Evacuation Pause");
            threshold.young(20, 0, THRESHOLD);
            long known = untold.metaspace;
            untold.metaspace = -1;
            untold.full(20, 10 * MB, THRESHOLD).metaspace = known;
        }
        assertThat(found(young.second(MB))).isNull();
        assertThat(found(threshold.second(MB))).isEqualTo(Severity.INFO);
        assertThat(found(untold.second(MB))).isNull();
    }

    /** G1 unloads classes while it marks the heap. */
    private static Story marked(int times, IntToLongFunction megabytes) {
        Story story = Story.g1();
        story.maxMetaspace = 92 * MB;
        for (int i = 0; i < times; i++) {
            story.seconds(9, MB).metaspace = megabytes.applyAsLong(i) * MB;
            story.loaded += 1000;
            story.second(MB).event(LiveSet.MARKED, 0, Map.of()).second(MB);
            story.young(5, 0, "G1 Evacuation Pause");
        }
        return story.second(MB);
    }

    @Test
    void eachMarkingOfG1CountsOnce() {
        assertThat(found(marked(4, i -> 30 + 12 * i))).isEqualTo(Severity.WARNING);
        assertThat(found(marked(3, i -> 30 + 12 * i))).isNull();
        assertThat(found(marked(12, i -> 30 + 12 * (i % 4)))).isNull();
    }

    /** It precedes a marking, so that what it leaves is what the marking may still unload. */
    @Test
    void theCollectionThatBeginsAMarkingDoesNotCount() {
        Story story = Story.g1();
        for (int i = 0; i < 6; i++) {
            story.metaspace = (21 + 8 * i) * MB;
            story.loaded += 1000;
            story.second(MB).young(20, 0, THRESHOLD);
            story.event(LiveSet.MARKED, 0, Map.of()).metaspace = 20 * MB;
            story.second(MB).young(20, 0, "G1 Evacuation Pause");
        }
        assertThat(found(story.second(MB))).isNull();
    }

    private static Finding unaccounted(long residentEach) {
        Story story = rising(30, 1, 40 * MB, i -> 20);
        for (int i = 0; i < 60; i++) {
            story.metaspace = (20 + i / 4) * MB;
            story.resident += residentEach;
            story.loaded += 1000;
            story.second(MB).full(20, 10 * MB, THRESHOLD);
        }
        return story.second(MB).judged().finding("native.unaccounted").orElseThrow();
    }

    /** On JDK 17 the names and mirrors of kept classes are native memory. */
    @Test
    void nativeMemoryOfKeptClassesIsExplained() {
        Finding found = unaccounted(7 * MB);

        assertThat(found.explainedBy()).isEqualTo("metaspace.leak");
        assertThat(found.severity()).isEqualTo(Severity.INFO);
    }

    /** Twice what is in metaspace, 36 MiB, and not more. */
    @Test
    void moreNativeMemoryThanClassesTakeIsNot() {
        assertThat(unaccounted(8 * MB).explainedBy()).isNull();
    }

    @Test
    void theTitleAndTheEvidenceContainTheGrowth() {
        Finding limited =
                rising(4, 1, 200 * MB, i -> 20 + 2 * i)
                        .judged()
                        .finding("metaspace.leak")
                        .orElseThrow();
        assertThat(limited.title())
                .isEqualTo("Metaspace grows and nothing is unloaded: 27 MiB of 200 MiB");
        assertThat(limited.evidence())
                .extracting(Evidence::name)
                .containsExactly("metaspace.used", "sites");
        assertThat(limited.evidence().get(0).text())
                .isEqualTo(
                        "4,000 classes were loaded and 0 unloaded; metaspace took up to 27 MiB,"
                                + " and 26 MiB are in use. After collections it rose by 6 MiB.");

        Finding endless =
                rising(4, 1, Long.MAX_VALUE, i -> 20 + 2 * i)
                        .judged()
                        .finding("metaspace.leak")
                        .orElseThrow();
        assertThat(endless.title()).endsWith(": 27 MiB");
        assertThat(full(97 * MB, 100, 0).judged().finding("metaspace.leak").orElseThrow())
                .matches(
                        finding -> !finding.evidence().get(0).text().contains("After collections"));
    }

    /**
     * Four thresholds in 20 s, or markings of G1, and no class since: half of the limit is used.
     */
    @Test
    void anApplicationThatHasLoadedItsClassesIsNotWarnedOfAtAnyTime() {
        for (Story story : new Story[] {Story.serial(), Story.g1()}) {
            story.maxMetaspace = 192 * MB;
            long[] megabytes = {20, 35, 58, 97};
            for (int second = 1; second <= 600; second++) {
                int part = second / 5 - 1;
                if (second % 5 == 0 && part < megabytes.length) {
                    story.metaspace = megabytes[part] * MB;
                    story.loaded += 3000;
                    story.full(20, 10 * MB, THRESHOLD).event(LiveSet.MARKED, 0, Map.of());
                }
                assertThat(found(story.second(MB))).isNotIn(Severity.WARNING, Severity.CRITICAL);
            }
        }
    }

    /** Evenly, within a minute, to four fifths of the limit. */
    @Test
    void aLeakIsWarnedOfBeforeMetaspaceIsNearlyFull() {
        Story story = Story.serial();
        story.maxMetaspace = 100 * MB;
        for (int second = 1; second <= 60; second++) {
            story.metaspace = (20 + second) * MB;
            story.loaded += 100;
            story.second(MB);
            if (second % 12 == 0) {
                story.full(20, 10 * MB, THRESHOLD);
            }
        }
        assertThat(found(story.second(MB))).isEqualTo(Severity.WARNING);
    }

    /** Four thresholds in the first minute, and no class since. */
    @Test
    void anApplicationThatHasLongStartedIsNotWarnedOf() {
        Story story = Story.serial();
        for (long megabytes : new long[] {20, 35, 58, 97}) {
            story.metaspace = megabytes * MB;
            story.loaded += 3000;
            story.seconds(10, MB).full(20, 10 * MB, THRESHOLD);
        }
        for (int i = 0; i < 60; i++) {
            story.millis(59_000).second(MB);
        }
        assertThat(found(story)).isIn(null, Severity.INFO);
        story.metaspace = 98 * MB;
        story.full(20, 10 * MB, "Allocation Failure").second(MB);
        assertThat(found(story)).isIn(null, Severity.INFO);
    }

    /** G1 marks the heap each minute, and some classes are still loaded after two hours. */
    @Test
    void anApplicationThatLoadsItsLastClassesIsNotWarnedOf() {
        Story story = Story.g1();
        for (int minute = 1; minute <= 120; minute++) {
            story.metaspace = (long) ((110 - 90 * Math.exp(-minute / 15.0)) * MB);
            story.loaded += 100;
            story.millis(58_000).second(MB).event(LiveSet.MARKED, 0, Map.of());
            story.second(MB).young(5, 0, "G1 Evacuation Pause");
        }
        assertThat(found(story.second(MB))).isIn(null, Severity.INFO);
    }

    @Test
    void whatFellDidNotRiseByLessThanNothing() {
        Story story = rising(6, 1, 100 * MB, i -> 99 - i);
        Finding finding = story.judged().finding("metaspace.leak").orElseThrow();

        assertThat(finding.evidence().get(0).text()).doesNotContain("rose by");
    }
}
