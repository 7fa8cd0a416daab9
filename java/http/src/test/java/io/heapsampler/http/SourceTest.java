// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.heapsampler.HeapSampler;
import io.heapsampler.SamplerHold;
import io.heapsampler.SamplerState;
import org.junit.jupiter.api.Test;

/** The sampler of this JVM, as the page steers it. */
class SourceTest {

    @Test
    void aStopThatEndsNothingNamesThoseWhoHoldTheSampler() {
        HeapSampler.start();
        try (SamplerHold hold = HeapSampler.share("nightly")) {
            assertThatIllegalStateException()
                    .isThrownBy(Source.PROCESS::stop)
                    .withMessage(
                            "Sampling goes on: the application's hold is given back, but others"
                                    + " hold the sampler: "
                                    + hold.name()
                                    + ". It ends with the last of them.");
            assertThat(Source.PROCESS.status().holders()).containsExactly("nightly");
        }
        Source.PROCESS.stop();
        assertThat(HeapSampler.status().state()).isEqualTo(SamplerState.STOPPED);
        HeapSampler.start(); // as other tests want it
    }
}
