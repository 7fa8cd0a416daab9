// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import static io.heapsampler.doctor.Story.MB;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.doctor.CollectionKind;
import io.heapsampler.doctor.Finding;
import io.heapsampler.doctor.Story;
import java.util.Map;
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
    void aPartCountsFromFiftyMillisecondsAndATenthOn() {
        assertReason(phase(PHASE, 50, "Finalizer").young(300, 0), "references and finalizers");
        assertReason(phase(PHASE, 49, "Reference Processing").young(300, 0), NONE);
        assertReason(
                phase(PHASE, 100, "Reference Processing").young(1000, 0),
                "references and finalizers");
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
    void fiftyThousandReferencesAreMany() {
        Story many = Story.g1().second(MB);
        many.event("GCReferenceStatistics", 0, Map.of("count", "49999"));
        many.event("GCReferenceStatistics", 0, Map.of("count", "1"));
        assertReason(many.young(300, 0), "references and finalizers");
        Story few = Story.g1().second(MB);
        few.event("GCReferenceStatistics", 0, Map.of("count", "49999"));
        few.event("GCReferenceStatistics", 0, Map.of("count", "many"));
        few.event("Other", 0, Map.of("count", "1"));
        assertReason(few.young(300, 0), NONE);
    }

    @Test
    void statisticsOfReferencesAreDetailsToo() {
        Story story = Story.g1().second(MB).young(1000, 0).second(MB);
        story.event("GCReferenceStatistics", 0, Map.of("count", "60000"));
        assertReason(story.young(700, 0), "references and finalizers");
        Story other = Story.g1().second(MB).young(1000, 0).second(MB);
        other.event("SystemGC", 0, Map.of());
        assertThat(found(other.young(700, 0)).evidence())
                .noneMatch(each -> each.name().equals("pause.explained"));
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
    void theLiveSetIsTheReasonOfOldPausesOnlyAndIfItIsKnown() {
        assertReason(
                Story.g1().second(MB).full(300, 10 * MB, "System.gc()"), "the live set is large");
        assertReason(Story.g1().second(MB).full(300, 0, "System.gc()"), NONE);
        assertReason(
                Story.g1().second(MB).old(CollectionKind.YOUNG_PAUSE, 300, 10 * MB, "x"), NONE);
    }
}
