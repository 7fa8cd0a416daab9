// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.HeapSnapshot;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;

/**
 * One line per site: the frames from the root to the leaf, then the class, then the figure. A line
 * may come more than once where sites differ in line numbers only; readers add them up.
 */
final class CollapsedExporter implements Exporter {

    private final ExportOptions options;

    CollapsedExporter(ExportOptions options) {
        this.options = options;
    }

    @Override
    public void export(HeapSnapshot snapshot, OutputStream out) throws IOException {
        Writer text = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
        PerFrame names = new PerFrame(snapshot, frame -> cleaned(FrameNames.function(frame)));
        for (SiteRow row : SiteRow.of(snapshot, options)) {
            long value = Math.round(row.value(options.metric()));
            if (value > 0) {
                writeLine(text, row, names.of(row), value);
            }
        }
        text.flush();
    }

    private static void writeLine(Writer text, SiteRow row, String[] stack, long value)
            throws IOException {
        String ending = row.endingUnderClass();
        if (ending != null) {
            text.append(ending).append(';');
        }
        for (int i = stack.length - 1; i >= 0; i--) {
            text.append(stack[i]).append(';');
        }
        text.append(cleaned(row.className())).append(' ');
        text.append(Long.toString(value)).append('\n');
    }

    /** Without what ends a frame or a line. Languages other than Java allow it in names. */
    private static String cleaned(String name) {
        for (int i = 0; i < name.length(); i++) {
            if (isSpecial(name.charAt(i))) {
                return replaced(name);
            }
        }
        return name;
    }

    private static String replaced(String name) {
        StringBuilder clean = new StringBuilder(name.length());
        name.chars().forEach(c -> clean.append(isSpecial((char) c) ? '_' : (char) c));
        return clean.toString();
    }

    private static boolean isSpecial(char c) {
        return c == ';' || Character.isISOControl(c) || c == '\u2028' || c == '\u2029';
    }
}
