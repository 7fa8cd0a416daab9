// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.Story.MB;
import static io.heapsampler.doctor.Story.assertSilent;
import static io.heapsampler.doctor.Story.severity;
import static io.heapsampler.doctor.Story.why;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.GarbageCollector;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Long pauses, sizes, explicit collections, first touch. */
class PauseRulesTest {

    private static Finding longPause(Story story) {
        return story.second(MB).judged().finding("pause.long").orElseThrow();
    }

    @Test
    void onePauseOverADefaultLimitIsInformation() {
        Story story = Story.g1().second(MB).young(201, 0).second(MB);

        assertThat(severity(story.judged(), "pause.long")).isEqualTo(Severity.INFO);
        assertThat(severity(story.judged(new Slo(200, 0.99, false)), "pause.long"))
                .isEqualTo(Severity.WARNING);
        assertThat(severity(story.judged(new Slo(201, 0.99, false)), "pause.long")).isNull();
    }

    @Test
    void threeOfThemOrOneOfASecondAreWarnedOf() {
        Story three = Story.g1();
        three.second(MB).young(210, 0).second(MB).young(220, 0).second(MB).young(230, 0);
        assertThat(longPause(three).severity()).isEqualTo(Severity.INFO); // no reason is known
        three.second(MB).event("GCPhasePauseLevel1", 100, Map.of("name", "Reference Processing"));
        assertThat(longPause(three.young(231, 0)).severity()).isEqualTo(Severity.WARNING);
        assertThat(longPause(Story.g1().second(MB).young(1000, 0)).severity())
                .isEqualTo(Severity.WARNING);
    }

    @Test
    void cyclesAreNoPauses() {
        Story story = new Story(GarbageCollector.Z_GENERATIONAL, 21);
        story.second(MB).old(CollectionKind.OLD_CYCLE, 5000, 10 * MB, "Proactive").second(MB);

        assertThat(severity(story.judged(), "pause.long")).isNull();
    }

    @Test
    void phasesTellTheReason() {
        Story story = Story.g1().second(MB);
        story.event("GCPhasePauseLevel1", 260, Map.of("name", "Reference Processing"));
        Finding finding = longPause(story.young(1000, 0));

        assertThat(finding.title()).contains("references and finalizers");
        assertThat(finding.advice().text()).doesNotContain("ParallelRefProcEnabled");
        assertThat(finding.evidence()).extracting(Evidence::name).contains("reason.references");
    }

    @Test
    void whereTheLongestHasNoDetailsAnotherOfItsKindSpeaks() {
        Story story = Story.g1().second(MB).young(1000, 0).second(MB);
        story.event("GCPhasePauseLevel1", 260, Map.of("name", "Reference Processing"));
        Finding finding = longPause(story.young(700, 0));

        assertThat(finding.title()).isEqualTo("A pause took 1 s: references and finalizers");
        assertThat(finding.evidence())
                .filteredOn(e -> e.name().equals("pause.explained"))
                .singleElement()
                .extracting(Evidence::text)
                .asString()
                .contains("The parts of the longest one are not known", "a pause of 700 ms");
    }

    @Test
    void anotherOfItsKindIsSilentWhereTheLongestHasDetails() {
        Story story = Story.g1().second(MB);
        story.event("GCPhasePauseLevel1", 400, Map.of("name", "Evacuate Collection Set"));
        story.young(1000, 0).second(MB);
        story.event("GCPhasePauseLevel1", 260, Map.of("name", "Reference Processing"));

        assertThat(longPause(story.young(700, 0)).title()).contains("no part of it");
    }

    @Test
    void anotherOfItsKindIsSilentWhereTheReasonIsKnownWithoutDetails() {
        Story story = Story.g1().second(MB).millis(10);
        story.young(1000, 0);
        story.syncMillis = 600;
        story.second(MB);
        story.event("GCPhasePauseLevel1", 260, Map.of("name", "Reference Processing"));

        assertThat(longPause(story.young(700, 0)).title()).contains("slow to reach the safepoint");
    }

    @Test
    void oneOfAnotherKindDoesNotSpeakForTheLongest() {
        Story story = Story.g1().second(MB).full(1000, 110 * MB, "Ergonomics").second(MB);
        story.event("GCPhasePauseLevel1", 260, Map.of("name", "Reference Processing"));

        assertThat(longPause(story.young(700, 0)).title()).contains("live set is large");
    }

    @Test
    void lessThanAQuarterOrFiftyMillisecondsIsNoReason() {
        Story story = Story.g1().second(MB);
        story.event("GCPhasePauseLevel1", 249, Map.of("name", "Reference Processing"));
        assertThat(longPause(story.young(1000, 0)).title()).contains("no part of it");

        Story brief = Story.g1().second(MB);
        brief.event("GCPhasePauseLevel1", 49, Map.of("name", "Class Unloading"));
        assertThat(brief.young(300, 0).second(MB).judged().finding("pause.long").orElseThrow())
                .extracting(Finding::title)
                .asString()
                .contains("no part of it");
    }

    @Test
    void classUnloadingAndTheLiveSetAreReasons() {
        Story unloading = Story.serial().second(MB);
        unloading.event("GCPhasePauseLevel1", 500, Map.of("name", "Class Unloading"));
        unloading.young(1000, 0);
        assertThat(longPause(unloading).title()).contains("unloading of classes");

        Story live = Story.serial().second(MB).full(1200, 200 * MB, "Ergonomics");
        assertThat(longPause(live).title()).contains("live set is large");
    }

    @Test
    void lookingForClassesWhereNoneIsUnloadedIsAReasonOnlyIfItIsHalfOfThePause() {
        Story half = Story.serial().second(MB);
        half.event("GCPhasePauseLevel2", 500, Map.of("name", "Class Unloading"));
        assertThat(longPause(half.full(1000, 200 * MB, "Ergonomics")).title())
                .contains("unloading of classes");

        Story less = Story.serial().second(MB);
        less.event("GCPhasePauseLevel2", 499, Map.of("name", "Class Unloading"));
        assertThat(longPause(less.full(1000, 200 * MB, "Ergonomics")).title())
                .contains("live set is large");
    }

    @Test
    void slowSafepointsAreAReason() {
        Story story = Story.g1().second(MB).millis(10);
        story.young(1000, 0);
        story.syncMillis = 600;

        assertThat(longPause(story).title()).contains("slow to reach the safepoint");
    }

    private static Story ramp(double millis, int collections) {
        Story story = Story.serial();
        story.initialHeap = 8 * MB;
        story.committed = 8 * MB;
        for (int i = 0; i < collections; i++) {
            story.committed += MB;
            story.second(MB).young(millis, 0);
        }
        return story.second(MB);
    }

    @Test
    void aHeapThatIsEnlargedAgainAndAgainIsReported() {
        assertThat(severity(ramp(1, 10).judged(), "heap.resize")).isEqualTo(Severity.INFO);
        assertThat(severity(ramp(1, 2).judged(), "heap.resize")).isNull();
        assertThat(severity(ramp(30, 30).judged(), "heap.resize")).isEqualTo(Severity.WARNING);
        assertThat(severity(ramp(0.1, 101).judged(), "heap.resize")).isEqualTo(Severity.WARNING);
    }

    @Test
    void aHeapOfFullSizeIsNot() {
        Story story = ramp(30, 30);
        story.initialHeap = story.maxHeap;

        assertThat(why(story.judged(), "heap.resize")).contains("full size from the beginning");
    }

    private static Story explicit(int calls, String... stack) {
        Story story = Story.g1();
        for (int i = 0; i < calls; i++) {
            story.second(MB);
            if (stack.length > 0) {
                story.event("SystemGC", 0, Map.of(), stack);
            }
            story.full(30, 10 * MB, "System.gc()");
        }
        return story.seconds(4, MB);
    }

    @Test
    void callsOfTheApplicationAreNamed() {
        String caller = "shop.Batch.cleanUp:12";
        Finding finding =
                explicit(20, "java.lang.System.gc:0", caller)
                        .judged()
                        .finding("gc.explicit")
                        .orElseThrow();

        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
        assertThat(finding.advice().kind()).isEqualTo(Advice.Kind.CODE);
        assertThat(finding.advice().text()).contains(caller).doesNotContain("DisableExplicitGC");
        assertThat(finding.callers())
                .containsExactly(new CallerEvidence("System.gc()", List.of(caller), 20));
        assertThat(severity(explicit(2).judged(), "gc.explicit")).isNull();
    }

    private static Set<String> causes(Story story) {
        return Story.rule("gc.explicit").judge(story.situation()).words("because");
    }

    /** Calls for direct memory have no other caller than the JDK. */
    @Test
    void onlyCallsWithoutAKnownCallerCanBeForDirectMemory() {
        assertThat(causes(explicit(3))).containsExactly("direct.leak");
        assertThat(causes(explicit(3, "java.lang.System.gc:0", "shop.Batch.end:12"))).isEmpty();
        assertThat(causes(explicit(3, "java.lang.System.gc:0", "sun.rmi.transport.GC$Daemon.run")))
                .isEmpty();
    }

    @Test
    void theThreeWhoCallMostAreNamedWithTheirWholeStacks() {
        Story story = Story.g1();
        for (int caller = 1; caller <= 4; caller++) {
            for (int i = 0; i < caller; i++) {
                String method = "shop.Batch.step" + caller + ":12";
                story.second(MB).event("SystemGC", 0, Map.of(), "java.lang.Runtime.gc:0", method);
                story.full(30, 10 * MB, "System.gc()");
            }
        }
        Finding finding = story.seconds(4, MB).judged().finding("gc.explicit").orElseThrow();

        assertThat(finding.callers()).extracting(CallerEvidence::count).containsExactly(4L, 3L, 2L);
        assertThat(finding.callers().get(0).stack()).containsExactly("shop.Batch.step4:12");
    }

    @Test
    void toolsAreNotTheApplication() {
        Story story = Story.g1();
        for (int i = 0; i < 10; i++) {
            story.second(MB).full(30, 10 * MB, "Diagnostic Command");
        }
        assertSilent(story.second(MB).judged());
    }

    @Test
    void oneCallOfParallelIsTwoNotificationsAndOneCall() {
        Story story = new Story(GarbageCollector.PARALLEL, 17);
        for (int i = 0; i < 2; i++) {
            story.second(MB).young(5, 0, "System.gc()").full(30, 10 * MB, "System.gc()");
        }
        assertThat(severity(story.seconds(4, MB).judged(), "gc.explicit")).isNull();
    }

    @Test
    void concurrentOnesOfG1AreNoYoungPressure() {
        Story story = Story.g1().flag("ExplicitGCInvokesConcurrent", "true");
        for (int i = 0; i < 12; i++) {
            story.second(MB).young(5, 0, "System.gc()");
        }
        assertThat(severity(story.seconds(4, MB).judged(), "gc.explicit"))
                .isEqualTo(Severity.WARNING);
    }

    @Test
    void theJdksOwnCallsAreDirectPressure() {
        Diagnosis diagnosis =
                explicit(
                                9,
                                "java.lang.System.gc:0",
                                "java.nio.Bits.reserveMemory:175",
                                "shop.Main.run:3")
                        .judged();

        assertThat(severity(diagnosis, "direct.pressure")).isEqualTo(Severity.INFO);
        assertThat(severity(diagnosis, "gc.explicit")).isNull();
        assertThat(why(diagnosis, "gc.explicit")).contains("9 were the JDK's own");
        assertSilent(diagnosis);
    }

    @Test
    void forbiddenExplicitCollectionsAreWarnedOfWhereDirectMemoryIsUsed() {
        Story story = Story.g1().flag("DisableExplicitGC", "true");
        story.maxDirect = 64 * MB;
        story.direct = 40 * MB;
        Finding finding = story.seconds(3, MB).judged().finding("direct.pressure").orElseThrow();

        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
        assertThat(finding.advice().text()).contains("Take -XX:+DisableExplicitGC away");
    }
}
