// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.SnapshotFormat;
import io.heapsampler.export.internal.Exporting;
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

    private static final ExportFormat HTML = ExportFormat.HTML;

    private static byte[] bytes(SnapshotFormat format, HeapSnapshot snapshot) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        snapshot.writeTo(out, format);
        return out.toByteArray();
    }

    private static String text(SnapshotFormat format, HeapSnapshot snapshot) throws IOException {
        return new String(bytes(format, snapshot), StandardCharsets.UTF_8);
    }

    private static String policy() {
        return ExportFormat.HTML.contentSecurityPolicy().orElseThrow();
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
        String page = text(HTML, ReportHeaps.after());
        String style = page.substring(page.indexOf("<style>") + 7, page.indexOf("</style>"));
        int begin = page.indexOf("<script>") + 8;
        String script = page.substring(begin, page.indexOf("</script>", begin));

        assertThat(policy())
                .startsWith("default-src 'none'; ")
                .contains("script-src " + hash(script) + ";", "style-src " + hash(style) + ";");
        assertThat(page).contains("content=\"" + policy() + "\"");
    }

    @Test
    void loadsNothingAndHasNoHandlers() throws IOException {
        String page = text(HTML, ReportHeaps.after());

        assertThat(page).doesNotContain("src=\"", "@import", "url(", "eval(", "new Function");
        assertThat(page)
                .doesNotContainPattern("<[^>]+ on[a-z]+=")
                .doesNotContainPattern("<[^>]+ style=");
        assertThat(Pattern.compile("href=\"(?!data:|#)").matcher(page).find()).isFalse();
    }

    @Test
    void carriesTheLicencesOfItsLibraries() throws IOException {
        assertThat(text(HTML, ReportHeaps.after()))
                .contains(
                        "d3-hierarchy", "d3-selection", "Mike Bostock", "Permission to use, copy");
    }

    @Test
    void equalSnapshotsGiveEqualBytes() throws IOException {
        assertThat(bytes(HTML, ReportHeaps.large(300)))
                .isEqualTo(bytes(HTML, ReportHeaps.large(300)));
    }

    @Test
    void tenThousandSitesTakeAtMostFiveMebibytes() throws IOException {
        assertThat(bytes(HTML, ReportHeaps.large(10_000)).length).isLessThan(5 << 20);
    }

    @Test
    void sitesBeyondTheLimitAreOne() throws IOException {
        ExportOptions options = ExportOptions.builder().maxSites(2).build();

        String data = unpacked(text(ExportFormat.HTML.with(options), ReportHeaps.after()), "data");

        assertThat(data).contains("\"names\":[\"byte[]\",\"(other)\"").contains("\"node\":[1,-1]");
    }

    @Test
    void threadNamesAreLeftOut() throws IOException {
        ExportOptions options = ExportOptions.builder().threadNames(name -> "").build();

        String page = text(ExportFormat.HTML.with(options), ReportHeaps.after());

        assertThat(unpacked(page, "data")).doesNotContain("importer");
        assertThat(unpacked(page, "export-later")).doesNotContain("importer");
    }

    @Test
    void aDiagnosisIsInTheFileAsData() throws IOException {
        String json = "{\"title\":\"</script><b>\u2028\"}";
        ExportOptions options = ExportOptions.builder().diagnosis(json).build();

        String page = text(HTML.with(options), ReportHeaps.after());

        assertThat(unpacked(page, "diagnosis")).isEqualTo(json);
        assertThat(page).contains(policy()).contains("<body class=\"samples\">");
        assertThat(text(HTML, ReportHeaps.after())).doesNotContain("id=\"diagnosis\"");
    }

    @Test
    void aDiagnosisAloneHasTheSamePageAndPolicy() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Exporting.get().writeDiagnosis("{}", out);
        String page = out.toString(StandardCharsets.UTF_8);

        assertThat(unpacked(page, "diagnosis")).isEqualTo("{}");
        assertThat(page)
                .contains(policy(), "<body class=\"no-samples\">")
                .doesNotContain("id=\"data\"");
    }

    @Test
    void theTitleIsInTheData() throws IOException {
        SnapshotFormat shop = ExportFormat.HTML.with(ExportOptions.builder().title("Shop").build());

        assertThat(unpacked(text(shop, ReportHeaps.after()), "data")).contains("\"Shop\"");
        assertThat(unpacked(text(HTML, ReportHeaps.after()), "data")).contains("\"Heap report\"");
    }

    @Test
    void aComparisonHasBothSnapshots() throws IOException {
        ExportOptions options = ExportOptions.builder().comparedWith(ReportHeaps.before()).build();

        String page = text(ExportFormat.HTML.with(options), ReportHeaps.after());

        assertThat(unpacked(page, "export-earlier"))
                .isEqualTo(Heaps.text(ExportFormat.JSON, ReportHeaps.before()));
        assertThat(unpacked(page, "export-later"))
                .isEqualTo(Heaps.text(ExportFormat.JSON, ReportHeaps.after()));
        assertThat(text(HTML, ReportHeaps.after())).doesNotContain("id=\"export-earlier\"");
    }
}
