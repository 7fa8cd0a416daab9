// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.Story.MB;
import static io.heapsampler.doctor.Story.assertSilent;
import static io.heapsampler.doctor.Story.severity;
import static io.heapsampler.doctor.Story.value;
import static io.heapsampler.doctor.Story.why;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.GarbageCollector;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Premature promotion, frequent old collections, growth. */
class GenerationRulesTest {

    /** Young pauses promote, and the old generation goes from full to nearly empty. */
    private static Story promoting(Story story, int rounds, long promoted, long left) {
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < 10; i++) {
                story.second(12 * MB).young(20, promoted);
            }
            story.full(100, left, "Allocation Failure");
        }
        return story.second(0);
    }

    @Test
    void whatIsPromotedAndDiesIsPremature() {
        Diagnosis diagnosis = promoting(Story.serial(), 4, 11 * MB, 10 * MB).judged();

        Finding finding = diagnosis.finding("promotion.premature").orElseThrow();
        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
        assertThat(value(finding, "promoted")).isEqualTo(440.0 * MB);
        assertThat(value(finding, "old.freed")).isGreaterThan(0.9);
        assertThat(finding.advice().kind()).isEqualTo(Advice.Kind.SIZE);
        assertThat(finding.advice().text()).contains("-Xmn");
        assertThat(finding.notFired()).extracting(Check::id).contains("leak.growth");
        assertThat(finding.refuters()).hasSizeGreaterThanOrEqualTo(2);
        assertThat(severity(diagnosis, "old.frequent")).isNotEqualTo(Severity.WARNING);
    }

    @Test
    void aCacheThatFillsOnceIsNotPremature() {
        Story story = Story.serial();
        for (int i = 0; i < 10; i++) {
            story.second(12 * MB).young(20, 10 * MB);
        }
        story.seconds(60, 12 * MB);
        assertThat(severity(story.judged(), "promotion.premature")).isNull();
        assertSilent(story.judged());
    }

    @ParameterizedTest
    @CsvSource({"4, false", "6, true"})
    void promotionOfLessThanATwentiethOfTheAllocatedBytesIsNoFinding(int percent, boolean fires) {
        Story story = Story.serial();
        for (int round = 0; round < 4; round++) {
            for (int i = 0; i < 10; i++) {
                story.second(100 * MB).young(20, percent * MB);
            }
            story.full(100, 10 * MB, "Allocation Failure");
        }
        assertThat(severity(story.second(0).judged(), "promotion.premature") != null)
                .isEqualTo(fires);
    }

    @Test
    void collectorsWithoutGenerationsCannotShowIt() {
        Diagnosis diagnosis = new Story(GarbageCollector.SHENANDOAH, 21).second(MB).judged();

        assertThat(diagnosis.checks())
                .filteredOn(check -> check.id().equals("promotion.premature"))
                .singleElement()
                .matches(check -> !check.observable())
                .extracting(Check::why)
                .asString()
                .contains("no generations");
    }

    @Test
    void theSizesOfTheSeedComeOut() {
        long heap = 4096 * MB;
        long live = 300 * MB;

        assertThat(live(live).old()).isBetween((long) (1.05 * 1024) * MB, 1536 * MB);
        assertThat(live(live).young(heap)).isEqualTo(heap - live(live).old());
        assertThat(live(65 * MB).leastOld()).isEqualTo(195 * MB);
        assertThat(live(2048 * MB).young(heap)).isZero();
    }

    private static OldFigures live(long bytes) {
        return new OldFigures(List.of(), 0, bytes, new Situation.Minute(0, 0, 0, 0), 0);
    }

    @Test
    void aBoundedCacheThatIsTooLargeIsFrequentOldAndNoLeak() {
        Story story = Story.serial();
        story.maxHeap = 128 * MB;
        story.maxYoung = 16 * MB;
        story.old = 60 * MB;
        for (int round = 0; round < 20; round++) {
            for (int i = 0; i < 4; i++) {
                story.second(10 * MB).young(10, 10 * MB);
            }
            story.full(90, 69 * MB, "Allocation Failure");
        }
        Diagnosis diagnosis = story.second(0).judged();

        Finding finding = diagnosis.finding("old.frequent").orElseThrow();
        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
        assertThat(value(finding, "old.size")).isEqualTo(207.0 * MB);
        assertThat(value(finding, "kind")).isZero();
        assertThat(severity(diagnosis, "leak.growth")).isNull();
        assertThat(severity(diagnosis, "promotion.premature")).isNull();
        assertThat(why(diagnosis, "leak.growth")).contains("does not go on growing");
    }

    @Test
    void fewOldCollectionsAreNotFrequent() {
        Story story = Story.serial();
        story.seconds(60, MB).full(50, 200 * MB, "Allocation Failure");
        story.seconds(60, MB).full(50, 200 * MB, "Allocation Failure").second(MB);

        assertThat(severity(story.judged(), "old.frequent")).isNull();
    }

    @Test
    void explicitOnesDoNotCount() {
        Story story = Story.serial();
        for (int i = 0; i < 10; i++) {
            story.second(MB).full(100, 200 * MB, "System.gc()");
        }
        assertThat(severity(story.second(0).judged(), "old.frequent")).isNull();
    }

    private static Story growing(int rounds, long perRound, long to) {
        Story story = Story.serial();
        for (int i = 1; i <= rounds; i++) {
            story.seconds(5, 20 * MB);
            story.old += 40 * MB;
            story.full(20, Math.min(i * perRound, to), "Allocation Failure");
        }
        return story.second(0);
    }

    @Test
    void whatGrowsOnIsALeak() {
        Diagnosis diagnosis = growing(20, 15 * MB / 2, Long.MAX_VALUE).judged();

        Finding finding = diagnosis.finding("leak.growth").orElseThrow();
        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
        assertThat(value(finding, "live.rise")).isBetween(135.0 * MB, 150.0 * MB);
        assertThat(finding.evidence())
                .extracting(Evidence::text)
                .anyMatch(text -> text.contains("The sampler does not run"))
                .anyMatch(text -> text.contains("full in about"));
    }

    @Test
    void aCacheThatIsFullStopsGrowing() {
        assertThat(severity(growing(12, 30 * MB, 90 * MB).judged(), "leak.growth")).isNull();
    }

    @Test
    void aHeapThatIsNearlyFullIsCritical() {
        assertThat(severity(growing(10, 23 * MB, Long.MAX_VALUE).judged(), "leak.growth"))
                .isEqualTo(Severity.CRITICAL);
    }

    @Test
    void whatGrowsInAnEmptyHeapIsInformation() {
        assertThat(severity(growing(10, 8 * MB, Long.MAX_VALUE).judged(), "leak.growth"))
                .isEqualTo(Severity.INFO);
    }

    @Test
    void threeOldCollectionsAreNotEnoughToWarn() {
        assertThat(severity(growing(3, 60 * MB, Long.MAX_VALUE).judged(), "leak.growth"))
                .isEqualTo(Severity.INFO);
        assertThat(severity(growing(4, 60 * MB, Long.MAX_VALUE).judged(), "leak.growth"))
                .isEqualTo(Severity.CRITICAL);
    }

    @Test
    void withoutACollectionNothingIsKnown() {
        assertThat(why(Story.serial().seconds(60, MB).judged(), "leak.growth"))
                .startsWith("No collection has looked for garbage in the old generation yet");
    }

    @Test
    void aRiseOfAllocationMakesItASymptom() {
        Story story = Story.serial();
        story.seconds(60, 2 * MB);
        Finding finding =
                promoting(story, 4, 11 * MB, 10 * MB)
                        .judged()
                        .finding("promotion.premature")
                        .orElseThrow();

        assertThat(finding.evidence())
                .extracting(Evidence::text)
                .anyMatch(text -> text.startsWith("GC is symptom: allocation rose from 2 MiB"));
    }

    @Test
    void aCollectionOfMoreThanAMinuteIsJudged() {
        Story story = new Story(GarbageCollector.Z, 21).second(MB);
        story.old(CollectionKind.OLD_CYCLE, 61_000, 10 * MB, "Proactive");

        assertThat(story.second(MB).judged().checks()).isNotEmpty();
    }

    @Test
    void aSteadyRateIsNone() {
        Finding finding =
                promoting(Story.serial(), 4, 11 * MB, 10 * MB)
                        .judged()
                        .finding("promotion.premature")
                        .orElseThrow();

        assertThat(finding.evidence()).extracting(Evidence::name).doesNotContain("symptom");
    }
}
