// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.export.internal.Exporting;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

/**
 * The content of each format does not change unnoticed: its hash, before compression, is that of
 * {@code golden.txt}. Of a report only the data counts, not the page. Write the file anew with
 * {@code -Dheapsampler.golden.update}.
 */
class GoldenBytesTest {

    private static final Path FILE = Path.of("src/test/resources/io/heapsampler/export/golden.txt");
    private static final Pattern BLOCK =
            Pattern.compile("application/gzip\" id=\"[^\"]*\">([^<]*)");

    /** The random id of an OTLP profile. */
    private static final Pattern ID = Pattern.compile("(?s):\\x10.{16}");

    private static Map<String, HeapSnapshot> snapshots() throws IOException {
        Map<String, HeapSnapshot> snapshots = new LinkedHashMap<>();
        snapshots.put("empty", Heaps.empty());
        snapshots.put("small", Heaps.small());
        snapshots.put("large", Heaps.large(700));
        // Not wide-25-zgc: the size of one label is at a limit of rounding, which differs in JDK
        // 25.
        for (String name : List.of("lines-17-g1", "wide-17-serial")) {
            snapshots.put(name, Heaps.golden(name + ".block"));
        }
        return snapshots;
    }

    private static ExportOptions all() {
        return ExportOptions.builder()
                .metric(HeapMetric.LIVE_BYTES)
                .maxSites(7)
                .samples(true)
                .labels(false)
                .threadNames(name -> name.isEmpty() ? "" : "T" + name.length())
                .title("a <title>")
                .build();
    }

    /** Returns what is compressed in a file, and the data of a report without its page. */
    static byte[] content(ExportFormat format, byte[] bytes) throws IOException {
        return switch (format) {
            case PPROF -> unpacked(bytes);
            case HTML -> {
                ByteArrayOutputStream data = new ByteArrayOutputStream();
                Matcher blocks = BLOCK.matcher(new String(bytes, ISO_8859_1));
                while (blocks.find()) {
                    data.write(unpacked(Base64.getDecoder().decode(blocks.group(1))));
                }
                assertThat(data.size()).isPositive();
                yield data.toByteArray();
            }
            case JFR -> {
                // The library writes the tables of constants in a random order.
                Arrays.sort(bytes);
                yield bytes;
            }
            default -> bytes;
        };
    }

    private static byte[] unpacked(byte[] gzip) throws IOException {
        try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(gzip))) {
            return in.readAllBytes();
        }
    }

    private static String line(String name, byte[] content) throws Exception {
        byte[] hash = MessageDigest.getInstance("SHA-256").digest(content);
        return name + " " + content.length + " " + HexFormat.of().formatHex(hash, 0, 8);
    }

    private static byte[] otlp(HeapSnapshot snapshot, ExportOptions options) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Exporting.get().writeOtlp(snapshot, Map.of("service.name", "shop"), out, options);
        String text = out.toString(ISO_8859_1);
        return ID.matcher(text).replaceAll("").getBytes(ISO_8859_1);
    }

    private static List<String> lines() throws Exception {
        List<String> lines = new ArrayList<>();
        for (Map.Entry<String, HeapSnapshot> each : snapshots().entrySet()) {
            HeapSnapshot snapshot = each.getValue();
            for (ExportOptions options : List.of(ExportOptions.defaults(), all())) {
                String suffix = options == ExportOptions.defaults() ? "" : "-all";
                for (ExportFormat format : ExportFormat.values()) {
                    if (format != ExportFormat.HSNAP) {
                        byte[] content = content(format, Heaps.export(format, snapshot, options));
                        lines.add(line(each.getKey() + " " + format + suffix, content));
                    }
                }
                lines.add(line(each.getKey() + " OTLP" + suffix, otlp(snapshot, options)));
            }
            ExportOptions compared = ExportOptions.builder().comparedWith(Heaps.small()).build();
            ExportOptions since = ExportOptions.builder().allocatedSince(Heaps.small()).build();
            for (ExportFormat format : List.of(ExportFormat.HTML, ExportFormat.PPROF)) {
                byte[] content = content(format, Heaps.export(format, snapshot, compared));
                lines.add(line(each.getKey() + " " + format + "-compared", content));
            }
            byte[] delta = Heaps.export(ExportFormat.PPROF, snapshot, since);
            lines.add(line(each.getKey() + " PPROF-since", unpacked(delta)));
        }
        return lines;
    }

    @Test
    void contentIsAsCommitted() throws Exception {
        List<String> lines = lines();
        if (System.getProperty("heapsampler.golden.update") != null) {
            Files.write(FILE, lines);
        }

        assertThat(lines).isEqualTo(Files.readAllLines(FILE));
    }
}
