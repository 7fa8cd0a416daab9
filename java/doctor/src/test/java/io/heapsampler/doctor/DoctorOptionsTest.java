// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heapsampler.doctor.internal.rules.Slo;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class DoctorOptionsTest {

    @Test
    void theOptionsContainTheValuesOfTheBuilder() {
        DoctorOptions options =
                DoctorOptions.builder()
                        .pauseMax(Duration.ofMillis(80))
                        .throughputMin(0.9999)
                        .sampling(false)
                        .costBudget(0.5)
                        .holders(false)
                        .preserveTo(Path.of("/x"))
                        .heapDumpOn("leak.growth", "direct.leak")
                        .build();

        assertThat(options.pauseMax()).isEqualTo(Duration.ofMillis(80));
        assertThat(options.throughputMin()).isEqualTo(0.9999);
        assertThat(options.sampling()).isFalse();
        assertThat(options.costBudget()).isEqualTo(0.5);
        assertThat(options.holders()).isFalse();
        assertThat(DoctorOptions.builder().build().holders()).isTrue();
        assertThat(options.preserveTo()).isEqualTo(Path.of("/x"));
        assertThat(options.heapDumpOn()).containsExactly("direct.leak", "leak.growth");
        assertThat(DoctorOptions.builder().build().heapDumpOn()).isEmpty();
        assertThat(options).isNotEqualTo(DoctorOptions.builder().build());
        assertThat(DoctorOptions.builder().build()).isEqualTo(DoctorOptions.builder().build());
        assertThat(options)
                .hasToString(options.toString())
                .asString()
                .contains("0.9999", "/x", "leak.growth");
    }

    @Test
    void aBudgetIsAShare() {
        assertThatThrownBy(() -> DoctorOptions.builder().costBudget(2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "costBudget is a share of one processor from 0 to 1 (0.02 for 2 %), was"
                                + " 2.0");
        assertThatThrownBy(() -> DoctorOptions.builder().costBudget(Double.NaN))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void heapsAreDumpedForFindingsThatThereAreAndToAFolder() {
        DoctorOptions leak =
                DoctorOptions.builder().preserveTo(Path.of("x")).heapDumpOn("leak").build();
        assertThatThrownBy(() -> GcDoctor.start(leak))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(
                        "heapDumpOn: no finding is called \"leak\"; there are class.churn,")
                .hasMessageContaining("leak.growth");
        assertThat(GcDoctor.running()).isNull();
        assertThatThrownBy(() -> DoctorOptions.builder().heapDumpOn("leak.growth").build())
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("heapDumpOn() needs a folder for the dump. Call preserveTo(folder).");
    }

    @Test
    void objectivesHaveTheirRanges() {
        assertThatThrownBy(() -> new Slo(0, 0.99, false))
                .hasMessage("pauseMax must be more than 0, was 0.0 ms");
        assertThatThrownBy(() -> new Slo(100, 99, false))
                .hasMessage("throughputMin is a share from 0 to 1 (0.99 for 99 %), was 99.0");
    }
}
