// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.Note;
import io.heapsampler.SamplingStrategy;
import io.heapsampler.SnapshotFormat;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.JavascriptException;
import org.openqa.selenium.Keys;

/** What a reader of a report sees and does beside the flame graph. */
class ReportPageTest extends ReportInBrowser {

    private static final SnapshotFormat DIFF =
            ExportFormat.HTML.with(
                    ExportOptions.builder()
                            .metric(HeapMetric.LIVE_BYTES)
                            .comparedWith(ReportHeaps.before())
                            .build());

    private static void openDiff() {
        browser.open(DIFF, ReportHeaps.after());
    }

    @Test
    void showsTheDescriptionOfTheRecording() {
        openSingle();

        assertThat(browser.text("h1")).isEqualTo("Shop");
        assertThat(browser.texts("#facts dd"))
                .containsExactly(
                        "2026-01-01 00:01:40 UTC",
                        "1.7 min",
                        "512.0 KiB",
                        "G1, 6 collections",
                        "as of the last collection");
    }

    @Test
    void tellsByWhatItWasSampled() {
        browser.open(SINGLE, ReportHeaps.with(SamplingStrategy.Kind.BYTES, 0, 0));
        assertThat(browser.texts("#facts dd").get(2)).isEqualTo("every allocation");
        browser.open(SINGLE, ReportHeaps.with(SamplingStrategy.Kind.ALLOCATIONS, 10_000, 0));
        assertThat(browser.texts("#facts dd").get(2)).isEqualTo("one in 10000 allocations");
        browser.open(SINGLE, ReportHeaps.with(SamplingStrategy.Kind.TIME, 10_000, 524_288));
        assertThat(browser.texts("#facts dd").get(2))
                .isEqualTo("512.0 KiB, at most one per PT0.01S");
    }

    @Test
    void showsFourMetricsWithTheirErrors() {
        openSingle();

        assertThat(browser.texts(".tile .value"))
                .containsExactly("7.0 MiB", "2.3 MiB", "112", "36");
        // The root of the sum of the squares of 5 % of 4, 2 and 1 MiB, times 1.96.
        assertThat(browser.texts(".tile .error").get(0)).contains("± 459.9 KiB", "140 samples");
        assertThat(browser.texts(".tile .error").get(1)).contains("exact", "36 samples");
    }

    @Test
    void tablesAreSortedByTheirHeads() {
        openSingle();
        browser.keys("s");
        assertThat(browser.column("sites", "main"))
                .containsExactly("4.0 MiB", "2.0 MiB", "1.0 MiB");
        assertThat(browser.column("sites", "error").get(0)).isEqualTo("401.4 KiB");

        browser.click("#sites th.class button");

        assertThat(browser.find("#sites th.class").getAttribute("aria-sort"))
                .isEqualTo("ascending");
        assertThat(browser.column("sites", "class"))
                .extracting(text -> text.split("\\s")[0])
                .containsExactly("byte[]", "Object[]", "Session");
        browser.click("#sites th.class button");
        assertThat(browser.column("sites", "class").get(0)).startsWith("Session");
        browser.click("#sites th.main button");
        browser.click("#sites th.main button");
        assertThat(browser.column("sites", "main"))
                .containsExactly("1.0 MiB", "2.0 MiB", "4.0 MiB");
    }

    @Test
    void classesAndThreadsHaveTables() {
        openSingle();

        browser.click("#tab-classes");
        assertThat(browser.column("classes", "class")).hasSize(3);
        browser.click("#tab-threads");

        assertThat(browser.column("threads", "class"))
                .containsExactlyInAnyOrder("main", "importer");
        browser.click("#threads tbody tr[role=row]");
        assertThat(browser.text("#details")).contains("THREAD", "not by site");
    }

    @Test
    void lifetimesOfASiteAreShown() {
        openSingle();
        browser.keys("s");

        browser.click("#sites tbody tr:nth-child(4)"); // behind the space: the third site

        assertThat(browser.text("#details h2")).isEqualTo("com.acme.Session");
        assertThat(browser.text("#details")).contains("Half of the dead: less than 8 ms.");
        assertThat(browser.text(".stack"))
                .contains("com.acme.Session.open(Source.java:3)", "cut here");
        assertThat(browser.all(".bucket[title='4\u00a0ms to 8\u00a0ms: 16 dead, 0 alive']"))
                .hasSize(1);
        browser.click("[data-ages]:not([aria-pressed=true])");
        assertThat(browser.all(".bucket[title='0 collections: 16 dead, 0 alive']")).hasSize(1);
    }

    @Test
    void tenThousandSitesAreScrolledThrough() {
        browser.open(SINGLE, ReportHeaps.large(10_000));
        browser.keys("s");
        assertThat(browser.find("#sites table").getAttribute("aria-rowcount")).isEqualTo("10001");
        assertThat(browser.all("#sites tbody tr").size()).isLessThan(100);

        browser.run("document.querySelector('#sites tr[tabindex=\"0\"]').focus()");
        browser.keys(Keys.END);

        assertThat(browser.focused().getAttribute("aria-rowindex")).isEqualTo("10001");
    }

    @Test
    void notesAndDropsAreShown() {
        openSingle();

        assertThat(browser.text("#notes-summary"))
                .endsWith("31 samples dropped, folded or shortened");
        browser.click("#notes-summary");

        assertThat(browser.text(".drops")).contains("31", "STACKS_FULL", "no room for all of it");
        assertThat(browser.texts("#notes-body li"))
                .containsAll(ReportHeaps.after().notes().stream().map(Note::text).toList());
    }

    @Test
    void differencesAreRedAndBlue() {
        openDiff();

        assertThat(browser.texts(".tile .value").subList(0, 2)).containsExactly("+4.0 MiB", "0 B");
        String grown = browser.frame("Cart.add").getAttribute("aria-label");
        assertThat(grown).contains("+1.0").contains("grew; its own 95\u00a0% bounds do not hold 0");
        String[] red = colour("Cart.add").split("[(,)]");
        String[] blue = colour("Index.load").split("[(,)]");
        assertThat(red(red)).isGreaterThan(blue(red) + 50);
        assertThat(blue(blue)).isGreaterThan(red(blue) + 50);
        assertThat(browser.width("Cart.add"))
                .isEqualTo(browser.width("Index.load")); // +1 and -1 MiB
        browser.keys("s");
        assertThat(browser.column("sites", "main")).containsExactly("+1.0 MiB", "\u22121.0 MiB");
        assertThat(browser.column("sites", "sure")).containsExactly("yes", "yes");
        browser.keys("x");
        assertThat(browser.column("sites", "main")).containsExactly("2.0 MiB", "256.0 KiB");
        browser.keys("x");
        assertThat(browser.column("sites", "main")).containsExactly("1.3 MiB", "1.0 MiB", "0 B");
    }

    private static int red(String[] rgb) {
        return Integer.parseInt(rgb[1].trim());
    }

    private static int blue(String[] rgb) {
        return Integer.parseInt(rgb[3].trim());
    }

    @Test
    void darkAndLightFollowTheSystemUntilChosen() {
        browser.prefer("dark");
        openSingle();
        String dark = browser.find("body").getCssValue("background-color");

        browser.click("[data-theme-choice=light]");

        String light = browser.find("body").getCssValue("background-color");
        assertThat(dark).isEqualTo("rgba(17, 21, 27, 1)");
        assertThat(light).isEqualTo("rgba(244, 246, 248, 1)");
        browser.keys("d");
        assertThat(browser.find("body").getCssValue("background-color")).isEqualTo(dark);
        browser.click("[data-theme-choice=system]");
        browser.prefer("light");
        assertThat(browser.find("body").getCssValue("background-color")).isEqualTo(light);
    }

    @Test
    void namesStayText() {
        browser.open(
                ExportFormat.HTML.with(ExportOptions.builder().title(ReportHeaps.HOSTILE).build()),
                ReportHeaps.hostile());

        assertThat(browser.run("return document.title")).isEqualTo(strip(ReportHeaps.HOSTILE));
        for (String view : List.of("s", "c", "t", "f")) {
            browser.keys(view);
            assertThat(browser.run("return window.hacked")).isNull();
            assertThat(browser.all("#title *, .list img, .list script, #flame img, #flame script"))
                    .isEmpty();
        }
        browser.keys("s");
        browser.click("#sites tbody tr[role=row]");
        assertThat(browser.run("return document.querySelector('#details h2').textContent"))
                .isEqualTo(ReportHeaps.HOSTILE);
        browser.keys("t");
        assertThat(browser.run("return document.querySelector('#threads td').textContent"))
                .isEqualTo(ReportHeaps.HOSTILE);
    }

    /** A browser strips and collapses white space of a title. */
    private static String strip(String text) {
        return text.replaceAll("[\\r\\n\\t ]+", " ").replaceAll(" $", "");
    }

    @Test
    void policyLetsNothingElseRun() {
        openSingle();

        assertThat(browser.find("meta[http-equiv]").getAttribute("content"))
                .isEqualTo(ExportFormat.HTML.contentSecurityPolicy().orElseThrow())
                .doesNotContain("unsafe");
        browser.run(
                "window.violated = [];"
                        + "document.addEventListener('securitypolicyviolation',"
                        + " event => window.violated.push(event.effectiveDirective));"
                        + "const image = document.createElement('img');"
                        + "image.src = 'http://192.0.2.1/x.png';"
                        + "document.body.append(image);"
                        + "fetch('http://192.0.2.1/').catch(() => 0);");
        browser.until(() -> ((List<?>) browser.run("return window.violated")).size() >= 2);

        assertThat((List<?>) browser.run("return window.violated"))
                .map(Object::toString)
                .contains("img-src", "connect-src");
        assertThatExceptionOfType(JavascriptException.class)
                .isThrownBy(() -> browser.run("document.body.innerHTML = '<b>x</b>'"))
                .withMessageContaining("TrustedHTML");
        assertThatExceptionOfType(JavascriptException.class)
                .isThrownBy(() -> browser.run("document.body.setAttribute('onclick', 'x()')"))
                .withMessageContaining("TrustedScript");
        assertThat(browser.complaints()).isNotEmpty();
        openSingle(); // and discard the complaints of this page
    }

    @Test
    void dataAreInsideForDownload() throws IOException {
        openDiff();
        browser.click("#downloads summary");

        browser.click("[data-download=json]");
        browser.click("[data-download=earlier]");
        browser.click("[data-download=collapsed]");

        ExportOptions options = ExportOptions.builder().metric(HeapMetric.LIVE_BYTES).build();
        assertThat(downloaded("heap-2026-01-01-00-01-40.json"))
                .isEqualTo(json(ReportHeaps.after(), options));
        assertThat(downloaded("heap-2026-01-01-00-01-00.json"))
                .isEqualTo(json(ReportHeaps.before(), options));
        assertThat(downloaded("heap-2026-01-01-00-01-40-live-bytes-change.collapsed"))
                .isEqualTo(
                        """
                        com.acme.Main.main;com.acme.cart.Cart.add;byte[] 1048576
                        com.acme.Main.main;com.acme.index.Index.load;java.util.ArrayList.grow;java.lang.Object[] -1048576
                        """);
    }

    private static String downloaded(String name) throws IOException {
        Path file = folder.resolve(name);
        browser.until(() -> Files.exists(file));
        return Files.readString(file);
    }

    private static String json(HeapSnapshot snapshot, ExportOptions options) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new JsonExporter(options).export(snapshot, out);
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void narrowWindowsNeedNoScrollingSideways() {
        openSingle();

        browser.resize(800, 700);

        browser.until(() -> (Boolean) browser.run("return innerWidth <= 800"));
        for (String view : List.of("s", "c", "t", "f")) {
            browser.keys(view);
            assertThat(browser.run("return document.documentElement.scrollWidth <= innerWidth"))
                    .isEqualTo(true);
        }
    }

    @Test
    void emptySnapshotSaysSo() {
        browser.open(SINGLE, ReportHeaps.empty());

        assertThat(browser.text("#flame-empty")).startsWith("Nothing to show");
        for (String view : List.of("s", "c", "t")) {
            browser.keys(view);
        }
        assertThat(browser.text("#threads-empty")).isEqualTo("No thread is found.");
    }

    /** As scripts and password managers do: within the pause that waits for more typing. */
    @Test
    void twoFieldsThatAreEditedAtOnceBothCount() {
        openSingle();
        browser.run(
                "for (const id of ['search', 'packages']) {"
                        + " const field = document.getElementById(id);"
                        + " field.value = 'a';"
                        + " field.dispatchEvent(new Event('input'));"
                        + "}");

        browser.until(
                () ->
                        browser.text("#status").contains("pass the filter")
                                && browser.text("#status").contains("found at"));
    }
}
