// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.DropCause;
import io.heapsampler.HeapSampler;
import io.heapsampler.SamplerState;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Which figures are exported as what. */
class MetricsTextTest {

    private static String text;

    @BeforeAll
    static void write() throws IOException {
        if (HeapSampler.status().state() != SamplerState.RUNNING) {
            HeapSampler.start();
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        MetricsText.write(
                HeapSampler.status(), HeapSampler.snapshot(), EndpointOptions.defaults(), out);
        text = out.toString(StandardCharsets.UTF_8);
    }

    private static List<String> causes(String family) {
        return text.lines()
                .filter(line -> line.startsWith("heapsampler_" + family + "{"))
                .map(line -> line.replaceAll(".*cause=\"(.*)\".*", "$1"))
                .toList();
    }

    /** A class that leaves the largest and comes back would look like a reset of a counter. */
    @Test
    void whatAddsUpIsExportedAsATotalOnly() {
        assertThat(text)
                .contains("# TYPE heapsampler_allocated_bytes_total counter\n")
                .contains("# TYPE heapsampler_class_live_bytes gauge\n")
                .doesNotContain("class_allocated");
    }

    @Test
    void itsHelpSaysWhichFiguresDropsByDesignMayAffect() {
        assertThat(text)
                .containsPattern(
                        "# HELP heapsampler_harmless_drops_total .*Totals of allocated and live"
                                + " bytes do not need them; lifetimes, promotion and the newest"
                                + " allocations of a thread may\\.\n");
    }

    @Test
    void dropsThatAreNoLossAreAFamilyOfTheirOwn() {
        assertThat(causes("harmless_drops_total"))
                .containsExactly("phantom", "own", "dead_forgotten", "capped");
        assertThat(
                        Stream.of("harmless_drops_total", "dropped_samples_total")
                                .flatMap(family -> causes(family).stream()))
                .containsExactlyInAnyOrder(
                        Stream.of(DropCause.values())
                                .map(cause -> cause.name().toLowerCase(Locale.ROOT))
                                .toArray(String[]::new));
    }
}
