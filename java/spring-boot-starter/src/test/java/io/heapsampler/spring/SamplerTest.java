// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSamplingUnavailableException;
import io.heapsampler.SamplerHold;
import io.heapsampler.SamplerOptions;
import io.heapsampler.SamplerState;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The sampler runs as long as an application context, as its properties say. */
class SamplerTest {

    private final ApplicationContextRunner context =
            new ApplicationContextRunner()
                    .withConfiguration(AutoConfigurations.of(HeapSamplerAutoConfiguration.class));

    @AfterEach
    void forget() {
        HeapSampler.stop();
        HeapSampler.reset();
    }

    @Test
    void samplesFromTheStartOfTheContextToItsEnd() {
        context.run(started -> assertThat(HeapSampler.status().holders()).contains("application"));
        assertThat(HeapSampler.status().state()).isEqualTo(SamplerState.STOPPED);
    }

    @Test
    void doesNothingWhereItIsSwitchedOff() {
        context.withPropertyValues("heapsampler.enabled=false")
                .run(
                        started -> {
                            assertThat(started).doesNotHaveBean(HeapSamplerLifecycle.class);
                            assertThat(HeapSampler.status().isSampling()).isFalse();
                        });
    }

    @Test
    void theLastContextThatIsClosedEndsTheSampling() {
        context.run(
                outer -> {
                    context.run(inner -> assertThat(HeapSampler.status().isSampling()).isTrue());
                    assertThat(HeapSampler.status().isSampling()).isTrue();
                });
        assertThat(HeapSampler.status().isSampling()).isFalse();
    }

    @Test
    void startsEvenIfBeansAreLazy() {
        context.withInitializer(
                        lazy ->
                                lazy.addBeanFactoryPostProcessor(
                                        new org.springframework.boot
                                                .LazyInitializationBeanFactoryPostProcessor()))
                .run(started -> assertThat(HeapSampler.status().isSampling()).isTrue());
    }

    @Test
    void usesTheIntervalTheShareAndTheLimit() {
        context.withPropertyValues(
                        "heapsampler.interval=64KB",
                        "heapsampler.max-overhead=0.5",
                        "heapsampler.max-tracked=1000")
                .run(
                        started -> {
                            assertThat(HeapSampler.status().interval()).isEqualTo(64 * 1024);
                            assertThat(HeapSampler.status().maxOverhead()).isEqualTo(0.5);
                            assertThat(HeapSampler.status().trackedBudget())
                                    .isLessThanOrEqualTo(1000);
                        });
    }

    @Test
    void namesThePropertyOfAnInvalidValue() {
        context.withPropertyValues("heapsampler.max-overhead=7")
                .run(
                        failed ->
                                assertThat(failed)
                                        .getFailure()
                                        .rootCause()
                                        .isInstanceOf(
                                                InvalidConfigurationPropertyValueException.class)
                                        .hasMessageContaining("heapsampler.max-overhead"));
        assertThat(HeapSampler.status().isSampling()).isFalse();
    }

    @Test
    void aPushThatIsInvalidLeavesNothingRunning() {
        context.withPropertyValues("heapsampler.push.pyroscope=ftp://nowhere")
                .run(
                        failed ->
                                assertThat(failed)
                                        .getFailure()
                                        .rootCause()
                                        .hasMessageContaining("heapsampler.push.pyroscope"));
        assertThat(HeapSampler.status().isSampling()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "pyroscope, http://user:s3cret@nowhere",
        "otlp, s3cret@nowhere",
        "interval, 1ms",
        "service-name, ''",
        "labels.service_name, x",
        "headers.Host, s3cret",
        "bearer-token, s3cret\u00e4",
    })
    void aPushNamesThePropertyThatIsInvalidAndNoSecret(String name, String value) {
        context.withPropertyValues("heapsampler.push.pyroscope=http://localhost:1")
                .withPropertyValues("heapsampler.push." + name + "=" + value)
                .run(
                        failed ->
                                assertThat(failed)
                                        .getFailure()
                                        .rootCause()
                                        .hasMessageContaining("heapsampler.push." + name)
                                        .hasMessageNotContaining("s3cret"));
        assertThat(HeapSampler.status().isSampling()).isFalse();
    }

    @Test
    void joinsASamplerThatAnAgentHasStartedOtherwise() {
        SamplerOptions others = SamplerOptions.builder().maxTracked(500).build();
        try (SamplerHold agent = HeapSampler.share("agent", others);
                Logged logged = new Logged()) {
            context.withPropertyValues("heapsampler.max-tracked=1000")
                    .run(
                            started -> {
                                assertThat(started).hasNotFailed();
                                assertThat(HeapSampler.status().holders())
                                        .contains("agent", "application");
                            });
            assertThat(agent.toString()).isNotEmpty();
            assertThat(logged.messages())
                    .anyMatch(line -> line.startsWith("The sampler is running already"));
        }
    }

    @Test
    void samplesWithoutAReportThatCannotBeWritten(@TempDir Path folder) {
        try (Logged logged = new Logged()) {
            context.withPropertyValues(
                            "heapsampler.report-near-limit=" + folder.resolve("no/such/file.txt"))
                    .run(started -> assertThat(HeapSampler.status().isSampling()).isTrue());
            assertThat(logged.messages())
                    .anyMatch(
                            line ->
                                    line.startsWith(
                                                    "There will be no"
                                                            + " heapsampler.report-near-limit")
                                            && line.contains("no"));
        }
    }

    @Test
    void explainsAJvmThatCannotBeSampled() {
        HeapSamplingUnavailableException failure =
                new HeapSamplingUnavailableException(
                        HeapSamplingUnavailableException.Reason.NOT_HOTSPOT, "Use HotSpot.", null);
        FailureAnalysis analysis =
                new HeapSamplingFailureAnalyzer().analyze(new RuntimeException(failure));
        assertThat(analysis.getDescription()).contains("NOT_HOTSPOT", "Use HotSpot.");
        assertThat(analysis.getAction()).contains("HeapSampler.tryStart()");
    }
}
