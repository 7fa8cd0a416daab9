// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.export.internal.Exporting;
import io.heapsampler.internal.shared.JsonText;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a reader sees of a diagnosis of heapsampler-doctor, alone and in a report. */
class ReportDoctorTest extends ReportInBrowser {

    private static final String FROM = "2026-01-01T00:00:00Z";
    private static final String TO = "2026-01-01T00:01:40Z";
    private static final String OWN = "com.acme.Sessions.open(Sessions.java:12)";
    private static final String HOSTILE = ReportHeaps.HOSTILE;

    private static Map<String, Object> object(Object... pairs) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            object.put((String) pairs[i], pairs[i + 1]);
        }
        return object;
    }

    private static Map<String, Object> evidence(String name, String text) {
        return object("name", name, "value", 1, "unit", "share", "text", text);
    }

    private static Map<String, Object> site(String name, String at, List<String> stack) {
        return object("class", name, "metric", "live", "text", "64 MiB", "at", at, "stack", stack);
    }

    private static Map<String, Object> finding(
            String id, String severity, String title, Object sites, Object explainedBy) {
        Map<String, Object> finding = object("id", id, "severity", severity, "title", title);
        finding.putAll(object("from", FROM, "to", TO, "collector", "G1, JDK 17"));
        List<Object> shown = List.of(evidence("live", title + " seen"));
        finding.put("evidence", shown);
        finding.put("sites", sites);
        finding.put("callers", List.of());
        finding.put("notFired", List.of(object("id", "gc.x", "why", HOSTILE, "observable", true)));
        finding.put("refuters", List.of(HOSTILE));
        finding.put("explainedBy", explainedBy);
        finding.put("advice", object("kind", "CODE", "text", "bound " + HOSTILE));
        return finding;
    }

    private static Map<String, Object> slo(boolean isMet) {
        Map<String, Object> slo = object("default", true, "met", isMet, "pauseMaxMillis", 200);
        slo.putAll(object("longestPauseMillis", isMet ? 20 : 900, "throughputMin", 0.99));
        slo.putAll(object("throughput", 0.999, "pauses", 3, "pauseMillis", 100));
        slo.putAll(object("minutes", 2, "minutesOver", 0, "worstMinuteMillis", 80));
        slo.putAll(object("heapCommittedMax", 64 << 20, "residentMax", -1));
        return slo;
    }

    private static Map<String, Object> series(int points, double value) {
        Map<String, Object> series = new LinkedHashMap<>();
        for (String name :
                List.of(
                        "heapUsed",
                        "heapCommitted",
                        "oldUsed",
                        "metaspaceUsed",
                        "metaspaceCommitted",
                        "directUsed",
                        "resident",
                        "accounted",
                        "allocationRate",
                        "pauseMillis",
                        "oldPauseMillis",
                        "oldCollections")) {
            series.put(name, Collections.nCopies(points, value));
        }
        series.put("directUsed", Collections.nCopies(points, null));
        return series;
    }

    private static Map<String, Object> diagnosis(
            String verdict, List<Object> findings, int points) {
        Map<String, Object> diagnosis = object("verdict", verdict, "from", FROM, "to", TO);
        diagnosis.put("jvm", object("jdk", 17, "collector", "G1", "maxHeap", 256 << 20));
        diagnosis.put("slo", slo(!findings.isEmpty()));
        diagnosis.put("findings", findings);
        diagnosis.put(
                "checks",
                List.of(
                        object("id", "gc.stall", "why", HOSTILE, "observable", true),
                        object("id", "jni.critical", "why", "not here", "observable", false)));
        Map<String, Object> cause = object("cause", HOSTILE, "meaning", HOSTILE, "pauses", 3);
        cause.putAll(object("pauseMillis", 60, "longestPauseMillis", 20, "cycles", 0));
        cause.putAll(object("cycleMillis", 0, "others", 0));
        diagnosis.put("causes", List.of(cause));
        diagnosis.put("notes", List.of(HOSTILE));
        diagnosis.put(
                "timeline", object("from", FROM, "to", TO, "series", series(points, 1 << 20)));
        return diagnosis;
    }

    private static Map<String, Object> leak() {
        List<String> stack = new ArrayList<>(List.of("java.util.HashMap.resize(HashMap.java)"));
        stack.add(OWN);
        stack.addAll(Collections.nCopies(30, HOSTILE));
        Map<String, Object> cause =
                finding(
                        "leak.growth",
                        "CRITICAL",
                        "The live set grows",
                        List.of(site(HOSTILE, OWN, stack)),
                        null);
        cause.put(
                "evidence",
                List.of(evidence("live", HOSTILE), evidence("sites.explained", "It is 93 %.")));
        Map<String, Object> consequence =
                finding("old.frequent", "INFO", HOSTILE, List.of(), "leak.growth");
        Map<String, Object> other = finding("heap.resize", "INFO", "Pages", List.of(), null);
        return diagnosis("1 warning", List.of(cause, consequence, other), 100);
    }

    private static void openAlone(Object diagnosis) throws IOException {
        Path file = folder.resolve("doctor.html");
        try (OutputStream out = Files.newOutputStream(file)) {
            Exporting.get().writeDiagnosis(JsonText.of(diagnosis), out);
        }
        browser.open(file);
    }

    private static String inLine(String text) {
        return text.strip().replaceAll("\\s+", " ");
    }

    @Test
    void oneAnswerComesFirst() throws IOException {
        openAlone(leak());

        assertThat(browser.text(".answer .eyebrow")).isEqualToIgnoringCase("GC doctor: 1 warning");
        assertThat(browser.text("#doctor h2")).isEqualTo("The live set grows");
        assertThat(browser.text(".answer .place code")).isEqualTo(OWN);
        assertThat(browser.text(".answer")).contains("It is 93 %.", "Try bound");
        assertThat(browser.texts("#facts dd")).contains("G1, JDK 17", "up to 256.0 MiB");
        assertThat(browser.find("h1").getText()).isEqualTo("GC doctor");
    }

    @Test
    void consequencesAreUnderTheirCause() throws IOException {
        openAlone(leak());

        assertThat(browser.texts("article h3")).hasSize(2);
        assertThat(browser.texts("article h3").get(0)).contains("CRITICAL The live set grows");
        assertThat(browser.all("article.critical .consequence")).hasSize(1);
        assertThat(browser.text("article.critical .consequence summary"))
                .isEqualTo("old.frequent " + inLine(HOSTILE));
        assertThat(browser.all("article.info .consequence")).isEmpty();
    }

    /** Stacks are folded, and the application's frame stands out when they are not. */
    @Test
    void sitesBeginWithTheFirstFrameOfTheApplication() throws IOException {
        openAlone(leak());
        assertThat(browser.text("article .site summary code")).isEqualTo(OWN);
        assertThat(browser.find("article .site .stack").isDisplayed()).isFalse();

        browser.click("article .site summary");

        assertThat(browser.text("article .site .stack li.at")).isEqualTo(OWN);
        assertThat(browser.texts("article .site .stack li"))
                .hasSize(25)
                .last()
                .asString()
                .isEqualTo("… 8 more");
    }

    /** Names are text: nothing of them becomes an element, or runs. */
    @Test
    void hostileNamesAreText() throws IOException {
        openAlone(leak());
        browser.run("document.querySelectorAll('details').forEach(each => { each.open = true })");

        assertThat(browser.run("return window.hacked")).isNull();
        assertThat(browser.all("#doctor img, #doctor script, #doctor a")).isEmpty();
        assertThat(browser.run("return document.querySelector('.advice').textContent"))
                .asString()
                .contains(HOSTILE);
        assertThat(browser.texts(".causes td").get(0)).contains("<script>window.hacked=1");
    }

    @Test
    void plotsShowTheSeriesThatAreKnown() throws IOException {
        openAlone(leak());

        assertThat(browser.texts(".plot-title"))
                .containsExactly("Heap", "Pauses", "Allocation per second", "Process", "Metaspace");
        assertThat(browser.all(".plot .shade")).hasSize(5);
        browser.hover(browser.find(".plot svg"));
        assertThat(browser.text(".plot figcaption")).contains("used 1.0 MiB", "00:00:5");
    }

    @Test
    void aMissedObjectiveIsTheVerdictWithoutFindings() throws IOException {
        openAlone(diagnosis("an objective is missed, and no warning explains it", List.of(), 1));

        assertThat(browser.text("#doctor h2"))
                .isEqualTo("An objective is missed, and no warning explains it.");
        assertThat(browser.all("article")).isEmpty();
        assertThat(browser.texts(".slo .missed dt")).containsExactly("Longest pause");
        assertThat(browser.text("#doctor")).contains("too short for plots");
    }

    @Test
    void aloneThereIsNothingOfSamples() throws IOException {
        openAlone(leak());

        assertThat(browser.find(".toolbar").isDisplayed()).isFalse();
        assertThat(browser.find("#notes").isDisplayed()).isFalse();
        assertThat(browser.find(".columns").isDisplayed()).isFalse();
        browser.click("[data-theme-choice=dark]");
        assertThat(browser.find("html").getAttribute("data-theme")).isEqualTo("dark");
    }

    @Test
    void aReportHasTheAnswerAboveItsFiguresAndTheRestFolded() {
        ExportOptions options = ExportOptions.builder().diagnosis(JsonText.of(leak())).build();
        browser.open(ExportFormat.HTML.with(options), ReportHeaps.after());

        assertThat(browser.find(".answer").isDisplayed()).isTrue();
        assertThat(browser.find("article").isDisplayed()).isFalse();
        assertThat(browser.find("#tab-flame").isDisplayed()).isTrue();
        browser.click("#doctor .rest > summary");
        assertThat(browser.find("article").isDisplayed()).isTrue();
        assertThat(browser.text("h1")).isEqualTo("Heap report");
    }

    @Test
    void aReportWithoutADiagnosisHasNoSection() {
        openSingle();

        assertThat(browser.find("#doctor").isDisplayed()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"no JSON", "null", "{}", "[7]", "{\"findings\":[{}],\"slo\":1}"})
    void somethingElseInPlaceOfADiagnosisLeavesTheReport(String other) {
        ExportOptions options = ExportOptions.builder().diagnosis(other).build();
        browser.open(ExportFormat.HTML.with(options), ReportHeaps.after());

        assertThat(browser.text("#doctor")).contains("cannot be read");
        assertThat(browser.find("#tab-flame").isDisplayed()).isTrue();
    }
}
