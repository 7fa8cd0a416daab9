// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.Story.MB;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.GarbageCollector;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What counts as the reason of a long pause, and what does not. */
class PauseReasonTest {

    private static final String PHASE = "GCPhasePauseLevel1";
    private static final Map<String, String> REFERENCES = Map.of("name", "Reference Processing");
    private static final String NONE = "no part of it stands out";

    private static Finding found(Story story) {
        return story.second(MB).judged().finding("pause.long").orElseThrow();
    }

    private static void assertReason(Story story, String reason) {
        assertThat(found(story).title()).endsWith(": " + reason);
    }

    private static Story phase(String type, double millis, String name) {
        return Story.g1().second(MB).event(type, millis, Map.of("name", name));
    }

    @Test
    void referencesCountFromFiftyMillisecondsAndAQuarterOn() {
        assertReason(phase(PHASE, 75, "Finalizer").young(300, 0), "references and finalizers");
        assertReason(phase(PHASE, 74, "Reference Processing").young(300, 0), NONE);
        Story two = phase(PHASE, 40, "Notify Soft/WeakReferences");
        two.event("GCPhasePauseLevel2", 39, Map.of("name", "Notify Soft/WeakReferences"));
        two.event(PHASE, 35, Map.of("name", "Notify and keep alive finalizable"));
        assertReason(two.young(300, 0), "references and finalizers");
        assertReason(phase(PHASE, 49, "Finalizer").young(201, 0).young(202, 0), NONE);
    }

    /** Three pauses of 300 ms with 150 ms for references, as finalized messages make them. */
    private static Story references() {
        Story story = Story.g1();
        for (int i = 0; i < 3; i++) {
            story.second(MB).event(PHASE, 150, REFERENCES).young(300, 0);
        }
        return story;
    }

    @Test
    void aLongerPauseWithoutAReasonTakesNothingBack() {
        Finding before = found(references());
        assertThat(before.severity()).isEqualTo(Severity.WARNING);
        Story longer = references().second(MB).event(PHASE, 30, REFERENCES).young(400, 0);
        assertThat(found(longer).severity()).isEqualTo(Severity.WARNING);
        assertThat(found(longer).title()).isEqualTo(before.title());
        Story full = references().second(MB).full(500, 0, "Ergonomics");
        assertThat(found(full).severity()).isEqualTo(Severity.WARNING);
        assertThat(found(full).title()).isEqualTo(before.title());
        Story fatal = references().second(MB).full(1500, 0, "Ergonomics");
        assertThat(found(fatal).title()).startsWith("A pause took 1.5 s: no part");
    }

    /** Each judgement looks for the reason of some pauses, not of all that there ever were. */
    @Test
    void onlyTheReasonsOfTheLongestPausesAreLookedFor() {
        Story story = references();
        for (int i = 0; i < 99; i++) {
            story.second(MB).young(400, 0);
        }
        assertThat(found(story).severity()).isEqualTo(Severity.WARNING);
        assertThat(found(story.young(400, 0)).severity()).isEqualTo(Severity.INFO);
    }

    private static Set<String> causes(Story story) {
        return Story.rule("pause.long").judge(story.second(MB).situation()).words("because");
    }

    /** A leak makes no references, and only calls of System.gc() make the pauses of such calls. */
    @Test
    void otherFindingsExplainAPauseOnlyIfTheyGiveItsReason() {
        String[] ofHeap = {"leak.growth", "promotion.premature", "old.frequent", "jni.critical"};

        assertThat(causes(Story.g1().second(MB).young(300, 0))) // unknown
                .contains(ofHeap)
                .doesNotContain("gc.explicit");
        assertThat(causes(Story.g1().second(MB).young(300, 40 * MB))) // evacuation
                .contains(ofHeap);
        assertThat(causes(Story.serial().second(MB).full(300, 100 * MB, "Allocation Failure")))
                .contains(ofHeap);
        assertThat(causes(Story.serial().second(MB).full(300, 100 * MB, "System.gc()")))
                .containsExactlyInAnyOrder("load", "gc.explicit");
        assertThat(causes(phase(PHASE, 150, "Reference Processing").young(300, 0)))
                .containsExactly("load");
        assertThat(causes(phase(PHASE, 150, "Class Unloading").young(300, 0)))
                .containsExactly("load");
    }

    @Test
    void aPauseWithoutAReasonIsNotRefutedByTheLackOfOne() {
        assertThat(found(Story.g1().second(MB).young(300, 0)).refuters())
                .containsExactly("The machine was short of memory at that time, and swapped.");
        assertThat(found(phase(PHASE, 150, "Class Unloading").young(300, 0)).refuters())
                .containsExactly("Pauses are as long without that: unloading of classes.");
    }

    @Test
    void classUnloadingCountsIfItIsHalfOfThePause() {
        assertReason(phase(PHASE, 150, "Class Unloading").young(300, 0), "unloading of classes");
        assertReason(phase(PHASE, 149, "Class Unloading").young(300, 0), NONE);
    }

    /** The collector's threads ran for 30 ms of the second, and waited for 70. */
    @Test
    void aCollectorThatWaitsForAProcessorIsStarved() {
        Story story = Story.g1();
        story.gcRun = 1000;
        story.gcWaited = 500;
        story.second(MB).millis(10).young(400, 0);
        story.gcRun += 30;
        story.gcWaited += 70;
        assertReason(story, "the collector waited for a processor");
        assertThat(found(story).severity()).isEqualTo(Severity.INFO);
        assertThat(found(story).evidence())
                .extracting(Evidence::text)
                .contains(
                        "In the second of the pause the threads of the collector ran for only 30 %"
                                + " of the time in which they were ready to run.");
    }

    /** Until then it would be a warning, which the tick takes back. */
    @Test
    void aPauseIsJudgedOnceTheTickAfterItIsThere() {
        Story story = Story.g1();
        story.gcRun = 0;
        story.gcWaited = 0;
        story.second(MB).millis(10).young(1100, 0);
        assertThat(story.judged().finding("pause.long")).isEmpty();
        story.gcRun = 165;
        story.gcWaited = 935;
        assertReason(story, "the collector waited for a processor");
        assertThat(found(story).severity()).isEqualTo(Severity.INFO);
    }

    /** 400 of 1,000 ms remain, and the limit is 200: the pause has another reason as well. */
    @Test
    void aPauseThatIsLongWithoutTheWaitAsWellIsNotStarved() {
        Story story = Story.g1();
        story.gcRun = 0;
        story.gcWaited = 0;
        story.second(MB).millis(10).young(1000, 0);
        story.gcRun = 400;
        story.gcWaited = 600;
        assertReason(story, NONE);
    }

    /** What remains of a pause without the wait is within the limit: no pause is too long. */
    @Test
    void aPauseThatIsLongBecauseOfTheWaitIsNoWarning() {
        Story story = Story.g1();
        story.gcRun = 0;
        story.gcWaited = 0;
        story.second(MB);
        for (int i = 0; i < 5; i++) {
            story.millis(10).young(1500, 0);
            story.gcRun += 60;
            story.gcWaited += 600;
            story.second(MB);
        }
        assertThat(found(story).severity()).isEqualTo(Severity.INFO);
    }

    /** Threads that run beside the application wait for it, with enough processors for pauses. */
    @Test
    void aPauseOfAConcurrentCollectorIsNotJudgedByItsConcurrentThreads() {
        assertReason(starved(CollectionKind.PHASE_PAUSE, GarbageCollector.Z, 250), NONE);
        assertReason(starved(CollectionKind.PHASE_PAUSE, GarbageCollector.SHENANDOAH, 250), NONE);
        String waited = "the collector waited for a processor";
        assertReason(starved(CollectionKind.PHASE_PAUSE, GarbageCollector.G1, 250), waited);
        assertReason(
                starved(CollectionKind.DEGENERATED_PAUSE, GarbageCollector.SHENANDOAH, 250),
                waited);
    }

    /** A machine that is too busy raises no warning either. */
    @Test
    void aPauseWhileConcurrentThreadsWaitForAProcessorIsNoWarning() {
        Finding finding = found(starved(CollectionKind.PHASE_PAUSE, GarbageCollector.Z, 1100));
        assertThat(finding.severity()).isEqualTo(Severity.INFO);
    }

    private static Story starved(CollectionKind kind, GarbageCollector collector, double millis) {
        Story story = new Story(collector, 21);
        story.gcRun = 0;
        story.gcWaited = 0;
        story.second(MB).millis(10).old(kind, millis, 10 * MB, "x");
        story.gcRun = 60;
        story.gcWaited = 600;
        return story;
    }

    @Test
    void copyingIsTheReasonWhereMuchIsCopied() {
        Story story = Story.g1().second(MB);
        story.survivors = 20 * MB;
        assertReason(story.young(300, 10 * MB), "many objects were copied");
        Story less = Story.g1().second(MB);
        less.survivors = 20 * MB;
        assertReason(less.young(301, 10 * MB), NONE);
    }

    @Test
    void onlyPartsOfThisPauseCount() {
        assertReason(phase("GCPhaseConcurrent", 200, "Reference Processing").young(300, 0), NONE);
        Story before = phase(PHASE, 200, "Reference Processing").millis(2);
        assertReason(before.young(300, 0), NONE);
        Story after = Story.g1().second(MB).young(300, 0).millis(2);
        assertReason(after.event(PHASE, 200, REFERENCES), NONE);
        Story atItsEnds = phase(PHASE, 200, "Reference Processing").millis(1);
        assertReason(atItsEnds.young(300, 0), "references and finalizers");
    }

    @Test
    void reachingTheSafepointCountsIfItTookHalfAsLongInThatSecond() {
        Story half = Story.g1().second(MB).millis(10).young(400, 0);
        half.syncMillis = 200;
        assertReason(half, "threads were slow to reach the safepoint");
        Story less = Story.g1().second(MB).millis(10).young(400, 0);
        less.syncMillis = 199;
        assertReason(less, NONE);
    }

    @Test
    void whatWasCountedEarlierOrIsNotKnownIsNotOfThisPause() {
        Story earlier = Story.g1().second(MB);
        earlier.syncMillis = 900;
        assertReason(earlier.second(MB).millis(10).young(400, 0), NONE);
        Story unknown = Story.g1();
        unknown.syncMillis = -1;
        unknown.second(MB).millis(10).young(400, 0).syncMillis = 900;
        assertReason(unknown, NONE);
        Story first = Story.g1().young(400, 0);
        first.syncMillis = 900;
        assertReason(first, NONE);
    }

    @Test
    void theLiveSetIsTheReasonOfOldPausesIfItIsLargeEnough() {
        assertReason(Story.serial().second(MB).full(300, 30 * MB, "x"), "the live set is large");
        assertReason(Story.serial().second(MB).full(301, 30 * MB, "x"), NONE);
        assertReason(Story.serial().second(MB).full(300, 0, "x"), NONE);
        assertReason(
                Story.serial().second(MB).full(300, 200 * MB, "System.gc()"),
                "System.gc() collects the whole heap");
    }
}
