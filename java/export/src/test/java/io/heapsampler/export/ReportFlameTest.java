// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** The flame graph of a report, and what narrows it: metric, search, packages. */
class ReportFlameTest extends ReportInBrowser {

    @Test
    void switchesTheMetric() {
        openSingle();
        assertThat(browser.frames()).contains("Main.main", "Cart.add", "Session.open", "Object[]");
        double allocated = browser.width("Cart.add");

        browser.keys("2");

        assertThat(browser.frames()).contains("Cart.add").doesNotContain("Session.open");
        assertThat(browser.width("Cart.add") / browser.width("all"))
                .isBetween(0.55, 0.56); // 1.25 of 2.25
        assertThat(allocated / browser.width("all")).isBetween(0.56, 0.58); // 4 of 7
        assertThat(browser.find("input[value=live-bytes]").isSelected()).isTrue();
        browser.click(".tile:nth-child(3)");
        assertThat(browser.find("input[value=allocated-objects]").isSelected()).isTrue();
        browser.keys("s");
        assertThat(browser.column("sites", "main")).containsExactly("64", "32", "16");
        browser.keys("4");
        assertThat(browser.column("sites", "main")).containsExactly("20", "16", "0");
    }

    @Test
    void tooltipHasValueErrorAndShare() {
        openSingle();

        browser.hover(browser.frame("Cart.add"));

        assertThat(browser.text("#tooltip"))
                .contains("com.acme.cart.Cart.add", "4.0 MiB ± 401.4 KiB", "(95 %), 80 samples")
                .contains("57.1 %")
                .contains("live share", "31.3 %");
    }

    @Test
    void zoomsInAndOutWithTheMouse() {
        openSingle();

        browser.frame("Index.load").click();

        assertThat(browser.frames())
                .contains("Index.load", "ArrayList.grow")
                .doesNotContain("Cart.add");
        assertThat(browser.width("Index.load")).isEqualTo(browser.width("all"));
        assertThat(browser.text("#details")).contains("com.acme.index.Index.load", "2.0 MiB");
        browser.click("#zoom-out");
        assertThat(browser.frames()).contains("Cart.add");
    }

    @Test
    void worksWithoutAMouse() {
        openSingle();
        browser.run("document.querySelector('#flame .frame[tabindex=\"0\"]').focus()");

        browser.keys(Keys.ARROW_UP, Keys.ARROW_UP);

        assertThat(browser.focused().getText()).isEqualTo("Cart.add");
        assertThat(browser.focused().getAttribute("aria-label"))
                .startsWith("com.acme.cart.Cart.add, 4.0")
                .endsWith("of all");
        assertThat(browser.text("#tooltip")).contains("com.acme.cart.Cart.add");
        browser.keys(Keys.ARROW_RIGHT);
        assertThat(browser.focused().getText()).isEqualTo("Index.load");
        browser.keys(Keys.ENTER);
        assertThat(browser.frames()).doesNotContain("Cart.add");
        assertThat(browser.focused().getText()).isEqualTo("Index.load");
        browser.keys(Keys.ESCAPE);
        assertThat(browser.focused().getText()).isEqualTo("Main.main");
        browser.keys(Keys.HOME);
        assertThat(browser.frames()).contains("Cart.add");
        browser.keys("s");
        browser.run("document.querySelector('#sites tr[tabindex=\"0\"]').focus()");
        browser.keys(Keys.ARROW_DOWN, Keys.ENTER);
        assertThat(browser.text("#details h2")).isEqualTo("java.lang.Object[]");
        browser.keys("?");
        assertThat(browser.text("#help")).contains("choose the metric");
        browser.keys(Keys.ESCAPE);
        assertThat(browser.find("#help").isDisplayed()).isFalse();
    }

    @Test
    void searchMarksFramesAndFiltersTables() {
        openSingle();

        browser.keys("/");
        browser.keys("index.L");
        String found = "found at 1 sites: 2.0 MiB, 28.6 %";
        browser.until(() -> browser.text("#status").equals(found));

        assertThat(browser.texts("#flame .matched")).containsExactly("Index.load");
        assertThat(browser.texts("#flame .dimmed")).contains("Cart.add", "all");
        browser.keys(Keys.ESCAPE);
        browser.keys("s");
        assertThat(browser.column("sites", "site")).containsExactly("Index.load:11");
        browser.keys("c");
        assertThat(browser.text("#classes-empty")).isEqualTo("No class is found.");
    }

    @Test
    void packagesAreFilteredAndLeftOut() {
        openSingle();
        browser.keys("p");
        browser.keys("com.acme.cart");
        String passing = "1 of 3 sites pass the filter";
        browser.until(() -> browser.text("#status").equals(passing));

        assertThat(browser.frames()).contains("Cart.add").doesNotContain("Index.load");
        assertThat(browser.text(".tile .value")).isEqualTo("4.0 MiB");
        browser.find("#packages").clear();
        browser.find("#packages").sendKeys("-com.acme.cart");
        browser.until(() -> browser.text("#status").startsWith("2 of 3"));
        assertThat(browser.frames()).contains("Index.load").doesNotContain("Cart.add");
    }

    @Test
    void jdkFramesCanBeFolded() {
        openSingle();

        browser.click("#jdk");

        assertThat(browser.frames())
                .contains("Index.load", "Object[]")
                .doesNotContain("ArrayList.grow");
    }

    @Test
    void iciclesHangAndReversedStacksBeginWithClasses() {
        openSingle();
        assertThat(top("all")).isGreaterThan(top("Main.main"));

        browser.keys("i");

        assertThat(top("all")).isLessThan(top("Main.main"));
        browser.keys("r");
        assertThat(top("Object[]")).isLessThan(top("ArrayList.grow"));
        assertThat(top("ArrayList.grow")).isLessThan(top("Index.load"));
    }

    /** In a window so low that only a part of the stacks fits. */
    @Test
    void theRootIsInSightWhicheverWayStacksGrow() {
        browser.open(SINGLE, ReportHeaps.large(300));
        assertThat(isInSight("all")).isTrue();

        browser.keys("i");
        assertThat(isInSight("all")).isTrue();
        browser.keys("i");

        assertThat(isInSight("all")).isTrue();
    }

    private static boolean isInSight(String label) {
        return (Boolean)
                browser.run(
                        "const frame = arguments[0].getBoundingClientRect();const box ="
                                + " document.getElementById('flame').getBoundingClientRect();return"
                                + " frame.top >= box.top - 1 && frame.bottom <= box.bottom + 1",
                        browser.frame(label));
    }

    private static int top(String label) {
        return browser.frame(label).getRect().getY();
    }

    @Test
    void coloursTellAgeAndLife() {
        openSingle();
        browser.run(
                "const s = document.getElementById('colours');"
                        + "s.value = 'age'; s.dispatchEvent(new Event('change'))");

        // 95 of 100 s, 20 of 100 s, and nothing alive
        assertThat(colour("Object[]")).isNotEqualTo(colour("byte[]"));
        assertThat(browser.frame("Session").getAttribute("class")).contains("none");
        assertThat(browser.text("#legend")).contains("100 ms", "1.7 min, the whole recording");
        browser.run(
                "const s = document.getElementById('colours');"
                        + "s.value = 'life'; s.dispatchEvent(new Event('change'))");
        assertThat(colour("Session")).isEqualTo("rgba(141, 153, 168, 1)"); // all dead
        assertThat(browser.text("#legend")).contains("all dead", "all alive");
    }
}
