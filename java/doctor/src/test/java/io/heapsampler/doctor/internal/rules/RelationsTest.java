// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.doctor.Check;
import io.heapsampler.doctor.Evidence;
import io.heapsampler.doctor.Finding;
import io.heapsampler.doctor.Samples;
import io.heapsampler.doctor.Severity;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which findings explain others, and what was ruled out. */
class RelationsTest {

    private static final Finding LEAK = Samples.finding("leak.growth", Severity.WARNING);
    private static final Finding OLD = Samples.finding("old.frequent", Severity.WARNING);
    private static final Finding PAUSE = Samples.finding("pause.long", Severity.WARNING);

    private static Finding second(Finding first, Finding second, Check... checks) {
        List<Finding> settled = Relations.settle(List.of(first, second), List.of(checks), null);
        assertThat(settled).hasSize(2);
        return settled.get(1);
    }

    @Test
    void whatAnotherExplainsIsInformation() {
        Finding explained = second(LEAK, OLD);

        assertThat(explained.severity()).isEqualTo(Severity.INFO);
        assertThat(explained.explainedBy()).isEqualTo("leak.growth");
    }

    @Test
    void whatNoneExplainsStaysAsItIs() {
        assertThat(second(PAUSE, LEAK)).isEqualTo(LEAK);
        assertThat(second(PAUSE, OLD)).isEqualTo(OLD);
        assertThat(second(OLD, LEAK)).isEqualTo(LEAK);
    }

    /** A cause that is a consequence itself has no lines of its own in the report. */
    @Test
    void theFirstCauseExplainsTheWholeChain() {
        Finding metaspace = Samples.finding("metaspace.leak", Severity.WARNING);
        List<Finding> settled = Relations.settle(List.of(metaspace, LEAK, OLD), List.of(), null);

        assertThat(settled)
                .extracting(Finding::explainedBy)
                .containsExactly(null, "metaspace.leak", "metaspace.leak");
    }

    /** While native code holds arrays, the other threads allocate in the old generation. */
    @Test
    void criticalSectionsExplainWhatIsPromoted() {
        Finding critical = Samples.finding("jni.critical", Severity.WARNING);
        Finding promoted = Samples.finding("promotion.premature", Severity.WARNING);
        assertThat(second(critical, promoted).explainedBy()).isEqualTo("jni.critical");
    }

    @Test
    void informationExplainsNothing() {
        assertThat(second(Samples.finding("leak.growth", Severity.INFO), OLD)).isEqualTo(OLD);
    }

    @Test
    void onlyWhatWouldShowTheSameIsRuledOut() {
        Check humongous = new Check("gc.humongous", "none", true);
        Check touch = new Check("first-touch", "none", true);

        assertThat(second(LEAK, OLD, humongous, touch).notFired()).containsExactly(humongous);
        assertThat(second(LEAK, PAUSE, humongous, touch).notFired()).containsExactly(touch);
    }

    /** Else a heap that is collected all the time would be no more than a warning. */
    @Test
    void aCauseIsAsSevereAsWhatItExplains() {
        Finding worst = Samples.finding("old.frequent", Severity.CRITICAL);
        List<Finding> settled = Relations.settle(List.of(LEAK, worst, PAUSE), List.of(), null);

        assertThat(settled)
                .extracting(Finding::severity)
                .containsExactly(Severity.CRITICAL, Severity.INFO, Severity.INFO);
    }

    private static Finding pause(String reason) {
        Evidence evidence = new Evidence("reason." + reason, 1, "reason", "");
        return new Finding(
                PAUSE.id(),
                PAUSE.severity(),
                PAUSE.title(),
                PAUSE.startedAt(),
                PAUSE.endedAt(),
                PAUSE.collector(),
                List.of(evidence),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                PAUSE.advice(),
                null);
    }

    /** A pause that has a reason of its own is no consequence of a leak or of a call. */
    @Test
    void aPauseIsExplainedByWhatGivesItsReason() {
        Finding explicit = Samples.finding("gc.explicit", Severity.WARNING);

        assertThat(second(LEAK, pause("live_set")).explainedBy()).isEqualTo("leak.growth");
        assertThat(second(LEAK, pause("unknown")).explainedBy()).isEqualTo("leak.growth");
        for (String own : List.of("references", "class_unloading", "safepoint", "starved")) {
            assertThat(second(LEAK, pause(own))).isEqualTo(pause(own));
            assertThat(second(explicit, pause(own))).isEqualTo(pause(own));
        }
        assertThat(second(LEAK, pause("explicit"))).isEqualTo(pause("explicit"));
        assertThat(second(explicit, pause("explicit")).explainedBy()).isEqualTo("gc.explicit");
        assertThat(second(explicit, pause("live_set"))).isEqualTo(pause("live_set"));
    }

    private static Finding with(Finding it, String name, double bytes) {
        return new Finding(
                it.id(),
                it.severity(),
                it.title(),
                it.startedAt(),
                it.endedAt(),
                it.collector(),
                List.of(new Evidence(name, bytes, "bytes", "")),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                it.advice(),
                null);
    }

    /** What classes take outside of metaspace is not many times what they take in it. */
    @Test
    void metaspaceDoesNotExplainAProcessThatGrowsByMore() {
        Finding metaspace = Samples.finding("metaspace.leak", Severity.WARNING);
        Finding process = Samples.finding("native.unaccounted", Severity.WARNING);
        metaspace = with(metaspace, "metaspace.used", 84 << 20);

        assertThat(second(metaspace, with(process, "native.growth", 80 << 20)).explainedBy())
                .isEqualTo("metaspace.leak");
        assertThat(second(metaspace, with(process, "native.growth", 1 << 30)).severity())
                .isEqualTo(Severity.WARNING);
    }

    @Test
    void callsOfRmiAreNotForDirectMemory() {
        Finding direct = Samples.finding("direct.leak", Severity.WARNING);
        Finding explicit = Samples.finding("gc.explicit", Severity.WARNING);

        assertThat(second(direct, explicit).explainedBy()).isEqualTo("direct.leak");
        assertThat(second(direct, with(explicit, "explicit.rmi", 3)).explainedBy()).isNull();
    }
}
