// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.LabelTotals;
import io.heapsampler.export.internal.Exporting;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Labels of the application in the formats other than pprof. */
class LabelFormatsTest {

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private static ExportOptions.Builder options() {
        return ExportOptions.builder().samples(true);
    }

    private static JsonNode json(HeapSnapshot snapshot, ExportOptions.Builder options)
            throws IOException {
        return MAPPER.readTree(Heaps.export(ExportFormat.JSON, snapshot, options.build()));
    }

    private static double allocated(JsonNode figures) {
        return figures.at("/allocated/bytes/value").asDouble();
    }

    private static double sum(JsonNode all) {
        double sum = 0;
        for (JsonNode each : all) {
            sum += allocated(each);
        }
        return sum;
    }

    @Test
    void jsonHasTheSetsOnceAndSitesAndSamplesReferToThem() throws IOException {
        JsonNode json = json(LabelledHeaps.shop(), options());

        JsonNode labels = json.get("labels");
        assertThat(labels.get(0).get("set"))
                .isEqualTo(MAPPER.valueToTree(new TreeMap<>(LabelledHeaps.ORDERS)));
        assertThat(sum(labels)).isEqualTo(2562).isEqualTo(allocated(json.get("totals")));
        JsonNode first = json.at("/sites/0");
        assertThat(sum(first.get("labels"))).isEqualTo(2530).isEqualTo(allocated(first));
        assertThat(first.at("/labels/0/labels").asInt()).isZero();
        List<String> endpoints = new ArrayList<>();
        for (JsonNode sample : json.get("samples")) {
            int set = sample.get("labels").asInt();
            endpoints.add(labels.get(set).at("/set/endpoint").asText());
        }
        assertThat(endpoints).containsExactly("GET /orders", "GET /orders", "GET /carts");
        JsonNode other = labels.get(first.at("/labels/3/labels").asInt());
        assertThat(other.get("other").asBoolean()).isTrue();
        assertThat(other.get("set")).isEmpty();
    }

    @Test
    void jsonWithoutLabelsHasNone() throws IOException {
        for (JsonNode json :
                List.of(
                        json(Heaps.small(), options()),
                        json(LabelledHeaps.shop(), options().labels(false)))) {
            assertThat(json.has("labels")).isFalse();
            assertThat(json.at("/sites/0").has("labels")).isFalse();
            assertThat(json.at("/samples/0").has("labels")).isFalse();
        }
    }

    @Test
    void jsonCanHaveOneKeyAndOtherValues() throws IOException {
        JsonNode json =
                json(
                        LabelledHeaps.shop(),
                        options().label("tenant").labels((key, value) -> "T" + value.length()));

        assertThat(json.get("labels").findValuesAsText("tenant")).containsExactly("T4", "T7");
        assertThat(json.toString()).doesNotContain("GET /", "acme\"", "initech");
        assertThat(sum(json.get("labels"))).isEqualTo(2562);
    }

    @Test
    void theTableHasAColumnForEachKeyAndALineForEachSet() {
        String csv = Heaps.text(ExportFormat.CSV, LabelledHeaps.shop());

        String[] lines = csv.split("\r\n");
        assertThat(lines[0])
                .endsWith(",stack,\"label:endpoint\",\"label:labels\",\"label:tenant\"");
        assertThat(lines).hasSize(7);
        assertThat(lines[1])
                .startsWith("\"byte[]\",2000,")
                .endsWith("Source.java:7)\",\"GET /orders\",\"\",\"acme\"");
        assertThat(lines[3]).startsWith("\"byte[]\",100,").endsWith(",\"\",\"\",\"\"");
        assertThat(lines[4])
                .startsWith("\"byte[]\",30,")
                .endsWith(",\"(other)\",\"(other)\",\"(other)\"");
    }

    @Test
    void oddTextsStayWithinTheirCellAndAreNoFormulas() {
        String csv = Heaps.text(ExportFormat.CSV, LabelledHeaps.hostile());

        String quoted = Heaps.HOSTILE.replace("\"", "\"\"");
        assertThat(csv)
                .contains(",stack,\"label:" + "=1+1" + "\",\"label:" + quoted + "\"\r\n")
                .endsWith(",\"'@cmd,\"\"x\"\"\r\n?\",\"\0" + quoted + "\"\r\n");
    }

    @Test
    void livingObjectsOfARecordingHaveTheirLabels(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("labels.jfr");
        LabelledHeaps.shop().writeTo(file, ExportFormat.JFR);

        assertThat(RecordingFile.readAllEvents(file))
                .filteredOn(event -> event.getEventType().getName().endsWith("LiveObject"))
                .extracting(event -> event.getString("labels"))
                .containsExactlyInAnyOrder(
                        "endpoint=GET /orders, tenant=acme",
                        "endpoint=GET /orders, tenant=acme",
                        "endpoint=GET /carts, tenant=acme");
    }

    @Test
    void aSavedSnapshotKeepsLabelsByteForByte(@TempDir Path folder) throws IOException {
        for (HeapSnapshot snapshot : List.of(LabelledHeaps.shop(), LabelledHeaps.hostile())) {
            ByteArrayOutputStream first = new ByteArrayOutputStream();
            snapshot.writeTo(first);
            Path file = folder.resolve("labels.hsnap");
            snapshot.writeTo(file, ExportFormat.HSNAP);

            assertThat(Files.readAllBytes(file)).isEqualTo(first.toByteArray());
            HeapSnapshot read = HeapSnapshot.read(new ByteArrayInputStream(first.toByteArray()));
            assertThat(read.labels())
                    .extracting(LabelTotals::labels)
                    .isEqualTo(snapshot.labels().stream().map(LabelTotals::labels).toList());
            ByteArrayOutputStream again = new ByteArrayOutputStream();
            read.writeTo(again);
            assertThat(again.toByteArray()).isEqualTo(first.toByteArray());
        }
    }

    @ParameterizedTest
    @EnumSource
    void noFormatWritesLabelsThatAreLeftOut(ExportFormat format) throws IOException {
        for (ExportOptions options :
                List.of(
                        options().labels(false).build(),
                        options().label("endpoint").build(),
                        options().labels((key, value) -> null).build())) {
            if (format == ExportFormat.HSNAP) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> format.with(options))
                        .withMessage(
                                "HSNAP always contains all labels, so label and labels cannot"
                                        + " choose or replace them. Choose another format.");
            } else {
                byte[] bytes = Heaps.export(format, LabelledHeaps.shop(), options);
                boolean isPlain = format == ExportFormat.JFR;
                byte[] content = isPlain ? bytes : GoldenBytesTest.content(format, bytes);
                assertThat(new String(content, StandardCharsets.ISO_8859_1))
                        .contains("com")
                        .doesNotContain("initech");
            }
        }
    }

    /** Stacks have no place for labels. Filter the snapshot first, see {@code SampleFilter}. */
    @ParameterizedTest
    @EnumSource(names = {"COLLAPSED", "SPEEDSCOPE", "DHAT"})
    void formatsOfStacksOnlyHaveTheSumsOfAllLabels(ExportFormat format) {
        HeapSnapshot snapshot = LabelledHeaps.shop();

        assertThat(Heaps.text(format, snapshot))
                .isEqualTo(Heaps.text(format, snapshot, options().labels(false).build()))
                .contains("2530")
                .doesNotContain("orders");
    }

    @Test
    void samplesOfOtlpHaveLabelsAsAttributes() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Exporting.get().writeOtlp(LabelledHeaps.shop(), Map.of(), out, options().build());
        Message request = Message.of(ByteBuffer.wrap(out.toByteArray()));
        Message dictionary = request.one(2);
        List<String> strings = dictionary.strings(5);

        List<String> samples = new ArrayList<>();
        for (Message sample : request.one(1).one(2).all(2).get(1).all(2)) {
            Map<String, String> attributes = new TreeMap<>();
            for (long number :
                    sample.fields().containsKey(2) ? sample.packed(2) : List.<Long>of()) {
                Message attribute = dictionary.all(6).get((int) number);
                String key = strings.get((int) attribute.number(1));
                attributes.put(key, attribute.one(2).strings(1).get(0));
            }
            samples.add(sample.packed(4).get(0) + " " + attributes);
        }

        assertThat(samples)
                .containsExactly(
                        "2000 {endpoint=GET /orders, tenant=acme}",
                        "400 {endpoint=GET /carts, tenant=acme}",
                        "100 {}",
                        "30 {labels=(other)}",
                        "24 {endpoint=GET /orders, tenant=acme}",
                        "8 {tenant=initech}");
        // The empty one, the type of frames, and each label once.
        assertThat(dictionary.all(6)).hasSize(2 + 5);
    }

    @Test
    void aReceiverOfSeriesGetsTheLabelsAloneUnderNamesThatItAccepts() throws IOException {
        HeapSnapshot snapshot =
                LabelledHeaps.of(Map.of("http.route", "a", "http_route", "b", "class", "c"));
        List<PprofSample> samples =
                PprofSample.export(
                        snapshot,
                        Exporting.get().seriesLabels(options(), key -> key.replace('.', '_')));

        assertThat(samples).hasSize(1);
        assertThat(samples.get(0).labels())
                .isEqualTo(Map.of("http_route", "a", "label_class", "c"));
        assertThat(samples.get(0).stack().get(0)).isEqualTo("byte[]");
        assertThat(samples.get(0).numbers()).isEmpty();
    }
}
