// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapSnapshot;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

/** The file as such; {@link ReportPageTest} and {@link ReportFlameTest} open it. */
class ReportExporterTest {

    private static final ReportExporter EXPORTER = new ReportExporter(ExportOptions.defaults());

    private static byte[] bytes(ReportExporter exporter, HeapSnapshot snapshot) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        exporter.export(snapshot, out);
        return out.toByteArray();
    }

    private static String text(ReportExporter exporter, HeapSnapshot snapshot) throws IOException {
        return new String(bytes(exporter, snapshot), StandardCharsets.UTF_8);
    }

    private static String unpacked(String page, String id) throws IOException {
        Matcher block = Pattern.compile("id=\"" + id + "\">([^<]*)</script>").matcher(page);
        assertThat(block.find()).isTrue();
        byte[] packed = Base64.getDecoder().decode(block.group(1));
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(packed))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static String hash(String text) throws NoSuchAlgorithmException {
        byte[] digest =
                MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        return "'sha256-" + Base64.getEncoder().encodeToString(digest) + "'";
    }

    @Test
    void policyHasTheHashesOfScriptAndStyle() throws Exception {
        String page = text(EXPORTER, ReportHeaps.after());
        String style = page.substring(page.indexOf("<style>") + 7, page.indexOf("</style>"));
        int begin = page.indexOf("<script>") + 8;
        String script = page.substring(begin, page.indexOf("</script>", begin));

        assertThat(ReportExporter.contentSecurityPolicy())
                .startsWith("default-src 'none'; ")
                .contains("script-src " + hash(script) + ";", "style-src " + hash(style) + ";");
        assertThat(page).contains("content=\"" + ReportExporter.contentSecurityPolicy() + "\"");
    }

    @Test
    void loadsNothingAndHasNoHandlers() throws IOException {
        String page = text(EXPORTER, ReportHeaps.after());

        assertThat(page).doesNotContain("src=\"", "@import", "url(", "eval(", "new Function");
        assertThat(page)
                .doesNotContainPattern("<[^>]+ on[a-z]+=")
                .doesNotContainPattern("<[^>]+ style=");
        assertThat(Pattern.compile("href=\"(?!data:|#)").matcher(page).find()).isFalse();
    }

    @Test
    void carriesTheLicencesOfItsLibraries() throws IOException {
        assertThat(text(EXPORTER, ReportHeaps.after()))
                .contains(
                        "d3-hierarchy", "d3-selection", "Mike Bostock", "Permission to use, copy");
    }

    @Test
    void equalSnapshotsGiveEqualBytes() throws IOException {
        assertThat(bytes(EXPORTER, ReportHeaps.large(300)))
                .isEqualTo(bytes(EXPORTER, ReportHeaps.large(300)));
    }

    @Test
    void tenThousandSitesTakeAtMostFiveMebibytes() throws IOException {
        assertThat(bytes(EXPORTER, ReportHeaps.large(10_000)).length).isLessThan(5 << 20);
    }

    @Test
    void sitesBeyondTheLimitAreOne() throws IOException {
        ExportOptions options = ExportOptions.builder().maxSites(2).build();

        String data = unpacked(text(new ReportExporter(options), ReportHeaps.after()), "data");

        assertThat(data).contains("\"names\":[\"byte[]\",\"(other)\"").contains("\"node\":[1,-1]");
    }

    @Test
    void threadNamesAreLeftOut() throws IOException {
        ExportOptions options = ExportOptions.builder().threadNames(name -> "").build();

        String page = text(new ReportExporter(options), ReportHeaps.after());

        assertThat(unpacked(page, "data")).doesNotContain("importer");
        assertThat(unpacked(page, "export-later")).doesNotContain("importer");
    }

    @Test
    void sectionsOfOthersStandAboveTheViews() throws IOException {
        String section = "<section class=\"hs-doctor\">nothing was found</section>";
        ReportExporter exporter = EXPORTER.titled("Shop").withSection("GC <doctor>", section);

        String page = text(exporter, ReportHeaps.after());

        assertThat(page).contains("<summary>GC &lt;doctor&gt;</summary>\n" + section);
        assertThat(page.indexOf(section))
                .isBetween(page.indexOf("id=\"notes\""), page.indexOf("tablist"));
        assertThat(page).contains(".hs-doctor {", ReportExporter.contentSecurityPolicy());
        assertThat(text(EXPORTER, ReportHeaps.after())).doesNotContain("GC &lt;doctor&gt;");
    }

    @Test
    void isTheFormatOfHtmlFiles() throws IOException {
        assertThat(ExportFormat.ofFileName("leak.html")).contains(ExportFormat.HTML);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ExportFormat.HTML.exporter().export(ReportHeaps.after(), out);
        assertThat(out.toByteArray()).isEqualTo(bytes(EXPORTER, ReportHeaps.after()));
    }
}
