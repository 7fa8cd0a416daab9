// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.HeldBy;
import io.heapsampler.internal.shared.HeldByJson;
import java.io.BufferedOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.zip.GZIPOutputStream;

/**
 * Writes a report: one HTML file that shows a snapshot in a browser, or the changes since {@link
 * ExportOptions#comparedWith()}. The file loads nothing, sends nothing and runs only its own
 * script.
 *
 * <p>{@link ExportOptions#metric()} is shown first. The snapshots are in the file as {@link
 * ExportFormat#JSON}, for download.
 */
final class ReportExporter implements ExportFormat.Exporter {

    private static final int BUFFER = 1 << 13;

    private final ExportOptions options;

    /** {@link ExportOptions#hasSamples()} concerns the JSON in the file. */
    ReportExporter(ExportOptions options) {
        this.options = options;
    }

    /** Writes the same page without a snapshot: only what the doctor has found. */
    static void writeDiagnosis(String json, OutputStream out) throws IOException {
        ReportPage page = ReportPage.get();
        page.writeHead(false, out);
        packDiagnosis(json, out);
        page.writeScript(out);
        page.writeTail(out);
        out.flush();
    }

    private static void packDiagnosis(String json, OutputStream out) throws IOException {
        pack("diagnosis", out, packed -> packed.write(json.getBytes(StandardCharsets.UTF_8)));
    }

    private void packHolders(HeapSnapshot snapshot, OutputStream out) throws IOException {
        HeldBy answer = options.holdersOf(snapshot);
        if (answer != null) {
            pack(
                    "holders",
                    out,
                    packed -> packed.write(HeldByJson.of(answer).getBytes(StandardCharsets.UTF_8)));
        }
    }

    @Override
    public void export(HeapSnapshot snapshot, OutputStream out) throws IOException {
        ReportPage page = ReportPage.get();
        page.writeHead(true, out);
        HeapSnapshot earlier = options.comparedWith();
        List<HeapSnapshot> snapshots =
                earlier == null ? List.of(snapshot) : List.of(earlier, snapshot);
        ReportData data = new ReportData(options);
        pack("data", out, packed -> data.write(packed, snapshots));
        String diagnosis = options.diagnosis();
        if (diagnosis != null) {
            packDiagnosis(diagnosis, out);
        }
        packHolders(snapshot, out);
        page.writeScript(out);
        JsonExporter json = new JsonExporter(options);
        pack("export-later", out, packed -> json.export(snapshot, packed));
        if (earlier != null) {
            pack("export-earlier", out, packed -> json.export(earlier, packed));
        }
        page.writeTail(out);
        out.flush();
    }

    /** Something that writes JSON. */
    private interface Content {
        void write(OutputStream out) throws IOException;
    }

    /**
     * Writes a block of data as gzip in base64: a third of the size of the JSON. No name in it can
     * be markup.
     */
    private static void pack(String id, OutputStream out, Content content) throws IOException {
        out.write(ascii("<script type=\"application/gzip\" id=\"" + id + "\">"));
        try (GZIPOutputStream gzip =
                new GZIPOutputStream(Base64.getEncoder().wrap(new LeftOpen(out)), BUFFER)) {
            content.write(gzip);
        }
        out.write(ascii("</script>\n"));
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Closing writes the rest of gzip and base64, and leaves the stream below open. */
    private static final class LeftOpen extends FilterOutputStream {

        LeftOpen(OutputStream out) {
            super(new BufferedOutputStream(out, BUFFER));
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
        }

        @Override
        public void close() throws IOException {
            flush();
        }
    }
}
