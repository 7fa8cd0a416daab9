// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.doctor.Check;
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
}
