// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.Blocks;
import io.heapsampler.DropCause;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.internal.BlockWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What was lost lets a figure pass no more, if it could be beyond the limit. */
class DropsTest {

    private static final Measured NOTHING = Measured.exact(0, "recorded", null);

    private static HeapSnapshot lost(DropCause cause, int samples) {
        BlockWriter writer = new BlockWriter();
        writer.thread(1, "main");
        writer.thread(-1, "(other)"); // 16 bytes
        return Blocks.decode(writer.drop(cause.ordinal(), samples).write());
    }

    @ParameterizedTest
    @CsvSource({"NATIVE_MEMORY", "NO_REFERENCE", "VALUE_OBJECT", "THINNED"})
    void whatMayLiveUnseenIsWithinNoLimit(DropCause cause) {
        Measured figure = Drops.ofLive(lost(cause, 3), NOTHING);

        assertThat(figure.isUndecided(1L << 60)).isTrue();
        assertThat(figure.figure()).isEqualTo("0 B or more");
        assertThat(figure.remedy()).isNotEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            value = DropCause.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"NATIVE_MEMORY", "NO_REFERENCE", "VALUE_OBJECT", "THINNED"})
    void otherCausesHideNothingAlive(DropCause cause) {
        assertThat(Drops.ofLive(lost(cause, 3), NOTHING)).isEqualTo(NOTHING);
    }

    @ParameterizedTest
    @EnumSource(DropCause.class)
    void onlyLostSamplesHideWhatWasAllocated(DropCause cause) {
        Measured figure = Drops.ofAllocated(lost(cause, 3), NOTHING);

        assertThat(figure.isWithin(0)).isEqualTo(cause != DropCause.NATIVE_MEMORY);
    }

    @ParameterizedTest
    @EnumSource(DropCause.class)
    void threadsThatCannotBeToldApartMayCount(DropCause cause) {
        Measured figure = Drops.ofThreads(lost(cause, 3), 0, NOTHING);

        assertThat(figure.high()).isEqualTo(cause == DropCause.THREADS_FULL ? 16 : 0);
    }

    @Test
    void whatIsSurelyBeyondStaysSo() {
        Measured figure = Drops.ofLive(lost(DropCause.THINNED, 1), Measured.exact(10, "", null));

        assertThat(figure.isBeyond(9)).isTrue();
    }

    @Test
    void reasonAndRemedyAreTold() {
        Measured figure = Drops.ofLive(lost(DropCause.THINNED, 1_000), NOTHING);

        assertThat(figure.undecided("0 B or more of at most 1 KB", figure.how(), "unused"))
                .hasMessage(
                        "Its figure is too uncertain for a verdict: 0 B or more of at most 1 KB;"
                                + " recorded; 1,000 samples are not watched, because too many were"
                                + " alive or not yet collected (THINNED). Let the code do less in"
                                + " one run, narrow the assertion with types or packages, run it"
                                + " beside fewer other tests, or start the sampler before with a"
                                + " greater maxTracked.");
        assertThat(Drops.ofAllocated(lost(DropCause.NATIVE_MEMORY, 1), NOTHING).how())
                .isEqualTo(
                        "recorded; 1 sample is lost, because native memory was short"
                                + " (NATIVE_MEMORY)");
    }
}
