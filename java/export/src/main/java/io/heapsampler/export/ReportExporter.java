// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.HeapSnapshot;
import java.io.BufferedOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Writes a report: one HTML file that shows a snapshot, or what has changed between two, in a
 * browser. It loads nothing, sends nothing and runs nothing but its own script.
 *
 * <pre>{@code
 * try (OutputStream out = Files.newOutputStream(Path.of("leak.html"))) {
 *     new ReportExporter(ExportOptions.builder().metric(HeapMetric.LIVE_BYTES).build())
 *             .titled("Shop, after the load test")
 *             .comparedWith(before)
 *             .export(after, out);
 * }
 * }</pre>
 *
 * <p>The figure of {@link ExportOptions#metric()} is shown first. The snapshots as {@link
 * ExportFormat#JSON} stand in the file for download.
 *
 * <p>Immutable and safe for use by many threads, as all exporters.
 */
public final class ReportExporter implements Exporter {

    private static final String TITLE = "Heap report";
    private static final int BUFFER = 1 << 16;

    private final ExportOptions options;
    private final String title;
    private final @Nullable HeapSnapshot earlier;
    private final List<String> sections;

    /**
     * Makes an exporter of reports on single snapshots.
     *
     * @param options what goes in; {@link ExportOptions#hasSamples()} concerns the JSON inside
     */
    public ReportExporter(ExportOptions options) {
        this(Objects.requireNonNull(options, "options"), TITLE, null, List.of());
    }

    private ReportExporter(
            ExportOptions options,
            String title,
            @Nullable HeapSnapshot earlier,
            List<String> sections) {
        this.options = options;
        this.title = title;
        this.earlier = earlier;
        this.sections = sections;
    }

    /**
     * Returns an exporter that gives its reports a title.
     *
     * @param value plain text; "Heap report" unless said otherwise
     * @return a new exporter
     */
    public ReportExporter titled(String value) {
        return new ReportExporter(
                options, Objects.requireNonNull(value, "title"), earlier, sections);
    }

    /**
     * Returns an exporter of reports on what has changed since an earlier snapshot of the same
     * recording. Take both with {@code SnapshotOptions.afterGc()} and choose {@link
     * HeapMetric#LIVE_BYTES} to look for leaks.
     *
     * @param snapshot the earlier one
     * @return a new exporter
     */
    public ReportExporter comparedWith(HeapSnapshot snapshot) {
        return new ReportExporter(
                options, title, Objects.requireNonNull(snapshot, "snapshot"), sections);
    }

    /**
     * Returns an exporter of reports with one more section, above the views, that can be folded
     * away. It is for what belongs to the same run, such as the diagnosis of heapsampler-doctor,
     * whose style sheet each report has. The policy of the report lets no script and no other style
     * in it work.
     *
     * @param name plain text, the line that is always seen
     * @param html the section; it goes into the page as it is, so it must come from a writer that
     *     escapes names
     * @return a new exporter
     */
    public ReportExporter withSection(String name, String html) {
        List<String> all = new ArrayList<>(sections);
        all.add(
                "<details class=\"panel section\" open><summary>"
                        + escaped(Objects.requireNonNull(name, "name"))
                        + "</summary>\n"
                        + Objects.requireNonNull(html, "html")
                        + "</details>\n");
        return new ReportExporter(options, title, earlier, List.copyOf(all));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    /**
     * Returns the policy that reports carry in themselves, for a server that sends it as a header,
     * too. It allows the style sheet and the script of this version, by their hashes, and nothing
     * else. It is the same for all reports.
     *
     * @return the value of a header {@code Content-Security-Policy}
     */
    public static String contentSecurityPolicy() {
        return ReportPage.get().policy();
    }

    @Override
    public void export(HeapSnapshot snapshot, OutputStream out) throws IOException {
        ReportPage page = ReportPage.get();
        page.writeHead(sections, out);
        List<HeapSnapshot> snapshots = new ArrayList<>();
        if (earlier != null) {
            snapshots.add(earlier);
        }
        snapshots.add(snapshot);
        pack("data", out, packed -> new ReportData(options).write(packed, title, snapshots));
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
     * Writes a block of data as gzip in base64: a third of the size of the JSON, and without a
     * character to which a browser could give a meaning, whatever names there are.
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

    /** Closing writes the rest of gzip and base64, but leaves what is below open. */
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
