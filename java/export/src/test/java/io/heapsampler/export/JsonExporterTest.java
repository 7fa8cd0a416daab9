// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaValidatorsConfig;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.ValidationMessage;
import io.heapsampler.HeapHistogram;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import java.io.IOException;
import java.io.InputStream;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class JsonExporterTest {

    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final ExportOptions WITH_SAMPLES = ExportOptions.builder().samples(true).build();

    private static JsonNode schema() throws IOException {
        try (InputStream in = ExportFormat.class.getResourceAsStream("schema.json")) {
            return MAPPER.readTree(in);
        }
    }

    private static Set<ValidationMessage> complaints(JsonNode schema, JsonNode document) {
        SchemaValidatorsConfig config =
                SchemaValidatorsConfig.builder().formatAssertionsEnabled(true).build();
        JsonSchema compiled =
                JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
                        .getSchema(schema, config);
        return compiled.validate(document);
    }

    private static JsonNode export(HeapSnapshot snapshot) throws IOException {
        return MAPPER.readTree(Heaps.export(ExportFormat.JSON, snapshot, WITH_SAMPLES));
    }

    /** A reader of the schema must find every entry in it, although more are allowed later. */
    private static void forbidOthers(JsonNode node) {
        if (node.has("properties") && !node.has("additionalProperties")) {
            ((ObjectNode) node).put("additionalProperties", false);
        }
        node.forEach(JsonExporterTest::forbidOthers);
    }

    static Stream<HeapSnapshot> snapshots() throws IOException {
        return Stream.of(
                Heaps.small(),
                Heaps.empty(),
                Heaps.hostile(),
                Heaps.large(50),
                LabelledHeaps.shop(),
                LabelledHeaps.hostile(),
                TraceFormatsTest.shop(),
                HeldHeaps.held("odd"),
                HeldHeaps.held(Heaps.HOSTILE),
                Heaps.golden("small-17-g1.block"),
                Heaps.golden("wide-17-serial.block"),
                Heaps.golden("wide-25-zgc.block"));
    }

    @ParameterizedTest
    @MethodSource("snapshots")
    void isAsTheSchemaSays(HeapSnapshot snapshot) throws IOException {
        JsonNode strict = schema();
        forbidOthers(strict);

        assertThat(complaints(schema(), export(snapshot))).isEmpty();
        assertThat(complaints(strict, export(snapshot))).isEmpty();
    }

    @Test
    void schemaRefusesWhatIsNoSnapshot() throws IOException {
        ObjectNode document = (ObjectNode) export(Heaps.small());
        ((ObjectNode) document.get("sites").get(0).get("live")).put("samples", -1);
        document.remove("totals");

        assertThat(complaints(schema(), document)).hasSize(2);
    }

    @Test
    void hasAllOfTheSnapshot() throws IOException {
        HeapSnapshot snapshot = Heaps.small();
        HeapSite site = snapshot.topByAllocated(1).get(0);
        JsonNode document = export(snapshot);
        JsonNode first = document.get("sites").get(0);

        assertThat(document.at("/snapshot/takenAt").asText()).isEqualTo("2026-01-01T00:01:40Z");
        assertThat(document.at("/snapshot/interval").asLong()).isEqualTo(4096);
        assertThat(document.at("/dropped/STACKS_FULL").asLong()).isEqualTo(3);
        assertThat(document.get("notes")).hasSameSizeAs(snapshot.notes());
        assertThat(document.at("/totals/allocated/bytes/value").asLong()).isEqualTo(2088);
        assertThat(first.get("class").asText()).isEqualTo("byte[]");
        assertThat(first.at("/allocated/bytes/low").asDouble())
                .isEqualTo(site.allocated().bytes().low());
        assertThat(first.at("/live/samples").asLong()).isEqualTo(2);
        assertThat(document.at("/frames/" + first.at("/stack/0").asInt() + "/method").asText())
                .isEqualTo("add");
        assertThat(first.at("/lifetimes/byMillis/3").asDouble())
                .isEqualTo(site.lifetimes().byTime().objects(3));
        assertThat(document.at("/sites/1/truncated").asBoolean()).isTrue();
        assertThat(document.get("samples")).hasSize(4);
        assertThat(document.at("/samples/3/foundDeadAt").asText())
                .isEqualTo("2026-01-01T00:01:32Z");
        assertThat(document.at("/threads/1/thread").asText()).isEqualTo("pool-1-thread-1");
    }

    @Test
    void hasTheHoldersUnlessNamesOfThreadsAreReplaced() throws IOException {
        HeapSnapshot snapshot = HeldHeaps.held("odd");
        ExportOptions nameless = ExportOptions.builder().threadNames(name -> "").build();

        JsonNode held = export(snapshot).get("heldBy");
        assertThat(held.at("/holders/0/text").asText())
                .isEqualTo("static field com.acme.Shop.open");
        assertThat(held.at("/holders/0/children/0/children/0/class").asText()).isEqualTo("byte[]");
        assertThat(held.at("/unresolved/ONLY_WEAK/bytes/value").asLong()).isEqualTo(1_000);
        assertThat(export(Heaps.small()).has("heldBy")).isFalse();
        assertThat(Heaps.text(ExportFormat.JSON, snapshot, nameless)).doesNotContain("\"heldBy\"");
    }

    @Test
    void boundsAreThoseOfTheHistograms() throws IOException {
        JsonNode bounds = export(Heaps.small()).get("ageBounds");
        HeapHistogram byTime = Heaps.small().sites().get(0).lifetimes().byTime();
        HeapHistogram byCollections = Heaps.small().sites().get(0).lifetimes().byCollections();

        assertThat(bounds.get("millis")).hasSize(byTime.buckets());
        for (int i = 0; i < byTime.buckets(); i++) {
            assertThat(bounds.get("millis").get(i).asLong()).isEqualTo(byTime.lowerBound(i));
        }
        assertThat(bounds.get("collections")).hasSize(byCollections.buckets());
    }

    @Test
    void canStandWithinAScript() {
        assertThat(Heaps.text(ExportFormat.JSON, Heaps.hostile(), WITH_SAMPLES))
                .doesNotContain("<", ">", "\u2028")
                .contains("\\u003c/script");
    }
}
