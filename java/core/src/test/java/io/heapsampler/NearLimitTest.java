// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.heapsampler.HeapSamplingUnavailableException.Reason;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The option for a report near a limit, and which holds have the limits watched. */
class NearLimitTest {

    @TempDir Path folder;

    private final FakeEngine engine = new FakeEngine();
    private final ProcessSampler sampler = new ProcessSampler(engine);
    private final Set<Thread> before = ConcurrentHashMap.newKeySet();

    private static Set<Thread> watching() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getName().equals("heapsampler-near-limit"))
                .collect(Collectors.toSet());
    }

    @BeforeEach
    void noteThreads() {
        before.addAll(watching());
    }

    @AfterEach
    void noThreadStays() throws InterruptedException {
        sampler.stop();
        assertWatched(false);
    }

    /** A thread that is to end ends soon. */
    private void assertWatched(boolean isExpected) throws InterruptedException {
        Set<Thread> own = watching();
        own.removeAll(before);
        if (isExpected) {
            assertThat(own).hasSize(1);
            assertThat(own).allMatch(Thread::isDaemon);
            return;
        }
        for (Thread each : own) {
            each.join(20_000);
            assertThat(each.isAlive()).isFalse();
        }
    }

    private SamplerOptions.Builder near(double share, String name) {
        return SamplerOptions.builder().reportNearLimit(share, folder.resolve(name));
    }

    @ParameterizedTest
    @ValueSource(doubles = {Double.NaN, 0, -0.0, -1, 1, 90, Double.POSITIVE_INFINITY, -0.9})
    void aShareOutOfRangeIsRefused(double share) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> near(share, "near.txt"))
                .withMessage(
                        "reportNearLimit must be a share of the memory limit above 0 and below 1,"
                                + " as in 0.9 for 90 %, but is "
                                + share);
    }

    @Test
    void theOptionIsPartOfTheOptions() {
        SamplerOptions options = near(0.9, "near.txt").build();
        assertThat(options.reportNearLimit()).isEqualTo(folder.resolve("near.txt"));
        assertThat(SamplerOptions.builder().build().reportNearLimit()).isNull();
        assertThat(SamplerOptions.builder().reportNearLimit(0.5, Path.of("a")).build())
                .returns(Path.of("a").toAbsolutePath(), SamplerOptions::reportNearLimit);
        assertThat(options)
                .hasToString(
                        SamplerOptions.builder().build()
                                + ", reportNearLimit=0.9 in "
                                + folder.resolve("near.txt"))
                .isEqualTo(near(0.9, "near.txt").build())
                .hasSameHashCodeAs(near(0.9, "near.txt").build())
                .isNotEqualTo(near(0.8, "near.txt").build())
                .isNotEqualTo(near(0.9, "other.txt").build())
                .isNotEqualTo(SamplerOptions.builder().build());
    }

    private String bothName(String name) {
        return "reportNearLimit and reportOnOom both name "
                + folder.resolve(name)
                + ", where one would replace the other. Name two files.";
    }

    @Test
    void twoReportsInOneFileAreRefused() throws Exception {
        SamplerOptions.Builder both =
                near(0.9, "same.txt").reportOnOom(folder.resolve("./same.txt"));
        assertThatIllegalArgumentException()
                .isThrownBy(both::build)
                .withMessage(bothName("same.txt"));

        sampler.start(SamplerOptions.builder().reportOnOom(folder.resolve("oom.txt")).build());
        SamplerOptions near = near(0.9, "oom.txt").build();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> sampler.share("tool", near))
                .withMessage(bothName("oom.txt"));
        sampler.stop();
        sampler.reset();

        sampler.start(near);
        SamplerOptions oom =
                SamplerOptions.builder().reportOnOom(folder.resolve("oom.txt")).build();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> sampler.start(oom))
                .withMessage(bothName("oom.txt"));
        assertWatched(true);
        assertThat(engine.reportFile()).isNull();
    }

    @Test
    void aFileThatCannotBeWrittenIsRefusedBeforeAnythingIsSampled() throws Exception {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> sampler.start(near(0.9, "no/near.txt").build()))
                .withMessageStartingWith(
                        "reportNearLimit names "
                                + folder.resolve("no/near.txt")
                                + ", whose folder does not exist.");
        assertThat(engine.takeCalls()).isEmpty();
        assertWatched(false);
    }

    @Test
    void theLimitsAreWatchedWhileAHoldWantsIt() throws Exception {
        SamplerHold tool = sampler.share("tool", near(0.9, "near.txt").build());
        assertWatched(true);
        SamplerHold other = sampler.share("other", near(0.9, "./near.txt").build());
        SamplerHold third = sampler.share("third", null);
        assertWatched(true);
        tool.close();
        tool.close();
        assertWatched(true);
        other.stop();
        assertWatched(false);
        third.close();
    }

    @Test
    void anotherShareOrFileIsRefusedWhileOneIsInForce() {
        sampler.start(near(0.9, "near.txt").build());
        sampler.start(near(0.9, "near.txt").build());
        for (SamplerOptions other :
                new SamplerOptions[] {
                    near(0.8, "near.txt").build(), near(0.9, "other.txt").build()
                }) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> sampler.share("tool", other))
                    .withMessageContaining(
                            ", reportNearLimit=0.9 in " + folder.resolve("near.txt") + ") than");
        }
    }

    @Test
    void aRunningSamplerCanBeWatchedLater() throws Exception {
        sampler.start(null);
        assertWatched(false);
        sampler.start(near(0.9, "near.txt").build());
        assertWatched(true);
    }

    @Test
    void startingAgainWatchesAgainUntilAReset() throws Exception {
        sampler.start(near(0.9, "near.txt").build());
        sampler.reset();
        assertWatched(true);
        sampler.stop();
        assertWatched(false);
        sampler.start(SamplerOptions.builder().build());
        assertWatched(true);
        sampler.stop();
        sampler.reset();
        sampler.start(null);
        assertWatched(false);
    }

    @Test
    void aStartThatIsRefusedLeavesNoWatchBehind() throws Exception {
        engine.failure = new HeapSamplingUnavailableException(Reason.OWNED_BY_OTHER, "owned", null);
        engine.failing = "hold";
        assertThatExceptionOfType(HeapSamplingUnavailableException.class)
                .isThrownBy(() -> sampler.start(near(0.9, "near.txt").build()));
        assertWatched(false);
    }
}
