// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.heapsampler.HeapSnapshot;
import java.io.IOException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Speedscope and DHAT: what their readers rely on, by their documentation. tests/export has
 * speedscope's own schema.
 */
class ViewerFormatsTest {

    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** A frame as DHAT writes it: address, function, file, line, column. */
    private static final Pattern FRAME =
            Pattern.compile("0x([0-9a-f]+): (.+) \\((.+):(\\d+):(\\d+)\\)");

    private static JsonNode export(ExportFormat format, HeapSnapshot snapshot) throws IOException {
        return MAPPER.readTree(Heaps.export(format, snapshot, ExportOptions.defaults()));
    }

    @Test
    void speedscopeHasAProfilePerFigure() throws IOException {
        JsonNode file = export(ExportFormat.SPEEDSCOPE, Heaps.small());
        JsonNode frames = file.at("/shared/frames");

        assertThat(file.get("profiles")).hasSize(4);
        assertThat(file.get("activeProfileIndex").asInt()).isEqualTo(1);
        JsonNode allocated = file.at("/profiles/1");
        assertThat(allocated.get("name").asText()).isEqualTo("alloc_space");
        assertThat(allocated.get("unit").asText()).isEqualTo("bytes");
        assertThat(allocated.get("endValue").asLong()).isEqualTo(2088);
        assertThat(allocated.get("weights")).hasToString("[2000,64,24]");
        JsonNode stack = allocated.at("/samples/0");
        assertThat(frames.get(stack.get(0).asInt()))
                .hasToString(
                        "{\"name\":\"com.acme.Main.main\",\"file\":\"Source.java\",\"line\":7}");
        assertThat(frames.get(stack.get(2).asInt())).hasToString("{\"name\":\"byte[]\"}");
        assertThat(file.at("/profiles/3/weights")).hasToString("[400]");
        assertThat(file.at("/profiles/2/unit").asText()).isEqualTo("none");
    }

    @Test
    void dhatHasItsDocumentedFields() throws IOException {
        JsonNode file = export(ExportFormat.DHAT, Heaps.small());

        assertThat(file.get("dhatFileVersion").asInt()).isEqualTo(2);
        assertThat(file.get("bklt").asBoolean()).isTrue();
        assertThat(file.get("te").asLong()).isEqualTo(100 * Heaps.SECOND);
        JsonNode site = file.at("/pps/0");
        assertThat(site.get("tb").asLong()).isEqualTo(2000);
        assertThat(site.get("tbk").asLong()).isEqualTo(10);
        assertThat(site.get("eb").asLong()).isEqualTo(400);
        assertThat(site.get("ebk").asLong()).isEqualTo(2);
        for (JsonNode each : file.get("pps")) {
            for (String field : List.of("tb", "tbk", "tl", "mb", "mbk", "gb", "gbk", "eb", "ebk")) {
                assertThat(each.get(field).isIntegralNumber()).as(field).isTrue();
            }
            assertThat(each.get("fs")).isNotEmpty();
        }
    }

    /**
     * The buckets are those of 4 to 8 ms for the dead one, and for the living 1 ms to 2 ms, 2,048
     * ms to 4,096 ms and 32,768 ms to 65,536 ms; each counts as its middle.
     */
    @Test
    void dhatHasLifetimes() throws IOException {
        JsonNode site = export(ExportFormat.DHAT, Heaps.small()).at("/pps/0");

        double meanMillis = (6 + 1.5 + 3072 + 49152) / 4;
        assertThat(site.get("tl").asDouble()).isCloseTo(10 * 1000 * meanMillis, within(1.0));
    }

    @Test
    void dhatFramesAreAsThoseOfDhat() throws IOException {
        JsonNode file = export(ExportFormat.DHAT, Heaps.small());
        JsonNode table = file.get("ftbl");

        assertThat(table.get(0).asText()).isEqualTo("[root]");
        JsonNode stack = file.at("/pps/0/fs");
        assertThat(table.get(stack.get(0).asInt()).asText()).isEqualTo("0x1: byte[]");
        Matcher leaf = FRAME.matcher(table.get(stack.get(1).asInt()).asText());
        assertThat(leaf.matches()).isTrue();
        assertThat(leaf.group(2)).isEqualTo("com.acme.Cart.add");
        assertThat(leaf.group(3)).isEqualTo("Cart.java");
        assertThat(leaf.group(4)).isEqualTo("42");
    }
}
