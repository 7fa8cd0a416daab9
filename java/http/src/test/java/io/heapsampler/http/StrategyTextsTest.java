// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplerOptions;
import io.heapsampler.SamplingStrategy;
import io.heapsampler.export.HeapMetric;
import io.heapsampler.export.internal.LabelChoice;
import io.heapsampler.internal.shared.JsonText;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Texts say by what samples were chosen, where it was not bytes alone. */
class StrategyTextsTest {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    @BeforeEach
    void forget() {
        HeapSampler.stop();
        HeapSampler.reset();
    }

    /** Other tests of this JVM choose by bytes. */
    @AfterEach
    void chooseByBytesAgain() {
        forget();
        HeapSampler.start(
                SamplerOptions.builder().strategy(SamplingStrategy.bytes(65_536)).build());
    }

    private String texts(SamplerOptions.Builder options) throws IOException {
        HeapSampler.start(options.build());
        HeapSnapshot snapshot = HeapSampler.snapshot();
        SnapshotText.top(snapshot, LabelChoice.all(), out);
        SnapshotText.pprof(snapshot, HeapMetric.LIVE_BYTES, 10, out);
        MetricsText.write(HeapSampler.status(), snapshot, EndpointOptions.defaults(), out);
        Map<String, Object> status =
                JsonDocuments.status(HeapSampler.status(), true, EndpointOptions.defaults());
        out.writeBytes(JsonText.of(status).getBytes(StandardCharsets.UTF_8));
        JsonDocuments.top(snapshot, snapshot, LabelChoice.all(), out);
        return out.toString(StandardCharsets.UTF_8);
    }

    private static String jsons(String entries) {
        return "(?s).*\n\\{\"state\":[^\n]*"
                + Pattern.quote(entries)
                + "[^\n]*\n\\{\"takenAt\":[^\n]*"
                + Pattern.quote(entries)
                + "[^\n]*\n";
    }

    @Test
    void allocationsHaveNoIntervalInBytes() throws IOException {
        assertThat(texts(SamplerOptions.builder().strategy(SamplingStrategy.allocations(50))))
                .contains("\nstrategy    one in 50 allocations\n")
                .contains("\n# Strategy = one in 50 allocations\n")
                .contains("\nheapsampler_interval_allocations 50")
                .matches(jsons("\"interval\":0,\"strategy\":\"one in 50 allocations\","))
                .doesNotContain("\ninterval ", "# Interval", "interval_bytes", "period_seconds");
    }

    @Test
    void aCapHasBoth() throws IOException {
        Duration period = Duration.ofMillis(20);
        assertThat(
                        texts(
                                SamplerOptions.builder()
                                        .interval(65_536)
                                        .strategy(SamplingStrategy.atMostOnePer(period))))
                .contains("\ninterval    65536 bytes\nstrategy    at most one per PT0.02S\n")
                .contains("\n# Interval = 65536\n# Strategy = at most one per PT0.02S\n")
                .contains("\nheapsampler_interval_bytes 65536")
                .contains("\nheapsampler_period_seconds 0.02")
                .matches(jsons("\"interval\":65536,\"strategy\":\"at most one per PT0.02S\","));
    }

    @Test
    void bytesNeedNoOtherWord() throws IOException {
        assertThat(texts(SamplerOptions.builder().interval(65_536)))
                .contains("\ninterval    65536 bytes\n", "\n# Interval = 65536\n")
                .matches(jsons("\"interval\":65536,\"strategy\":\"every 65536 bytes\","))
                .doesNotContain(
                        "# Strategy", "\nstrategy", "period_seconds", "interval_allocations");
    }
}
