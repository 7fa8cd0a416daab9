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

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "NATIVE_MEMORY | 1 | 1 sample is lost, because native memory was short"
                        + " (NATIVE_MEMORY). Let the code do less in one run, or narrow the"
                        + " assertion with types or packages.",
                "NO_REFERENCE | 2 | 2 samples are not watched, because the JVM gave no weak"
                        + " reference (NO_REFERENCE). Give the JVM more native memory, or let the"
                        + " code do less in one run.",
                "VALUE_OBJECT | 3 | 3 samples are not watched, because value objects have no weak"
                        + " references (VALUE_OBJECT). Limit what is allocated instead, or narrow"
                        + " the assertion with types or packages.",
                "THINNED | 1000 | 1,000 samples are not watched, because too many were alive or not"
                        + " yet collected (THINNED). Let the code do less in one run, narrow the"
                        + " assertion with types or packages, run it beside fewer other tests, or"
                        + " start the sampler before with a greater maxTracked.",
                "THREADS_FULL | 1 | 1 sample is of threads that cannot be distinguished, because"
                    + " there were too many (THREADS_FULL). Start the sampler before with a greater"
                    + " maxThreads.",
            })
    void reasonAndRemedyAreTold(DropCause cause, int samples, String text) {
        HeapSnapshot snapshot = lost(cause, samples);
        Measured figure =
                cause == DropCause.THREADS_FULL
                        ? Drops.ofThreads(snapshot, 0, NOTHING)
                        : Drops.ofLive(snapshot, NOTHING);

        assertThat(figure.undecided("0 B or more of at most 1 KB", figure.how(), "unused"))
                .hasMessage(
                        "Its figure is too uncertain for a verdict: 0 B or more of at most 1 KB;"
                                + " recorded; "
                                + text);
    }
}
