// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.heapmonitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSamplingUnavailableException;
import io.heapsampler.RecordingOptions;
import io.heapsampler.SamplerOptions;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Bad arguments: a clear text, and nothing has changed. */
@ExtendWith(CleanSampler.class)
class ArgumentTest {

    private static void assertRefused(ThrowingCallable call, String message) {
        assertThatIllegalArgumentException().isThrownBy(call).withMessage(message);
    }

    /** Each of them fits into the native memory that there is for all, but not all of them. */
    @Test
    void boundsThatDoNotFitTogetherAreRefusedWithWhatFits() {
        SamplerOptions options =
                SamplerOptions.builder()
                        .maxTracked(2_097_152)
                        .maxStacks(4_194_304)
                        .maxNames(4_194_304)
                        .maxSites(4_194_304)
                        .build();
        assertThatExceptionOfType(HeapSamplingUnavailableException.class)
                .isThrownBy(() -> HeapSampler.start(options))
                .withMessage(
                        "Cannot start sampling: no native memory is left. All tables together can"
                            + " have 256 MiB: lower maxTracked, maxStacks, maxNames or maxSites, or"
                            + " give the process more memory.");
        HeapSampler.start();
        assertThat(HeapSampler.status().trackedBudget()).isLessThan(2_097_152);
    }

    @Test
    @Tag("J14")
    void intervalOutOfRangeIsRefusedAndTheOldOneStays() {
        HeapSampler.start(SamplerOptions.builder().interval(9_999).build());
        String range = "interval must be from 0 to 2147483647 (bytes, 0 for every allocation)";

        assertRefused(() -> HeapSampler.setInterval(-1), range + ", but is -1");
        assertRefused(() -> HeapSampler.setInterval(1L << 31), range + ", but is 2147483648");
        assertRefused(
                () -> SamplerOptions.builder().interval(Long.MIN_VALUE),
                range + ", but is -9223372036854775808");
        assertRefused(() -> RecordingOptions.builder().interval(-5), range + ", but is -5");
        assertThat(HeapSampler.status().interval()).isEqualTo(9_999);
        assertThat(HeapSampler.status().intervalInForce()).isEqualTo(9_999);
    }

    @Test
    @Tag("J14")
    void bothEndsOfTheRangeAreAllowed() {
        // Not in force: a thread that draws a step of 2 GiB is blind until it has taken it.
        HeapSampler.setInterval(Integer.MAX_VALUE);
        assertThat(HeapSampler.status().interval()).isEqualTo(Integer.MAX_VALUE);
        HeapSampler.setInterval(0);
        HeapSampler.start();
        assertThat(HeapSampler.status().intervalInForce()).isZero();
    }

    @Test
    @Tag("J14")
    void intervalOfARecordingOutOfRangeIsRefusedAndTheOldOneStays() {
        try (HeapRecording recording = Recordings.every(8_000)) {
            assertThatIllegalArgumentException().isThrownBy(() -> recording.setInterval(-1));
            assertThat(recording.snapshot().interval()).isEqualTo(8_000);
            assertThat(HeapSampler.status().intervalInForce()).isEqualTo(8_000);
        }
    }

    @Test
    void limitsOutOfRangeAreRefused() {
        SamplerOptions.Builder options = SamplerOptions.builder();

        assertRefused(() -> options.maxDepth(0), "maxDepth must be from 1 to 1024, but is 0");
        assertRefused(() -> options.maxDepth(1025), "maxDepth must be from 1 to 1024, but is 1025");
        assertRefused(
                () -> options.maxTracked(-1), "maxTracked must be from 0 to 2097152, but is -1");
        assertRefused(
                () -> options.maxTracked(2_097_153),
                "maxTracked must be from 0 to 2097152, but is 2097153");
        assertRefused(() -> options.maxDead(15), "maxDead must be from 16 to 524288, but is 15");
        for (ThrowingCallable tooSmall :
                List.<ThrowingCallable>of(
                        () -> options.maxStacks(15),
                        () -> options.maxNames(15),
                        () -> options.maxSites(15),
                        () -> options.maxThreads(15))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(tooSmall)
                    .withMessageContaining("must be from 16 to 4194304, but is 15");
        }
    }

    @Test
    void emptyFiltersAndDurationsAreRefused() {
        RecordingOptions.Builder options = RecordingOptions.builder();

        assertRefused(() -> options.className(" "), "className must not be empty");
        assertRefused(() -> options.packageName(""), "packageName must not be empty");
        assertRefused(
                () -> options.threads(List.of()),
                "threads must not be empty; leave them away to record all threads");
        assertRefused(
                () -> options.duration(Duration.ZERO),
                "duration must be more than zero, but is PT0S");
        assertRefused(
                () -> options.duration(Duration.ofMillis(-1)),
                "duration must be more than zero, but is PT-0.001S");
    }

    @Test
    void nullIsRefusedByName() {
        assertThatNullPointerException()
                .isThrownBy(() -> HeapSampler.start(null))
                .withMessage("options");
        assertThatNullPointerException()
                .isThrownBy(() -> HeapSampler.record(null))
                .withMessage("options");
        assertThatNullPointerException()
                .isThrownBy(() -> HeapSampler.snapshot(null))
                .withMessage("options");
        assertThatNullPointerException()
                .isThrownBy(() -> HeapSampler.snapshot().diff(null))
                .withMessage("earlier");
        assertThatNullPointerException()
                .isThrownBy(() -> RecordingOptions.builder().thread(null))
                .withMessage("thread");
        assertThat(HeapSampler.status().isSampling()).isFalse();
    }
}
