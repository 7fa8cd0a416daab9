// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.SnapshotFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/** What a reader of a report sees of holders. */
class ReportHoldersTest extends ReportInBrowser {

    private static final String MAP = "static field com.acme.Shop.open";
    private static final String TAB = "#tab-holders";

    private static void openHeld(String hostile) {
        browser.open(SINGLE, HeldHeaps.held(hostile));
    }

    private static WebElement frame(String label) {
        return browser.all("#holders-flame .frame").stream()
                .filter(each -> each.getText().equals(label))
                .findFirst()
                .orElseThrow(() -> new AssertionError(label + " is no frame"));
    }

    private static double width(String label) {
        return frame(label).getRect().getWidth();
    }

    @Test
    void withoutHoldersThereIsNoTab() {
        openSingle();

        assertThat(browser.find(TAB).isDisplayed()).isFalse();
        browser.keys("h");
        assertThat(browser.find("#view-flame").isDisplayed()).isTrue();
    }

    @Test
    void namesOfThreadsThatAreReplacedHideHolders() {
        SnapshotFormat nameless =
                ExportFormat.HTML.with(ExportOptions.builder().threadNames(name -> "").build());
        browser.open(nameless, HeldHeaps.held("odd"));

        assertThat(browser.find(TAB).isDisplayed()).isFalse();
        assertThat(browser.all("#holders")).isEmpty();
    }

    @Test
    void theGraphHasRootsOnTopAndWidthsOfHeldBytes() {
        openHeld("odd");
        browser.click(TAB);

        double all = width("all");
        assertThat(width(MAP) / all).isBetween(0.48, 0.52);
        assertThat(width("value in HashMap")).isEqualTo(width(MAP));
        assertThat(width("no holder: only weak references") / all).isBetween(0.15, 0.18);
        assertThat(frame("all").getRect().getY()).isLessThan(frame(MAP).getRect().getY());
        assertThat(browser.text("#holders-head")).contains("5.9 KiB", "of live objects");
    }

    @Test
    void aClickZoomsAndEscapeLeavesIt() {
        openHeld("odd");
        browser.keys("h");
        double all = width("all");

        frame("value in HashMap").click();
        assertThat(width("value in HashMap")).isEqualTo(all);
        browser.keys(Keys.ARROW_UP, Keys.ENTER);
        assertThat(width(MAP)).isEqualTo(all);
        browser.keys(Keys.ESCAPE);
        assertThat(width(MAP) / all).isBetween(0.48, 0.52);
    }

    @Test
    void theTreeHasTheSameHoldersAndOpens() {
        openHeld("odd");
        browser.click(TAB);

        List<String> roots = browser.texts("#holders-tree > li > :first-child .holder");
        assertThat(roots).startsWith(MAP).contains("no holder: only weak references");
        assertThat(browser.text("#holders-tree"))
                .contains(
                        "value in HashMap",
                        "byte[] allocated at com.acme.Shop.put(Source.java:12)",
                        "50.0 %");
        browser.click("#holders-tree > li summary");
        assertThat(browser.find("#holders-tree > li details ul").isDisplayed()).isFalse();
    }

    @Test
    void theChosenMetricAndTheSearchApply() {
        openHeld("odd");
        browser.click(TAB);
        browser.keys("4");
        assertThat(browser.text("#holders-head")).startsWith("6 exact of live objects");

        browser.keys("/", "hashmap");
        browser.until(() -> !browser.all("#holders-flame .matched").isEmpty());
        assertThat(browser.texts("#holders-flame .matched")).containsExactly("value in HashMap");
    }

    @Test
    void namesAreTextAndNeverMarkup() {
        openHeld(Heaps.HOSTILE);
        browser.click(TAB);

        assertThat(browser.text("#holders-tree")).contains("</script><script>");
        assertThat(browser.run("return document.querySelectorAll('#view-holders script').length"))
                .isEqualTo(0L);
    }

    @Test
    void narrowWindowHasNoScrollBarBelow() {
        for (String scheme : List.of("light", "dark")) {
            browser.prefer(scheme);
            browser.resize(420, 900);
            openHeld("odd");
            browser.click(TAB);
            assertThat(
                            browser.run(
                                    "return document.documentElement.scrollWidth"
                                            + " - document.documentElement.clientWidth"))
                    .isEqualTo(0L);
        }
    }
}
