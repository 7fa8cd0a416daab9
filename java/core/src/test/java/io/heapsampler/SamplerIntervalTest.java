// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

/** Which interval the process-wide sampler takes. */
class SamplerIntervalTest {

    private final FakeEngine engine = new FakeEngine();
    private final ProcessSampler sampler = new ProcessSampler(engine);

    private static SamplerOptions.Builder tracked(int count) {
        return SamplerOptions.builder().maxTracked(count);
    }

    /** Beside another holder that wishes for none, and when it is set. */
    @Test
    void theLargestIntervalIsAnIntervalAndNoWishForNone() {
        sampler.setInterval(Integer.MAX_VALUE);
        sampler.start(null);
        SamplerHold first = sampler.share("first", null);
        first.close();
        assertThat(sampler.status().interval()).isGreaterThan(2_147_000_000);

        sampler.stop();
        sampler.start(SamplerOptions.builder().interval(Integer.MAX_VALUE).build());
        sampler.share("second", null).close();
        assertThat(sampler.status().interval()).isGreaterThan(2_147_000_000);

        sampler.setInterval(Integer.MAX_VALUE);
        sampler.share("third", null).close();
        assertThat(sampler.status().interval()).isGreaterThan(2_147_000_000);
    }

    /** The interval last in use is another: no sentinel may stand for the one that is set. */
    @Test
    void theLargestIntervalWinsOverTheOneLastInUse() {
        sampler.start(SamplerOptions.builder().interval(Integer.MAX_VALUE).build());
        assertThat(sampler.status().interval()).isGreaterThan(2_147_000_000);
    }

    @Test
    void anIntervalSetBeforeStartIsKeptAndAnExplicitOneWins() {
        sampler.setInterval(0);
        sampler.start(tracked(100).build());
        sampler.stop();
        sampler.start(null);
        sampler.stop();
        sampler.start(tracked(100).interval(77).build());

        assertThat(engine.takeCalls())
                .containsExactly(
                        "configure 100",
                        "hold application 0",
                        "prime",
                        "release application",
                        "hold application 0",
                        "prime",
                        "release application",
                        "hold application 77",
                        "prime");
        assertThat(sampler.status().interval()).isEqualTo(77);
    }

    @Test
    void aSmallerIntervalPrimesAndALargerOneDoesNot() {
        sampler.start(tracked(100).interval(1000).build());
        engine.takeCalls();

        sampler.setInterval(2000);
        sampler.setInterval(500);

        assertThat(engine.takeCalls())
                .containsExactly("interval 1 2000", "interval 1 500", "prime");
        assertThatIllegalArgumentException().isThrownBy(() -> sampler.setInterval(-3));
        assertThat(sampler.status().interval()).isEqualTo(500);
    }
}
