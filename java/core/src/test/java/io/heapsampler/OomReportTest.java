// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.heapsampler.HeapSamplingUnavailableException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When a report on out-of-memory is prepared, and when it is not. */
class OomReportTest {

    private final FakeEngine engine = new FakeEngine();
    private final ProcessSampler sampler = new ProcessSampler(engine);

    private static SamplerOptions.Builder tracked(int count) {
        return SamplerOptions.builder().maxTracked(count);
    }

    @Test
    void aReportIsPreparedWhenSamplingHasStartedAndChangesWithTheOptions() {
        Path file = Path.of("/tmp/heapsampler-unit-oom.txt");
        SamplerOptions options = tracked(100).reportOnOom(file).maxSites(77).build();
        sampler.start(options);
        sampler.start(options);
        assertThat(engine.takeCalls())
                .containsExactly(
                        "report /tmp/heapsampler-unit-oom.txt",
                        "configure 100",
                        "hold application 524288",
                        "prime");
        sampler.stop();
        sampler.start(null);
        sampler.stop();
        sampler.start(
                tracked(100)
                        .maxSites(77)
                        .reportOnOom(Path.of("/tmp/heapsampler-unit-other"))
                        .build());
        sampler.stop();
        sampler.reset();
        assertThat(engine.takeCalls())
                .containsExactly(
                        "release application",
                        "hold application 524288",
                        "prime",
                        "release application",
                        "report /tmp/heapsampler-unit-other",
                        "hold application 524288",
                        "prime",
                        "release application",
                        "close 1",
                        "report null");
    }

    /** The report would else be written while nothing is sampled, or when others sample. */
    @Test
    void aStartThatIsRefusedLeavesNoReportBehind() {
        engine.failure = new HeapSamplingUnavailableException(Reason.OWNED_BY_OTHER, "owned", null);
        engine.failing = "hold";
        SamplerOptions options =
                tracked(100).reportOnOom(Path.of("/tmp/heapsampler-unit-oom.txt")).build();
        assertThatExceptionOfType(HeapSamplingUnavailableException.class)
                .isThrownBy(() -> sampler.start(options));
        assertThat(engine.takeCalls())
                .containsExactly(
                        "report /tmp/heapsampler-unit-oom.txt", "configure 100", "report null");

        engine.failure = null;
        sampler.start(tracked(100).build());
        sampler.stop();
        engine.takeCalls();
        engine.failure = new IllegalStateException("taken");
        assertThatIllegalStateException().isThrownBy(() -> sampler.start(options));
        assertThat(engine.reportFile()).isNull();
    }

    @Test
    void whereNoReportCanBePreparedNothingIsSampled() {
        engine.failure = new IllegalStateException("no memory");
        engine.failing = "report";
        SamplerOptions options =
                tracked(100)
                        .interval(77)
                        .strategy(SamplingStrategy.atMostOnePer(Duration.ofSeconds(1)))
                        .reportOnOom(Path.of("/tmp/heapsampler-unit-oom.txt"))
                        .build();
        assertThatIllegalStateException().isThrownBy(() -> sampler.start(options));
        assertThat(engine.takeCalls()).isEmpty();
        assertThat(sampler.status().state()).isEqualTo(SamplerState.NEW);
        assertThat(sampler.status().strategy()).isEqualTo(SamplingStrategy.bytes(524_288));

        sampler.start(tracked(100).build());
        sampler.stop();
        engine.takeCalls();
        assertThatIllegalStateException()
                .isThrownBy(
                        () ->
                                sampler.start(
                                        tracked(100)
                                                .interval(77)
                                                .reportOnOom(
                                                        Path.of("/tmp/heapsampler-unit-oom.txt"))
                                                .build()));
        assertThat(engine.takeCalls()).isEmpty();
        assertThat(sampler.status().state()).isEqualTo(SamplerState.STOPPED);
        assertThat(sampler.status().interval()).isEqualTo(524_288);
    }

    @Test
    void aFileWhoseFolderHasGoneIsRefusedBeforeAnythingIsSampled(@TempDir Path folder)
            throws IOException {
        Path gone = Files.createDirectory(folder.resolve("gone"));
        SamplerOptions options = tracked(50).reportOnOom(gone.resolve("oom.txt")).build();
        Files.delete(gone);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> sampler.start(options))
                .withMessageStartingWith("reportOnOom names " + gone + "/oom.txt, whose folder");
        assertThat(engine.takeCalls()).isEmpty();
        assertThat(sampler.status().state()).isEqualTo(SamplerState.NEW);
    }

    private static SamplerOptions reportingTo(String file) {
        return SamplerOptions.builder().reportOnOom(Path.of("/tmp", file)).build();
    }

    /** The next library can have its own, and need not end what the application samples. */
    @Test
    void theReportEndsWithTheHoldThatHasRequestedIt() {
        sampler.start(null);
        SamplerHold first = sampler.share("first", reportingTo("heapsampler-unit-a"));
        first.close();
        assertThat(engine.reportFile()).isNull();
        SamplerHold second = sampler.share("second", reportingTo("heapsampler-unit-b"));
        assertThat(engine.reportFile()).hasToString("/tmp/heapsampler-unit-b");
        second.close();
        assertThat(sampler.status().holders()).containsExactly("application");
    }

    @Test
    void theReportStaysForAnotherHoldThatHasRequestedIt() {
        SamplerHold first = sampler.share("first", reportingTo("heapsampler-unit-a"));
        SamplerHold second = sampler.share("second", reportingTo("heapsampler-unit-a"));
        first.close();
        assertThat(engine.reportFile()).hasToString("/tmp/heapsampler-unit-a");
        sampler.start(reportingTo("heapsampler-unit-a"));
        second.close();
        assertThat(engine.reportFile()).hasToString("/tmp/heapsampler-unit-a");
    }

    /** Its samples stay, and it may start again with what was last in use. */
    @Test
    void theReportOfTheStoppedApplicationStays() {
        sampler.start(reportingTo("heapsampler-unit-a"));
        SamplerHold first = sampler.share("first", reportingTo("heapsampler-unit-a"));
        sampler.stop();
        sampler.start(null);
        sampler.stop();
        first.close();
        assertThat(engine.reportFile()).hasToString("/tmp/heapsampler-unit-a");
        sampler.reset();
        assertThat(engine.reportFile()).isNull();
    }

    /** Another copy of these classes may rely on the same file; this one cannot know. */
    @Test
    void theReportStaysWhileAnotherCopyHolds() {
        ProcessSampler other = new ProcessSampler(engine);
        SamplerHold first = sampler.share("first", reportingTo("heapsampler-unit-a"));
        SamplerHold second = other.share("second", reportingTo("heapsampler-unit-a"));
        first.close();
        assertThat(engine.reportFile()).hasToString("/tmp/heapsampler-unit-a");
        second.close();
        assertThat(engine.reportFile()).isNull();
    }

    /** Another copy of these classes starts between the release and the end of the report. */
    @Test
    void theReportOfAnotherCopyIsLeftAlone() {
        ProcessSampler other = new ProcessSampler(engine);
        SamplerHold first = sampler.share("first", reportingTo("heapsampler-unit-a"));
        engine.released = () -> other.share("second", reportingTo("heapsampler-unit-b"));
        first.close();
        assertThat(engine.reportFile()).hasToString("/tmp/heapsampler-unit-b");
    }

    @Test
    void aHoldIsClosedThoughItsReportCannotBeEnded() {
        SamplerHold first = sampler.share("first", reportingTo("heapsampler-unit-a"));
        engine.failing = "report";
        engine.failure = new IllegalStateException("refused");
        assertThatIllegalStateException().isThrownBy(first::close).withMessage("refused");
        assertThat(first.isOpen()).isFalse();
        first.close();
        assertThat(sampler.status().holders()).isEmpty();
    }

    @Test
    void aStartThatFailsBesideAnotherCopyTakesItsReportBack() {
        new ProcessSampler(engine).share("second", null);
        engine.failure = new IllegalStateException("full");
        engine.failing = "hold";

        assertThatIllegalStateException()
                .isThrownBy(() -> sampler.share("first", reportingTo("heapsampler-unit-a")))
                .satisfies(failure -> assertThat(failure.getSuppressed()).isEmpty());
        assertThat(engine.reportFile()).isNull();
    }

    @Test
    void aStartThatFailsRestoresTheReportOfTheStoppedApplication() {
        sampler.start(reportingTo("heapsampler-unit-a"));
        sampler.stop();
        engine.failure = new IllegalStateException("full");
        engine.failing = "hold";

        assertThatIllegalStateException()
                .isThrownBy(() -> sampler.start(reportingTo("heapsampler-unit-b")))
                .withMessage("full");
        assertThat(engine.reportFile()).hasToString("/tmp/heapsampler-unit-a");
    }

    @Test
    void aStartThatFailsLeavesTheReportToACopyThatHasJoinedIt() {
        ProcessSampler other = new ProcessSampler(engine);
        other.share("early", null);
        engine.holding = () -> other.share("second", reportingTo("heapsampler-unit-a"));
        engine.failure = new IllegalStateException("full");
        engine.failing = "hold first";

        assertThatIllegalStateException()
                .isThrownBy(() -> sampler.share("first", reportingTo("heapsampler-unit-a")))
                .withMessage("full");
        assertThat(sampler.status().holders()).containsExactly("early", "second");
        assertThat(engine.reportFile()).hasToString("/tmp/heapsampler-unit-a");
    }

    @Test
    void theReportThatARunningApplicationHasAddedStays() {
        sampler.start(null);
        sampler.start(reportingTo("heapsampler-unit-a"));
        sampler.share("first", reportingTo("heapsampler-unit-a")).close();
        assertThat(engine.reportFile()).hasToString("/tmp/heapsampler-unit-a");
    }

    /** Another copy starts with a file of its own after this one has looked whether it is free. */
    @Test
    void aFileThatAnotherCopyHasSetMeanwhileIsNotReplaced() {
        ProcessSampler other = new ProcessSampler(engine);
        engine.reading =
                () -> {
                    engine.reading = () -> {};
                    other.share("second", reportingTo("heapsampler-unit-b"));
                };
        assertThatIllegalStateException()
                .isThrownBy(() -> sampler.share("first", reportingTo("heapsampler-unit-a")))
                .withMessageContaining("reportOnOom=/tmp/heapsampler-unit-b");
        assertThat(engine.reportFile()).hasToString("/tmp/heapsampler-unit-b");
    }

    /** Another copy joins the report after this one has found that it needs it no longer. */
    @Test
    void aReportThatAnotherCopyHasJustJoinedDoesNotEnd() {
        ProcessSampler other = new ProcessSampler(engine);
        SamplerHold first = sampler.share("first", reportingTo("heapsampler-unit-a"));
        engine.ending = () -> other.share("second", reportingTo("heapsampler-unit-a"));
        first.close();
        assertThat(engine.reportFile()).hasToString("/tmp/heapsampler-unit-a");
    }

    /** The last holder of another copy goes after this one has seen its report. */
    @Test
    void aReportThatEndsWhileItIsJoinedIsSetAgain() {
        ProcessSampler other = new ProcessSampler(engine);
        SamplerHold second = other.share("second", reportingTo("heapsampler-unit-a"));
        engine.holding = second::close;
        sampler.share("first", reportingTo("heapsampler-unit-a"));
        assertThat(engine.reportFile()).hasToString("/tmp/heapsampler-unit-a");
    }

    @Test
    void theSameFileInOtherLettersIsTheSame() {
        sampler.share("first", reportingTo("heapsampler-unit-a"));
        engine.takeCalls();
        sampler.share("second", reportingTo("x/../heapsampler-unit-a"));
        assertThat(engine.takeCalls()).containsExactly("hold second any");
    }

    @Test
    void aReportIsNotKeptForSamplesThatWereReset() {
        sampler.start(reportingTo("heapsampler-unit-a"));
        sampler.stop();
        sampler.reset();
        sampler.start(null);
        sampler.share("first", reportingTo("heapsampler-unit-a")).close();
        assertThat(engine.reportFile()).isNull();
    }

    @Test
    void aReportIsNotKeptForAHoldThatFailed() {
        sampler.start(null);
        engine.priming =
                () -> {
                    throw new StackOverflowError();
                };
        SamplerOptions finer =
                SamplerOptions.builder()
                        .interval(77)
                        .reportOnOom(Path.of("/tmp/heapsampler-unit-a"))
                        .build();
        assertThatExceptionOfType(StackOverflowError.class)
                .isThrownBy(() -> sampler.share("failed", finer));
        engine.priming = () -> {};
        assertThat(engine.reportFile()).isNull();
        sampler.share("first", reportingTo("heapsampler-unit-a")).close();
        assertThat(engine.reportFile()).isNull();
    }

    /** As the application's does. */
    @Test
    void theReportOfAStoppedHoldStaysUntilTheReset() {
        sampler.share("first", reportingTo("heapsampler-unit-a")).stop();
        assertThat(engine.reportFile()).hasToString("/tmp/heapsampler-unit-a");
        sampler.reset();
        assertThat(engine.reportFile()).isNull();
    }
}
