// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.Story.MB;
import static io.heapsampler.doctor.Story.assertSilent;
import static io.heapsampler.doctor.Story.severity;
import static io.heapsampler.doctor.Story.why;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.GarbageCollector;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Degeneration, failed evacuation, stalls, humongous objects, critical sections. */
class DegenerationRulesTest {

    @Test
    void threeDegeneratedCollectionsOrAFullOneAreWarnedOf() {
        Story story = new Story(GarbageCollector.SHENANDOAH, 17).second(MB);
        story.old(CollectionKind.DEGENERATED_PAUSE, 20, 10 * MB, "Allocation Failure");
        story.old(CollectionKind.DEGENERATED_PAUSE, 20, 10 * MB, "Allocation Failure");
        assertThat(severity(story.second(MB).judged(), "gc.degenerated")).isNull();
        story.old(CollectionKind.DEGENERATED_PAUSE, 20, 10 * MB, "Allocation Failure");
        assertThat(severity(story.second(MB).judged(), "gc.degenerated"))
                .isEqualTo(Severity.WARNING);

        Story full = new Story(GarbageCollector.SHENANDOAH, 25).second(MB);
        full.full(90, 10 * MB, "Upgrade To Full GC");
        assertThat(severity(full.second(MB).judged(), "gc.degenerated"))
                .isEqualTo(Severity.WARNING);
    }

    @Test
    void failedPromotionsOfSerialAreDegeneration() {
        Story story = Story.serial().second(MB);
        for (int i = 0; i < 3; i++) {
            story.event("PromotionFailed", 0, Map.of());
        }
        Diagnosis diagnosis = story.second(MB).judged();

        assertThat(diagnosis.finding("gc.degenerated").orElseThrow().title())
                .isEqualTo("Promotion failed 3 times");
    }

    @Test
    void failedEvacuationsAreFoundInEventsOrByTheFullCollectionThatFollows() {
        Story events = Story.g1().second(MB);
        for (int i = 0; i < 3; i++) {
            events.event("EvacuationFailed", 0, Map.of());
        }
        assertThat(severity(events.second(MB).judged(), "gc.evacuation-failure"))
                .isEqualTo(Severity.INFO);

        Story beans = Story.g1();
        for (int i = 0; i < 3; i++) {
            beans.second(MB).young(50, 29 * MB, "G1 Evacuation Pause");
            beans.full(60, 10 * MB, "G1 Compaction Pause");
        }
        assertThat(severity(beans.second(MB).judged(), "gc.evacuation-failure"))
                .isEqualTo(Severity.WARNING);
    }

    @Test
    void othersHaveNone() {
        assertThat(why(Story.serial().second(MB).judged(), "gc.evacuation-failure"))
                .contains("gc.degenerated");
    }

    @Test
    void stallsAreFoundInEventsOrCauses() {
        Story events = new Story(GarbageCollector.Z, 17).second(MB);
        for (int i = 0; i < 3; i++) {
            events.event("ZAllocationStall", 8.5, Map.of());
        }
        Finding finding = events.second(MB).judged().finding("gc.stall").orElseThrow();
        assertThat(finding.title()).contains("3 times");
        assertThat(Story.value(finding, "stall.time")).isEqualTo(25.5);

        Story causes = new Story(GarbageCollector.Z_GENERATIONAL, 25).second(MB);
        for (int i = 0; i < 2; i++) {
            causes.old(CollectionKind.OLD_CYCLE, 80, 10 * MB, "Allocation Stall");
            causes.old(CollectionKind.PHASE_PAUSE, 0, 10 * MB, "Allocation Stall");
        }
        assertThat(severity(causes.second(MB).judged(), "gc.stall")).isNull();
        causes.old(CollectionKind.OLD_CYCLE, 80, 10 * MB, "Allocation Stall");
        assertThat(severity(causes.second(MB).judged(), "gc.stall")).isEqualTo(Severity.WARNING);
    }

    @Test
    void onlyZgcReportsStalls() {
        Check other = Story.rule("gc.stall").judge(Story.g1().situation()).check;
        assertThat(other.observable()).isFalse();
        assertThat(other.why()).isEqualTo("Only ZGC reports stalled allocations.");
        Check none =
                Story.rule("gc.stall").judge(new Story(GarbageCollector.Z, 17).situation()).check;
        assertThat(none.observable()).isTrue();
        assertThat(none.why())
                .isEqualTo("0 stalls and 0 cycles with the cause Allocation Stall; it takes 3.");
    }

    @Test
    void eventsShowTheWaitingTimeAndCyclesShowThePeriod() {
        Story story = new Story(GarbageCollector.Z, 17);
        for (int i = 0; i < 3; i++) {
            story.second(MB).old(CollectionKind.OLD_CYCLE, 80, 10 * MB, "Allocation Stall");
        }
        Finding cycles = Story.rule("gc.stall").judge(story.second(MB).situation()).finding;
        assertThat(cycles.title()).isEqualTo("Threads waited for memory 3 times");
        assertThat(cycles.evidence().get(1).text()).startsWith("0 waits in the JVM's log, ");
        assertThat(cycles.startedAt()).isEqualTo(Instant.ofEpochMilli(1_001_000));
        assertThat(cycles.endedAt()).isEqualTo(Instant.ofEpochMilli(1_003_240));
        story.event("ZAllocationStall", 8, Map.of()).event("ZAllocationStall", 4, Map.of());
        Finding events = Story.rule("gc.stall").judge(story.situation()).finding;
        assertThat(events.evidence().get(1).text())
                .startsWith("2 waits in the JVM's log, ")
                .endsWith(": 12 ms in total.");
    }

    private static Story humongous(int caused, int others) {
        Story story = Story.g1();
        for (int i = 0; i < caused; i++) {
            story.second(MB).young(2, 0, "G1 Humongous Allocation");
        }
        for (int i = 0; i < others; i++) {
            story.second(MB).young(2, 0, "G1 Evacuation Pause");
        }
        return story.second(MB);
    }

    @Test
    void manyCollectionsForHumongousObjectsAreWarnedOf() {
        assertThat(severity(humongous(12, 2).judged(), "gc.humongous")).isEqualTo(Severity.WARNING);
        assertThat(severity(humongous(5, 2).judged(), "gc.humongous")).isEqualTo(Severity.INFO);
        assertThat(severity(humongous(10, 60).judged(), "gc.humongous")).isEqualTo(Severity.INFO);
        assertThat(severity(humongous(2, 2).judged(), "gc.humongous")).isNull();
    }

    @Test
    void withoutASiteTheAdviceIsTheNextRegionSize() {
        Finding finding = humongous(12, 2).judged().finding("gc.humongous").orElseThrow();

        assertThat(finding.advice().kind()).isEqualTo(Advice.Kind.FLAG);
        assertThat(finding.advice().text()).contains("-XX:G1HeapRegionSize=2m");
    }

    /** Full collections are held against them, phases are not, whatever their cause. */
    @Test
    void aFifthOfAllCollectionsHarms() {
        assertThat(severity(humongous(10, 40).judged(), "gc.humongous"))
                .isEqualTo(Severity.WARNING);
        Story fulls = humongous(10, 20);
        Story phases = humongous(10, 20);
        Story noOnes = humongous(2, 0);
        for (int i = 0; i < 21; i++) {
            fulls.full(2, 10 * MB, "G1 Compaction Pause");
            phases.old(CollectionKind.PHASE_PAUSE, 2, 10 * MB, "No GC");
            noOnes.old(CollectionKind.PHASE_PAUSE, 2, 10 * MB, "G1 Humongous Allocation");
        }
        assertThat(severity(fulls.judged(), "gc.humongous")).isEqualTo(Severity.INFO);
        assertThat(severity(phases.judged(), "gc.humongous")).isEqualTo(Severity.WARNING);
        assertThat(why(noOnes.judged(), "gc.humongous")).startsWith("2 collections with the cause");
        assertThat(severity(humongous(3, 0).judged(), "gc.humongous")).isEqualTo(Severity.INFO);
    }

    /** An array of four regions is humongous in regions of twice the size as well. */
    @Test
    void theRefuterFitsObjectsOfManyRegions() {
        Finding finding = humongous(12, 2).judged().finding("gc.humongous").orElseThrow();

        assertThat(finding.refuters())
                .containsExactly(
                        "In regions of more than twice the size of the largest of these objects"
                                + " there are as many.");
    }

    private static Advice humongousAdvice(long region, SiteBook sites) {
        Story story = humongous(12, 2);
        story.regionSize = region;
        return story.judged(sites).finding("gc.humongous").orElseThrow().advice();
    }

    @Test
    void theAdviceIsTheSiteOrLargerRegionsUpToTheMaximum() {
        SiteBook none = new SiteBook();
        assertThat(humongousAdvice(16 * MB, none).text()).endsWith("-XX:G1HeapRegionSize=32m.");
        assertThat(humongousAdvice(32 * MB, none))
                .matches(advice -> advice.text().startsWith("Find the code that makes"))
                .matches(advice -> advice.kind() == Advice.Kind.CODE);
        SiteBook book = new SiteBook();
        Shot shot = new Shot(1_000_000, 1_010_000);
        shot.live(shot.site("byte[]", "pack", 8.0 * MB), 8, MB, 1_001_000, 1);
        book.add(shot.take(), humongous(1, 0).timeline(), 0);
        assertThat(humongousAdvice(MB, book).kind()).isEqualTo(Advice.Kind.CODE);
        assertThat(humongousAdvice(MB, book).text()).contains("Make smaller arrays");
    }

    @Test
    void othersHaveNoHumongousObjects() {
        Story story = Story.serial().second(MB);
        for (int i = 0; i < 3; i++) {
            story.young(2, 0, "G1 Humongous Allocation");
        }
        Check check = Story.rule("gc.humongous").judge(story.situation()).check;
        assertThat(check.observable()).isFalse();
        assertThat(check.why()).endsWith("has no humongous objects.");
    }

    private static Story critical(int young, int full, double stallMillis) {
        Story story = Story.serial();
        for (int i = 0; i < young; i++) {
            story.second(MB).event("GCLocker", stallMillis, Map.of("thread", "main"));
            story.young(1, 0, "GCLocker Initiated GC");
        }
        for (int i = 0; i < full; i++) {
            story.full(20, 10 * MB, "GCLocker Initiated GC");
        }
        return story.second(MB);
    }

    @Test
    void longWaitsOrFullCollectionsForCriticalSectionsAreWarnedOf() {
        assertThat(severity(critical(10, 0, 40).judged(), "jni.critical")).isEqualTo(Severity.INFO);
        assertThat(severity(critical(10, 0, 140).judged(), "jni.critical"))
                .isEqualTo(Severity.WARNING);
        assertThat(severity(critical(10, 3, 0).judged(), "jni.critical"))
                .isEqualTo(Severity.WARNING);
        assertThat(severity(critical(2, 0, 10).judged(), "jni.critical")).isNull();
    }

    /**
     * A run of zstd with Parallel on JDK 17: its figures of seven collections, in KiB. Each third
     * one is young, and after it the old generation fills with an eden that is full.
     *
     * @param youngBefore of the full ones
     */
    private static Story parallel(long youngBefore) {
        long[][] run = {
            {68_684, 175_103, 20_340},
            {youngBefore, 175_103, 20_600},
            {youngBefore, 175_103, 20_914},
            {youngBefore, 175_102, 20_654},
            {youngBefore, 175_102, 20_655}
        };
        Story story = new Story(GarbageCollector.PARALLEL, 17);
        for (long[] kib : run) {
            story.seconds(4, 40 * MB);
            story.full(kib[0] << 10, kib[1] << 10, 40, kib[2] << 10, "Ergonomics");
        }
        return story.second(MB);
    }

    @Test
    void parallelFillsTheOldGenerationWhileCriticalSectionsLast() {
        Finding found = parallel(65_536).judged().finding("jni.critical").orElseThrow();

        assertThat(found.severity()).isEqualTo(Severity.WARNING);
        assertThat(found.evidence())
                .extracting(Evidence::text)
                .contains(
                        "4 full collections of Parallel found the young generation full, and the"
                                + " old one filled without promotion: it allocates there while a"
                                + " critical section lasts.");
        assertThat(severity(parallel(33_000).judged(), "jni.critical")).isNull();
    }

    /** As in a run of zstd with Serial on JDK 17. */
    @Test
    void theCodeThatHoldsCriticalSectionsIsNamed() {
        Story story = critical(10, 3, 140);
        for (int i = 0; i < 4; i++) {
            boolean isOther = i == 0;
            story.second(MB)
                    .event(
                            JvmEvent.NATIVE_CALL,
                            0,
                            Map.of(),
                            "com.github.luben.zstd." + (isOther ? "Zstd.trained" : "Zstd.packed"),
                            "shop.Archive.pack:34");
        }
        Finding found = story.second(MB).judged().finding("jni.critical").orElseThrow();

        assertThat(found.callers())
                .containsExactly(
                        new CallerEvidence(
                                "com.github.luben.zstd.Zstd.packed",
                                List.of("shop.Archive.pack:34"),
                                3),
                        new CallerEvidence(
                                "com.github.luben.zstd.Zstd.trained",
                                List.of("shop.Archive.pack:34"),
                                1));
        assertThat(found.evidence())
                .extracting(Evidence::text)
                .contains(
                        "com.github.luben.zstd.Zstd.packed was seen running 3 times, in looks at"
                                + " all threads once a second.");
    }

    /** A promotion fails where no collection could take place in time. */
    @Test
    void criticalSectionsExplainFailedPromotions() {
        Story story = critical(10, 3, 140);
        for (int i = 0; i < 3; i++) {
            story.event("PromotionFailed", 0, Map.of());
        }
        Finding degenerated = story.second(MB).judged().finding("gc.degenerated").orElseThrow();

        assertThat(degenerated.severity()).isEqualTo(Severity.INFO);
        assertThat(degenerated.explainedBy()).isEqualTo("jni.critical");
    }

    @Test
    void parallelTellsByTheLogAlone() {
        Story story = new Story(GarbageCollector.PARALLEL, 17);
        for (int i = 0; i < 5; i++) {
            story.second(MB).event("GCLocker", 300, Map.of());
        }
        assertThat(severity(story.second(MB).judged(), "jni.critical")).isEqualTo(Severity.WARNING);
    }

    @Test
    void someCollectorsReportNoWaits() {
        assertThat(why(new Story(GarbageCollector.Z, 25).second(MB).judged(), "jni.critical"))
                .contains("does not report waits for");
        assertThat(why(new Story(GarbageCollector.G1, 22).second(MB).judged(), "jni.critical"))
                .contains("pins regions");
    }

    @Test
    void anUnknownCauseIsKeptAndNoHarm() {
        Story story = Story.g1();
        for (int i = 0; i < 20; i++) {
            story.second(MB).young(2, 0, "A Cause Of Tomorrow");
        }
        Diagnosis diagnosis = story.second(MB).judged();

        assertSilent(diagnosis);
        assertThat(CauseTotals.of(diagnosis.timeline()))
                .extracting(CauseTotals::cause)
                .contains("A Cause Of Tomorrow");
    }
}
