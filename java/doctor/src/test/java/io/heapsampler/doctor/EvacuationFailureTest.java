// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.Story.MB;
import static io.heapsampler.doctor.Story.severity;
import static io.heapsampler.doctor.Story.value;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** When collections tell of a failed evacuation, where no event does. */
class EvacuationFailureTest {

    private static final String ID = "gc.evacuation-failure";

    /** Young pauses before which 40 MiB are in use, each followed by a full one. */
    private static Story rounds(int count, long promoted, String cause) {
        Story story = Story.g1();
        for (int i = 0; i < count; i++) {
            story.second(MB).young(50, promoted, "G1 Evacuation Pause").full(60, 10 * MB, cause);
        }
        return story.second(MB);
    }

    @Test
    void theYoungPauseHasFreedLessThanATwentieth() {
        Finding finding = rounds(3, 28 * MB, "x").judged().finding(ID).orElseThrow();

        assertThat(finding.evidence().get(0).text())
                .isEqualTo(
                        "0 failed evacuations in the JVM's log, which is read only while something"
                                + " looks wrong, and 3 full collections right after a young one"
                                + " that freed less than 5 %.");
        assertThat(severity(rounds(2, 28 * MB, "x").judged(), ID)).isNull();
        assertThat(severity(rounds(3, 27 * MB, "x").judged(), ID)).isNull();
        assertThat(severity(rounds(3, 28 * MB, "System.gc()").judged(), ID)).isNull();
    }

    @Test
    void theFullOneComesRightAfter() {
        Story story = Story.g1();
        Story twice = Story.g1();
        for (int i = 0; i < 3; i++) {
            story.second(MB).young(50, 28 * MB, "G1 Evacuation Pause");
            story.old(CollectionKind.PHASE_PAUSE, 1, story.old, "No GC").full(60, 10 * MB, "x");
            twice.second(MB).young(50, 28 * MB, "G1 Evacuation Pause");
            twice.young(50, 0, "G1 Evacuation Pause");
        }
        assertThat(severity(story.judged(), ID)).isNull();
        assertThat(severity(twice.judged(), ID)).isNull();
    }

    @Test
    void eventsAreSureAndFullOnesForSpaceAreCounted() {
        Story story = rounds(2, 28 * MB, "x").full(60, 10 * MB, "System.gc()");
        for (int i = 0; i < 3; i++) {
            story.event("EvacuationFailed", 0, Map.of());
        }
        Finding finding = story.judged().finding(ID).orElseThrow();

        assertThat(value(finding, "evacuation.failed")).isEqualTo(3);
        assertThat(value(finding, "full.count")).isEqualTo(2);
        assertThat(finding.evidence())
                .extracting(Evidence::text)
                .anyMatch(text -> text.startsWith("3 failed evacuations in the JVM's log, "));
    }

    /** Lucene in 64 MiB: 3 failures in two minutes, no pause of more than 15 ms. */
    @Test
    void fewFailuresWithoutAFullCollectionAreInformationOnly() {
        Story none = failed(2).full(60, 10 * MB, "x");
        Story few = failed(9).full(60, 10 * MB, "System.gc()");
        Story full = failed(3).full(60, 10 * MB, "x");

        assertThat(severity(none.second(MB).judged(), ID)).isNull();
        assertThat(severity(few.second(MB).judged(), ID)).isEqualTo(Severity.INFO);
        assertThat(severity(failed(10).second(MB).judged(), ID)).isEqualTo(Severity.WARNING);
        assertThat(severity(full.second(MB).judged(), ID)).isEqualTo(Severity.WARNING);
    }

    private static Story failed(int count) {
        Story story = Story.g1().second(MB);
        for (int i = 0; i < count; i++) {
            story.second(MB).event("EvacuationFailed", 0, Map.of());
        }
        return story;
    }
}
