// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
                        .holders(false)
                        .build();

        assertThat(options.values)
                .isEqualTo(
                        new DoctorOptions.Options(
                                new Slo(80, 0.9999, false), false, false, true, false));
        assertThat(DoctorOptions.builder().build().values)
                .isEqualTo(new DoctorOptions.Options(Slo.DEFAULT, true, true, true, true));
        assertThat(options).isNotEqualTo(DoctorOptions.builder().build());
        assertThat(DoctorOptions.builder().build()).isEqualTo(DoctorOptions.builder().build());
        assertThat(options.toString()).contains("0.9999", "sampling=false", "holders=false");
    }

    /** In any order. */
    @Test
    void aCloserLookIsPartOfSamplingUnlessItIsSet() {
        DoctorOptions.Builder looking = DoctorOptions.builder().closerLook(true);
        assertThat(looking.sampling(false).build().values.closerLook()).isTrue();
        assertThat(looking.sampling(true).closerLook(false).build().values)
                .isEqualTo(new DoctorOptions.Options(Slo.DEFAULT, true, false, true, true));
    }

    @Test
    void objectivesHaveTheirRanges() {
        assertThatThrownBy(() -> new Slo(0, 0.99, false))
                .hasMessage("pauseMax must be more than 0, was 0.0 ms");
        assertThatThrownBy(() -> new Slo(100, 99, false))
                .hasMessage("throughputMin is a share from 0 to 1 (0.99 for 99 %), was 99.0");
    }
}
