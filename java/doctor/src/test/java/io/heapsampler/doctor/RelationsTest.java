// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Which findings explain others, and what was ruled out. */
class RelationsTest {

    private static final Finding LEAK = Samples.finding("leak.growth", Severity.WARNING);
    private static final Finding OLD = Samples.finding("old.frequent", Severity.WARNING);
    private static final Finding PAUSE = Samples.finding("pause.long", Severity.WARNING);

    /** With the relations of its rule, if these facts hold. */
    static Facts verdict(Finding finding, String... facts) {
        Facts all = new Facts(Story.g1().situation(), Story.rule(finding.id()).lines);
        all.finding = finding;
        for (String fact : facts) {
            all.is(fact, true);
        }
        return all;
    }

    private static List<Finding> settled(Facts... verdicts) {
        return Relations.settle(List.of(verdicts), null);
    }

    private static Finding second(Finding first, Finding second, String... factsOfSecond) {
        return settled(verdict(first), verdict(second, factsOfSecond)).get(1);
    }

    private static Facts quiet(String id) {
        Facts none = new Facts(Story.g1().situation(), List.of());
        none.check = new Check(id, "none", true);
        return none;
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
        List<Finding> settled = settled(verdict(metaspace), verdict(LEAK), verdict(OLD));

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
        Facts humongous = quiet("gc.humongous");
        Facts resize = quiet("heap.resize");

        assertThat(settled(verdict(OLD), humongous, resize).get(0).notFired())
                .containsExactly(humongous.check);
        assertThat(settled(verdict(PAUSE), humongous, resize).get(0).notFired())
                .containsExactly(resize.check);
    }

    /** Else a heap that is collected all the time would be no more than a warning. */
    @Test
    void aCauseIsAsSevereAsWhatItExplains() {
        Finding worst = Samples.finding("old.frequent", Severity.CRITICAL);
        List<Finding> settled = settled(verdict(LEAK), verdict(worst), verdict(PAUSE, "of.heap"));

        assertThat(settled)
                .extracting(Finding::severity)
                .containsExactly(Severity.CRITICAL, Severity.INFO, Severity.INFO);
    }

    /** A pause that has a reason of its own is no consequence of a leak or of a call. */
    @Test
    void aPauseIsExplainedByWhatGivesItsReason() {
        Finding explicit = Samples.finding("gc.explicit", Severity.WARNING);

        assertThat(second(LEAK, PAUSE, "of.heap").explainedBy()).isEqualTo("leak.growth");
        assertThat(second(LEAK, PAUSE)).isEqualTo(PAUSE);
        assertThat(second(explicit, PAUSE, "of.heap")).isEqualTo(PAUSE);
        assertThat(second(LEAK, PAUSE, "explicit")).isEqualTo(PAUSE);
        assertThat(second(explicit, PAUSE, "explicit").explainedBy()).isEqualTo("gc.explicit");
    }

    /** What classes take outside of metaspace is not many times what they take in it. */
    @Test
    void metaspaceExplainsAProcessThatGrowsByWhatClassesTake() {
        Finding metaspace = Samples.finding("metaspace.leak", Severity.WARNING);
        Finding process = Samples.finding("native.unaccounted", Severity.WARNING);

        assertThat(second(metaspace, process, "of.classes").explainedBy())
                .isEqualTo("metaspace.leak");
        assertThat(second(metaspace, process).severity()).isEqualTo(Severity.WARNING);
    }

    @Test
    void callsOfWhichTheCallerIsKnownAreNotForDirectMemory() {
        Finding direct = Samples.finding("direct.leak", Severity.WARNING);
        Finding explicit = Samples.finding("gc.explicit", Severity.WARNING);

        assertThat(second(direct, explicit).explainedBy()).isEqualTo("direct.leak");
        assertThat(second(direct, explicit, "known").explainedBy()).isNull();
    }
}
