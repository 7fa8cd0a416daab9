// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSnapshot;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One line per stack of methods: the frames from the root to the leaf, then the class, then the
 * figure. Sites that differ in line numbers only are added up: where stacks are deep, most of them
 * do. The largest come first.
 */
final class CollapsedExporter implements ExportFormat.Exporter {

    private final ExportOptions options;

    CollapsedExporter(ExportOptions options) {
        this.options = options;
    }

    @Override
    public void export(HeapSnapshot snapshot, OutputStream out) throws IOException {
        Map<Key, Double> sums = new LinkedHashMap<>();
        Map<HeapFrame, String> names = new HashMap<>();
        for (SiteRow row : SiteRow.of(snapshot, options)) {
            List<String> stack =
                    row.stack().stream()
                            .map(frame -> names.computeIfAbsent(frame, CollapsedExporter::name))
                            .toList();
            Key key = new Key(row.endingUnderClass(), stack, cleaned(row.className()));
            sums.merge(key, row.value(options.metric()), Double::sum);
        }
        Writer text = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
        List<Map.Entry<Key, Double>> lines = new ArrayList<>(sums.entrySet());
        lines.sort(Map.Entry.<Key, Double>comparingByValue().reversed());
        for (Map.Entry<Key, Double> line : lines) {
            long value = Math.round(line.getValue());
            if (value > 0) {
                line.getKey().write(text, value);
            }
        }
        text.flush();
    }

    /**
     * What makes lines equal.
     *
     * @param ending replaces missing frames; null if none are missing
     * @param stack methods, leaf first
     * @param className the class of the objects
     */
    private record Key(@Nullable String ending, List<String> stack, String className) {

        void write(Writer text, long value) throws IOException {
            if (ending != null) {
                text.append(ending).append(';');
            }
            for (int i = stack.size() - 1; i >= 0; i--) {
                text.append(stack.get(i)).append(';');
            }
            text.append(className).append(' ').append(Long.toString(value)).append('\n');
        }
    }

    private static String name(HeapFrame frame) {
        return cleaned(SiteRow.name(frame));
    }

    /** Replaces what ends a frame or a line. Languages other than Java allow it in names. */
    private static String cleaned(String name) {
        StringBuilder clean = new StringBuilder(name);
        for (int i = 0; i < name.length(); i++) {
            if (isSpecial(name.charAt(i))) {
                clean.setCharAt(i, '_');
            }
        }
        return clean.toString();
    }

    private static boolean isSpecial(char c) {
        return c == ';' || Character.isISOControl(c) || c == '\u2028' || c == '\u2029';
    }
}
