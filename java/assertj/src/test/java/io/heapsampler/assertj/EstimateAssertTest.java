// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import static io.heapsampler.assertj.HeapSamplerAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.heapsampler.Estimate;
import io.heapsampler.HeapSnapshot;
import org.junit.jupiter.api.Test;

class EstimateAssertTest {

    /** 1,000 ± 196. */
    private static final Estimate THOUSAND = Estimate.of(1_000, 10_000, 100, 100);

    private static final Estimate NONE = Estimate.of(0, 0, 0, 0);

    @Test
    void limitsHoldForTheWholeInterval() {
        assertThat(THOUSAND).isAtMost(1_300).isAtLeast(700).isAtMost("2 KB").isAtLeast("0.5 KB");
        assertThat(THOUSAND).isBetween("0.5 KB", "2 KB").isBetween(512, 2048);
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> assertThat(THOUSAND).isBetween(2048, 4096));
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> assertThat(THOUSAND).isAtMost(1_100))
                .withMessageStartingWith("Value undecided, the samples allow no verdict:\n");
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> assertThat(THOUSAND).isAtMost("0.5 KB"))
                .withMessageStartingWith("Bytes over the limit:\n");
    }

    @Test
    void noSampleProvesNothingUnlessTheIntervalIsKnown() {
        assertThat(NONE).withInterval(1_000).isAtMost("4 KB");
        assertThat(NONE).withInterval(0).isAtMost(0);
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> assertThat(NONE).isAtMost("1 GB"))
                .withMessageContaining("  actual    no sample\n")
                .withMessageContaining("  between   0 bytes and no known bound\n")
                .withMessageContaining("or say withInterval(...)");
    }

    @Test
    void samplesErrorAndTruthAreChecked() {
        assertThat(THOUSAND)
                .hasAtLeastSamples(100)
                .hasRelativeErrorAtMost(0.2)
                .contains(1_100)
                .contains(900);
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> assertThat(THOUSAND).hasAtLeastSamples(101))
                .withMessageStartingWith("The estimate rests on 100 samples, fewer than 101.");
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> assertThat(THOUSAND).hasRelativeErrorAtMost(0.1))
                .withMessage(
                        "The error is more than 0.100 of the value: 1,000 ± 196 (95 %, 100"
                                + " samples). What helps: an interval smaller by a factor of 4.");
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> assertThat(NONE).hasRelativeErrorAtMost(0.1))
                .withMessageContaining("no sample. What helps: a smaller interval.");
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> assertThat(THOUSAND).contains(2_000))
                .withMessage(
                        "The 95 % interval does not contain 2000: it reaches from 822 to 1216 (100"
                                + " samples).");
    }

    @Test
    void wrongUseIsRefused() {
        HeapSnapshot snapshot = new TestSnapshot(0).take();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> assertThat(snapshot).allocatedObjects().isAtMost("1 KB"))
                .withMessage("an amount of bytes is no limit for allocated objects; give a number");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> assertThat(THOUSAND).withInterval(-1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> assertThat(THOUSAND).hasRelativeErrorAtMost(0))
                .withMessage("a share must be more than 0: 0.0");
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> assertThat((Estimate) null).isAtMost(1));
    }
}
