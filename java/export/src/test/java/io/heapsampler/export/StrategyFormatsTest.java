// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplingStrategy;
import io.heapsampler.export.internal.Exporting;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Formats with a place for the interval say by what samples were chosen. */
class StrategyFormatsTest {

    private static final String COUNTING = "one in 10000 allocations";
    private static final String CAPPED = "at most one per PT0.01S";

    private final HeapSnapshot byBytes = Heaps.small();
    private final HeapSnapshot byAllocations =
            ReportHeaps.with(SamplingStrategy.Kind.ALLOCATIONS, 10_000, 0);
    private final HeapSnapshot capped =
            ReportHeaps.with(SamplingStrategy.Kind.TIME, 10_000, 524_288);
    private final HeapSnapshot all = ReportHeaps.with(SamplingStrategy.Kind.BYTES, 0, 0);

    @TempDir private Path folder;

    private static JsonNode json(HeapSnapshot snapshot) throws IOException {
        return new ObjectMapper().readTree(Heaps.text(ExportFormat.JSON, snapshot)).get("snapshot");
    }

    @Test
    void json() throws IOException {
        assertThat(json(byBytes).get("strategy").asText()).isEqualTo("every 4096 bytes");
        assertThat(json(all).get("strategy").asText()).isEqualTo("every allocation");
        assertThat(json(byAllocations).get("strategy").asText()).isEqualTo(COUNTING);
        assertThat(json(capped).get("strategy").asText()).isEqualTo(CAPPED);
        assertThat(json(capped).get("interval").asLong()).isEqualTo(524_288);
    }

    private String jfr(HeapSnapshot snapshot) throws IOException {
        Path file = folder.resolve("heap.jfr");
        snapshot.writeTo(file, ExportFormat.JFR);
        for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
            if (event.getEventType().getName().equals("heapsampler.Snapshot")) {
                return event.getString("strategy");
            }
        }
        throw new AssertionError("no event that describes the recording");
    }

    @Test
    void jfr() throws IOException {
        assertThat(jfr(byBytes)).isEqualTo("every 4096 bytes");
        assertThat(jfr(byAllocations)).isEqualTo(COUNTING);
        assertThat(jfr(capped)).isEqualTo(CAPPED);
    }

    private static Message pprof(HeapSnapshot snapshot) throws IOException {
        byte[] file = Heaps.export(ExportFormat.PPROF, snapshot, ExportOptions.defaults());
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(file))) {
            return Message.of(ByteBuffer.wrap(in.readAllBytes()));
        }
    }

    private static String period(Message profile, int typeField, List<String> strings) {
        Message type = profile.one(typeField);
        return strings.get((int) type.number(1)) + " " + strings.get((int) type.number(2));
    }

    /** Fields 6, 11, 12 and 13 of a profile: strings, the period's type, the period, comments. */
    @Test
    void periodOfPprofIsInWhatWasCounted() throws IOException {
        for (Map.Entry<HeapSnapshot, String> each :
                Map.of(
                                byBytes, "space bytes 4096",
                                all, "space bytes 1",
                                byAllocations, "objects count 10000",
                                capped, "space bytes 524288")
                        .entrySet()) {
            Message profile = pprof(each.getKey());

            assertThat(period(profile, 11, profile.strings(6)) + " " + profile.number(12))
                    .isEqualTo(each.getValue());
        }
    }

    private static List<String> comments(HeapSnapshot snapshot) throws IOException {
        Message profile = pprof(snapshot);
        List<String> strings = profile.strings(6);
        return profile.fields().get(13).stream().map(at -> strings.get((int) (long) at)).toList();
    }

    @Test
    void commentsOfPprofSayHowSamplesWereChosen() throws IOException {
        assertThat(comments(byBytes))
                .startsWith("HeapSampler, JDK 25, 5 collections of G1", "Interval: 4096 bytes")
                .noneMatch(comment -> comment.startsWith("Strategy"));
        assertThat(comments(byAllocations))
                .contains("Strategy: " + COUNTING)
                .noneMatch(comment -> comment.startsWith("Interval"));
        assertThat(comments(capped)).contains("Interval: 524288 bytes", "Strategy: " + CAPPED);
    }

    /** The files were written by JDK 17 and 25. */
    @Test
    void commentsOfPprofNameTheJdk() throws IOException {
        assertThat(comments(Heaps.golden("small-17-g1.block")).get(0))
                .startsWith("HeapSampler, JDK 17, ");
        assertThat(comments(Heaps.golden("wide-25-zgc.block")).get(0))
                .startsWith("HeapSampler, JDK 25, ");
    }

    @Test
    void periodOfOtlpIsInWhatWasCounted() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Exporting.get()
                .writeOtlp(
                        byAllocations,
                        Map.of("service.name", "shop"),
                        out,
                        ExportOptions.defaults());
        Message request = Message.of(ByteBuffer.wrap(out.toByteArray()));

        assertThat(request.one(1).one(2).all(2))
                .isNotEmpty()
                .allSatisfy(
                        profile -> {
                            assertThat(period(profile, 5, request.one(2).strings(5)))
                                    .isEqualTo("objects count");
                            assertThat(profile.number(6)).isEqualTo(10_000);
                        });
    }
}
