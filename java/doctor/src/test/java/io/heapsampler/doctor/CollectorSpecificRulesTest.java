// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.Story.MB;
import static io.heapsampler.doctor.Story.severity;
import static io.heapsampler.doctor.Story.why;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.GarbageCollector;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What one collector tells is nothing under another; what is long ago is nothing at all. */
class CollectorSpecificRulesTest {

    private static Story failedPromotions(GarbageCollector collector) {
        Story story = new Story(collector, 17).second(MB);
        for (int i = 0; i < 3; i++) {
            story.event("PromotionFailed", 0, Map.of());
        }
        return story;
    }

    @Test
    void failedPromotionsCountWhereNothingElseTells() {
        Finding serial =
                failedPromotions(GarbageCollector.SERIAL)
                        .judged()
                        .finding("gc.degenerated")
                        .orElseThrow();
        assertThat(serial.evidence())
                .extracting(Evidence::name)
                .containsExactly("promotion.failed");
        assertThat(severity(failedPromotions(GarbageCollector.G1).judged(), "gc.degenerated"))
                .isNull();
        assertThat(
                        severity(
                                failedPromotions(GarbageCollector.SHENANDOAH).judged(),
                                "gc.degenerated"))
                .isNull();
    }

    @Test
    void g1GivesUpWithThreeFullCollectionsForSpace() {
        Story one = Story.g1().second(MB).full(50, 10 * MB, "G1 Compaction Pause");
        assertThat(severity(one.judged(), "gc.degenerated")).isNull();
        assertThat(why(one.judged(), "gc.degenerated")).startsWith("1 collection that gave up");

        Story three = failedPromotions(GarbageCollector.G1);
        Story explicit = Story.g1().second(MB);
        Story young = Story.g1().second(MB);
        for (int i = 0; i < 3; i++) {
            three.full(50, 10 * MB, "G1 Compaction Pause");
            explicit.full(50, 10 * MB, "System.gc()");
            young.young(50, 0, "G1 Evacuation Pause");
        }
        Finding finding = three.judged().finding("gc.degenerated").orElseThrow();
        assertThat(finding.title()).isEqualTo("The collector gave up its concurrent way 3 times");
        assertThat(finding.evidence())
                .extracting(Evidence::name)
                .containsExactly("degenerated.count");
        assertThat(severity(explicit.judged(), "gc.degenerated")).isNull();
        assertThat(severity(young.judged(), "gc.degenerated")).isNull();
    }

    @Test
    void fullCollectionsOfOthersAreNoDegeneration() {
        Story story = Story.serial().second(MB);
        for (int i = 0; i < 3; i++) {
            story.full(50, 10 * MB, "Allocation Failure");
        }
        assertThat(severity(story.judged(), "gc.degenerated")).isNull();
        assertThat(why(story.judged(), "gc.degenerated")).startsWith("0 promotions failed");
        Story shenandoah = new Story(GarbageCollector.SHENANDOAH, 21).second(MB);
        assertThat(why(shenandoah.judged(), "gc.degenerated")).contains("gave up the concurrent");
    }

    /** Only some collectors report critical sections. */
    @ParameterizedTest
    @CsvSource({
        "SERIAL, 24, true",
        "SERIAL, 25, true",
        "PARALLEL, 24, true",
        "G1, 21, true",
        "G1, 22, false",
        "Z, 17, false",
        "SHENANDOAH, 17, false"
    })
    void fewCollectorsReportCriticalSections(
            GarbageCollector collector, int feature, boolean tells) {
        assertThat(new Story(collector, feature).second(MB).judged().checks())
                .filteredOn(check -> check.id().equals("jni.critical"))
                .singleElement()
                .extracting(Check::observable)
                .isEqualTo(tells);
    }

    @Test
    void anEventOfACollectorThatReportsNoneIsStillCounted() {
        Story story =
                new Story(GarbageCollector.SERIAL, 25).second(MB).event("GCLocker", 9, Map.of());
        assertThat(why(story.judged(), "jni.critical")).contains("and 1 wait in the JVM's log");
        Story cause = new Story(GarbageCollector.SERIAL, 25).second(MB);
        cause.young(9, 0, "GCLocker Initiated GC");
        assertThat(why(cause.judged(), "jni.critical")).contains("and 0 waits in the JVM's log");
    }

    @Test
    void threeCausesOrThreeWaitsTellOfCriticalSections() {
        Story causes = Story.serial().second(MB);
        Story both = Story.serial().second(MB);
        for (int i = 0; i < 3; i++) {
            causes.young(1, 0, "GCLocker Initiated GC");
            if (i < 2) {
                both.event("GCLocker", 1, Map.of()).young(1, 0, "GCLocker Initiated GC");
            }
        }
        Finding finding = causes.judged().finding("jni.critical").orElseThrow();
        assertThat(finding.evidence())
                .extracting(Evidence::text)
                .contains(
                        "0 waits of 0 ms in total, 0 % of the time, in the JVM's log, which is read"
                                + " only while something looks wrong.");
        assertThat(severity(both.judged(), "jni.critical")).isNull();
    }

    @Test
    void waitsAreAddedUp() {
        Story story = Story.serial().second(MB);
        for (int i = 0; i < 3; i++) {
            story.event("GCLocker", i, Map.of()).millis(70).young(1, 0);
        }
        assertThat(waits(story.second(MB)))
                .startsWith("3 waits of 3 ms in total, ")
                .contains(" of the time, in the JVM's log");
    }

    private static String waits(Story story) {
        return story.judged().finding("jni.critical").orElseThrow().evidence().stream()
                .filter(evidence -> evidence.name().equals("jni.waits"))
                .map(Evidence::text)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void whatWasTenMinutesAgoIsForgotten() {
        Story story = Story.g1().second(MB);
        for (int i = 0; i < 12; i++) {
            story.second(MB).young(2, 0, "G1 Humongous Allocation");
            story.event("EvacuationFailed", 0, Map.of());
        }
        story.unloaded += 5_000;
        story.loaded += 5_000;
        story.seconds(590, MB);
        assertThat(severity(story.judged(), "gc.humongous")).isEqualTo(Severity.WARNING);
        assertThat(severity(story.judged(), "gc.evacuation-failure")).isEqualTo(Severity.WARNING);
        assertThat(severity(story.judged(), "class.churn")).isEqualTo(Severity.INFO);
        story.seconds(15, MB);
        assertThat(severity(story.judged(), "gc.humongous")).isNull();
        assertThat(severity(story.judged(), "gc.evacuation-failure")).isNull();
        assertThat(severity(story.judged(), "class.churn")).isNull();
    }

    /** A large snapshot takes whole regions as well. */
    @Test
    void whatTheDoctorsOwnSnapshotsCausedDoesNotCount() {
        Story own = Story.g1();
        Story others = Story.g1();
        for (int i = 0; i < 12; i++) {
            own.second(MB).event(JvmEvent.OWN_SNAPSHOT, 40, Map.of());
            own.young(2, 0, "G1 Humongous Allocation");
            others.second(MB).event(JvmEvent.OWN_SNAPSHOT, 40, Map.of());
            others.second(MB).young(2, 0, "G1 Humongous Allocation");
        }
        assertThat(severity(own.judged(), "gc.humongous")).isNull();
        assertThat(severity(others.judged(), "gc.humongous")).isNotNull();
    }

    @Test
    void aMinuteIsAMinute() {
        Story within = Story.g1();
        Story beyond = Story.g1();
        for (int i = 0; i < 10; i++) {
            within.seconds(6, MB).young(2, 0, "G1 Humongous Allocation");
            beyond.seconds(7, MB).young(2, 0, "G1 Humongous Allocation");
        }
        assertThat(severity(within.judged(), "gc.humongous")).isEqualTo(Severity.WARNING);
        assertThat(severity(beyond.judged(), "gc.humongous")).isEqualTo(Severity.INFO);
    }

    /** The promoted bytes are compared with the bytes allocated in the same ten minutes. */
    @Test
    void theShareThatIsPromotedIsOfTheSameTime() {
        Story story = Story.serial().seconds(600, 1000 * MB);
        for (int i = 0; i < 60; i++) {
            story.seconds(10, 10 * MB).young(20, 10 * MB);
            story.full(200, 10 * MB, "Allocation Failure");
        }
        assertThat(severity(story.judged(), "promotion.premature")).isEqualTo(Severity.WARNING);
        Story unknown = Story.serial();
        unknown.allocated = -1;
        for (int i = 0; i < 4; i++) {
            unknown.seconds(10, 0).young(20, MB).old(CollectionKind.FULL_PAUSE, 100, MB / 4, "x");
        }
        assertThat(severity(unknown.judged(), "promotion.premature")).isNotNull();
    }
}
