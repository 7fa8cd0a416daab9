// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.SnapshotFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A report on samples with labels: a table by value, a filter, and stacks grouped by value. */
class ReportLabelsTest extends ReportInBrowser {

    private static void openLabelled() {
        browser.open(SINGLE, ReportHeaps.labelled());
    }

    private static void choose(String select, String option) {
        browser.run(
                "const select = document.getElementById(arguments[0]);select.value ="
                        + " [...select.options].find(each => each.text ==="
                        + " arguments[1]).value;select.dispatchEvent(new Event('change'));",
                select,
                option);
    }

    @Test
    void withoutLabelsThereIsNeitherTableNorFilter() {
        openSingle();

        assertThat(browser.find("#tab-labels").isDisplayed()).isFalse();
        assertThat(browser.find("#label-filter").isDisplayed()).isFalse();
        assertThat(browser.find("#group-by").isDisplayed()).isFalse();
        browser.keys("l");
        assertThat(browser.find("#view-flame").isDisplayed()).isTrue();
        assertThat(browser.text("#details")).doesNotContain("By ");
    }

    @Test
    void eachKeyHasATableOfItsValues() {
        openLabelled();
        browser.keys("l");

        assertThat(browser.column("labels", "class"))
                .containsExactly("GET /orders", "(none)", "GET /carts", "(other)");
        assertThat(browser.column("labels", "main"))
                .containsExactly("4.0 MiB", "2.0 MiB", "1.0 MiB", "1.0 MiB");
        assertThat(browser.column("labels", "error").get(0)).isEqualTo("401.4 KiB");
        assertThat(browser.column("labels", "figure"))
                .containsExactly("1.3 MiB", "1.0 MiB", "256.0 KiB", "0 B");

        choose("label-key", "tenant");

        assertThat(browser.column("labels", "class")).containsExactly("acme", "(none)", "(other)");
        assertThat(browser.column("labels", "main")).startsWith("5.0 MiB");
    }

    @Test
    void labelsDoNotSplitTheOtherTables() {
        openLabelled();

        assertThat(browser.texts(".tile .value"))
                .containsExactly("8.0 MiB", "2.5 MiB", "128", "40");
        browser.keys("s");
        assertThat(browser.column("sites", "main"))
                .containsExactly("5.0 MiB", "2.0 MiB", "1.0 MiB");
        browser.keys("c");
        assertThat(browser.column("classes", "main"))
                .containsExactly("5.0 MiB", "2.0 MiB", "1.0 MiB");
    }

    @Test
    void aFilterLeavesTheSamplesOfOneValueInAllViews() {
        openLabelled();

        choose("label-filter", "GET /carts");

        assertThat(browser.text("#status"))
                .contains("only endpoint = GET /carts", "1 of 3 sites pass the filter");
        assertThat(browser.texts(".tile .value"))
                .containsExactly("1.0 MiB", "256.0 KiB", "16", "4");
        assertThat(browser.frames()).contains("Cart.add").doesNotContain("Session.open");
        assertThat(browser.text("#details")).contains("Lifetimes", "age at death");
        browser.keys("s");
        assertThat(browser.column("sites", "main")).containsExactly("1.0 MiB");
        assertThat(browser.column("sites", "narrow")).contains("1.5 min");
        choose("label-filter", "All labels");
        assertThat(browser.column("sites", "main")).hasSize(3);
    }

    @Test
    void stacksAreGroupedByValue() {
        openLabelled();

        choose("group-by", "endpoint");

        assertThat(browser.frames())
                .contains("GET /orders", "GET /carts", "(none)", "(other)", "Cart.add");
        double all = browser.width("all");
        assertThat(browser.width("GET /orders") / all).isBetween(0.48, 0.52);
        assertThat(browser.text("#legend")).contains("label endpoint");
        browser.frame("GET /carts").click();
        assertThat(browser.text("#details h2")).isEqualTo("GET /carts");
        assertThat(browser.text("#details .figures")).contains("1.0 MiB", "256.0 KiB");
        choose("group-by", "nothing");
        assertThat(browser.frames()).doesNotContain("GET /orders");
    }

    @Test
    void aSelectedValueCanBecomeTheFilter() {
        openLabelled();
        assertThat(browser.text("#details")).contains("By endpoint", "GET /orders");
        browser.keys("l");

        browser.click("#labels tbody tr:nth-child(2)");

        assertThat(browser.text("#details")).contains("LABEL ENDPOINT", "1.3 MiB");
        browser.click("#details .button");
        assertThat(browser.text("#status")).contains("only endpoint = GET /orders");
        assertThat(browser.find("#label-filter").getAttribute("value")).isEqualTo("0 1");
    }

    @Test
    void changesAreShownByValue() {
        SnapshotFormat diff =
                ExportFormat.HTML.with(
                        ExportOptions.builder()
                                .metric(HeapMetric.LIVE_BYTES)
                                .comparedWith(ReportHeaps.before())
                                .build());
        browser.open(diff, ReportHeaps.labelled());
        browser.keys("l");

        // Before, the cart had 0.25 MiB and the index 2 MiB alive, all without labels.
        assertThat(browser.column("labels", "class"))
                .containsExactly("GET /orders", "GET /carts", "(none)");
        assertThat(browser.column("labels", "main"))
                .containsExactly("+1.3 MiB", "+256.0 KiB", "\u22121.3 MiB");
    }

    @Test
    void oddTextsAreOnlyTexts() {
        browser.open(SINGLE, ReportHeaps.hostileLabels());
        browser.keys("l");
        choose("group-by", "__proto__");

        assertThat(browser.run("return window.hacked")).isNull();
        assertThat(browser.all("#labels img, #details img, script[src]")).isEmpty();
        assertThat(browser.all("#label-key option")).hasSize(2);
        assertThat(browser.column("labels", "class")).contains("constructor", "(none)");
    }

    @Test
    void narrowWindowsNeedNoScrollingSideways() {
        openLabelled();

        browser.resize(800, 700);

        browser.until(() -> (Boolean) browser.run("return innerWidth <= 800"));
        for (String view : List.of("l", "f")) {
            browser.keys(view);
            assertThat(browser.run("return document.documentElement.scrollWidth <= innerWidth"))
                    .isEqualTo(true);
        }
    }
}
