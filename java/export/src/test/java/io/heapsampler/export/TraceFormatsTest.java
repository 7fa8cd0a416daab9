// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.export.internal.Exporting;
import io.heapsampler.internal.BlockWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Examples of traces in the formats. */
class TraceFormatsTest {

    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** The texts of their bytes can be searched in formats that do not write digits. */
    private static final String OLD = trace("the-oldest-trace");

    private static final String LAST = trace("the-latest-trace");
    private static final String CARTS = trace("a-trace-of-carts");
    private static final String PLAIN = trace("a-trace-of-texts");

    private static String trace(String text) {
        return HexFormat.of().formatHex(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static String span(String trace) {
        return trace.substring(0, 15) + "1";
    }

    private static ExportOptions.Builder options() {
        return ExportOptions.builder().samples(true);
    }

    /**
     * A site with two traces of orders and one of carts, and one without labels with a trace. Of
     * both sites some objects live.
     */
    private static HeapSnapshot shop(String... ofOrders) {
        BlockWriter writer = Heaps.writer();
        int stack = writer.stack(false, writer.frame("com.acme.Cart", "add", 42));
        int orders = writer.site(stack, "byte[]", 5, 5, 2000);
        int carts = writer.site(stack, "byte[]", 2, 2, 400);
        int texts = writer.site(stack, "java.lang.String", 1, 1, 24);
        writer.labelSite(orders, writer.labels(LabelledHeaps.ORDERS));
        writer.labelSite(carts, writer.labels(LabelledHeaps.CARTS));
        writer.living(orders, -1, 100, Heaps.START, 0, 0, 1, 2);
        writer.living(texts, -1, 24, Heaps.START, 0, 0, 1, 2);
        for (String trace : ofOrders) {
            writer.example(orders, trace, span(trace));
        }
        writer.example(carts, CARTS, span(CARTS));
        writer.example(texts, PLAIN, span(PLAIN));
        return Heaps.read(writer);
    }

    static HeapSnapshot shop() {
        return shop(OLD, LAST);
    }

    private static Message otlp(HeapSnapshot snapshot, ExportOptions.Builder options)
            throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Exporting.get().writeOtlp(snapshot, Map.of(), out, options.build());
        return Message.of(ByteBuffer.wrap(out.toByteArray()));
    }

    private static String hex(Message message, int field) {
        ByteBuffer bytes = ((ByteBuffer) message.fields().get(field).get(0)).duplicate();
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        return HexFormat.of().formatHex(copy);
    }

    /** The value of each sample of a profile, with its trace and span. */
    private static List<String> linked(Message request, int profile) {
        List<Message> links = request.one(2).all(4);
        List<String> samples = new ArrayList<>();
        for (Message sample : request.one(1).one(2).all(2).get(profile).all(2)) {
            Message link = links.get((int) sample.number(3));
            String ids = link.fields().isEmpty() ? "" : " " + hex(link, 1) + " " + hex(link, 2);
            samples.add(sample.packed(4).get(0) + ids);
        }
        return samples;
    }

    private static String linked(long value, String trace) {
        return value + " " + trace + " " + span(trace);
    }

    @Test
    void allocationsOfOtlpHaveALinkToTheLastTraceOfTheirLabels() throws IOException {
        Message request = otlp(shop(), options());

        assertThat(linked(request, 1))
                .containsExactly(linked(2000, LAST), linked(400, CARTS), linked(24, PLAIN));
        assertThat(linked(request, 0))
                .containsExactly(linked(5, LAST), linked(2, CARTS), linked(1, PLAIN));
        // The object that the trace allocated may be dead.
        assertThat(linked(request, 3)).containsExactly("100", "24");
        // The empty one, and each once.
        assertThat(request.one(2).all(4)).hasSize(1 + 3);
    }

    @Test
    void linksChangeNoFigures() throws IOException {
        Message with = otlp(shop(), options());
        Message without = otlp(shop(), options().traces(false));

        assertThat(without.one(2).all(4)).hasSize(1);
        for (int profile = 0; profile < 4; profile++) {
            assertThat(linked(without, profile))
                    .isEqualTo(
                            linked(with, profile).stream()
                                    .map(sample -> sample.replaceAll(" .*", ""))
                                    .toList());
        }
    }

    @Test
    void samplesOfSeveralLabelsHaveOneLink() throws IOException {
        assertThat(linked(otlp(shop(), options().label("tenant")), 1))
                .containsExactly(linked(2400, CARTS), linked(24, PLAIN));
        assertThat(linked(otlp(shop(), options().maxSites(1)), 1))
                .containsExactly("2000", "400", "24");
    }

    @Test
    void aChangeHasNoLinksToEarlierTraces() throws IOException {
        HeapSnapshot begin = bytes(100, OLD);
        HeapSnapshot end = bytes(300, OLD);
        HeapSnapshot other = bytes(300, OLD, LAST);

        assertThat(linked(otlp(end, options().allocatedSince(begin)), 0)).containsExactly("200");
        assertThat(linked(otlp(other, options().allocatedSince(begin)), 0))
                .containsExactly(linked(200, LAST));
    }

    private static HeapSnapshot bytes(int bytes, String... traces) {
        BlockWriter writer = Heaps.writer();
        int stack = writer.stack(false, writer.frame("com.acme.Cart", "add", 42));
        int site = writer.site(stack, "byte[]", 1, 1, bytes);
        for (String trace : traces) {
            writer.example(site, trace, span(trace));
        }
        return Heaps.read(writer);
    }

    private static JsonNode json(ExportOptions.Builder options) throws IOException {
        return MAPPER.readTree(Heaps.export(ExportFormat.JSON, shop(), options.build()));
    }

    private static String text(JsonNode json, JsonNode example) {
        JsonNode set = example.get("labels");
        String labels = set == null ? "" : " " + json.at("/labels/" + set.asInt() + "/set");
        return example.get("traceId").asText() + " " + example.get("spanId").asText() + labels;
    }

    @Test
    void jsonHasTheExamplesOfEachSite() throws IOException {
        JsonNode json = json(options());

        List<String> examples = new ArrayList<>();
        json.at("/sites/0/examples").forEach(each -> examples.add(text(json, each)));
        String orders = " {\"endpoint\":\"GET /orders\",\"tenant\":\"acme\"}";
        String carts = " {\"endpoint\":\"GET /carts\",\"tenant\":\"acme\"}";
        assertThat(examples)
                .containsExactly(
                        OLD + " " + span(OLD) + orders,
                        LAST + " " + span(LAST) + orders,
                        CARTS + " " + span(CARTS) + carts);
        assertThat(text(json, json.at("/sites/1/examples/0")))
                .isEqualTo(PLAIN + " " + span(PLAIN) + " {}");
        JsonNode unlabelled = json(options().labels((key, value) -> null));
        assertThat(unlabelled.has("labels")).isFalse();
        assertThat(unlabelled.at("/sites/1/examples/0").size()).isEqualTo(2);
        assertThat(json(options().maxSites(1)).at("/sites/0").has("examples")).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void noFormatHasTracesThatAreLeftOut(ExportFormat format) throws IOException {
        for (ExportOptions options :
                List.of(options().traces(false).build(), options().labels(false).build())) {
            if (format == ExportFormat.HSNAP) {
                assertThatIllegalArgumentException().isThrownBy(() -> format.with(options));
            } else {
                assertThat(content(format, options)).doesNotContain(LAST, "the-latest-trace");
            }
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ExportFormat.HSNAP.with(options().traces(false).build()))
                .withMessage(
                        "HSNAP always contains the examples of traces, so traces cannot leave them"
                                + " out. Choose another format.");
    }

    private static String content(ExportFormat format, ExportOptions options) throws IOException {
        byte[] bytes = Heaps.export(format, shop(), options);
        boolean isPlain = format == ExportFormat.JFR || format == ExportFormat.HSNAP;
        byte[] content = isPlain ? bytes : GoldenBytesTest.content(format, bytes);
        return new String(content, StandardCharsets.ISO_8859_1);
    }

    /** A label would stand for all bytes of a sample, and make another sample with each trace. */
    @Test
    void samplesOfPprofDoNotDependOnTraces() throws IOException {
        assertThat(PprofSample.export(shop(OLD), options()))
                .isEqualTo(PprofSample.export(shop(LAST), options()));
        assertThat(content(ExportFormat.JSON, options().build())).contains(LAST);
        assertThat(content(ExportFormat.HSNAP, ExportOptions.defaults()))
                .contains("the-latest-trace");
    }
}
