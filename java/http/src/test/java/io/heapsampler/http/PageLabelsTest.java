// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.acme.Allocations;
import io.heapsampler.HeapLabels;
import io.heapsampler.HeapSampler;
import io.heapsampler.SnapshotOptions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Figures by label on the page of a running application. */
class PageLabelsTest extends PageCase {

    /** Has to be escaped in an address, and must not become markup. */
    private static final String ODD = "<b>a&b=c +%</b>";

    private final List<Object> kept = new ArrayList<>();

    private void openWithLabels() throws Exception {
        FakeSource.sampledAnew();
        HeapLabels orders = HeapLabels.of("endpoint", "GET /orders");
        orders.and("tenant", "acme").run(() -> keep(8_000));
        orders.and("tenant", ODD).run(() -> keep(4_000));
        HeapSampler.snapshot(SnapshotOptions.afterGc());
        open();
        browser.until(() -> browser.all("#label-values tbody tr").size() == 2);
    }

    private void keep(int count) {
        for (int i = 0; i < count; i++) {
            kept.add(Allocations.bytes(1024));
        }
    }

    @AfterEach
    void forget() {
        kept.clear();
        HeapSampler.reset();
    }

    private static void choose(String value) {
        browser.run(
                "[...document.querySelectorAll('#label-values button')]"
                        + ".find(b => b.textContent === arguments[0]).click()",
                value);
        browser.until(() -> browser.all("#label-values .chosen").size() == 1);
    }

    private static String live() {
        return browser.text("#tile-live .value");
    }

    @Test
    void showsFiguresByTheValuesOfAKey() throws Exception {
        openWithLabels();

        assertThat(browser.all("#label-key option"))
                .extracting(option -> option.getAttribute("value"))
                .containsExactly("endpoint", "tenant");
        assertThat(browser.texts("#label-values tbody th"))
                .containsExactlyInAnyOrder("GET /orders", "(none)");

        browser.find("#label-key option[value=tenant]").click();

        assertThat(browser.texts("#label-values tbody th"))
                .containsExactlyInAnyOrder("acme", ODD, "(none)");
        assertThat(browser.texts("#label-values tbody td"))
                .hasSize(6)
                .allMatch(it -> it.contains("B"));
        refresh();
        assertThat(browser.find("#label-key").getAttribute("value")).isEqualTo("tenant");
    }

    @Test
    void showsTheSamplesOfALabelAlone() throws Exception {
        openWithLabels();
        String all = live();
        browser.find("#label-key option[value=tenant]").click();

        choose(ODD);

        browser.until(() -> !live().equals(all));
        assertThat(browser.text("#only")).isEqualTo("tenant = " + ODD + " \u00d7");
        assertThat(browser.texts("#label-values tbody th")).contains("acme");
        assertThat(browser.find("a[href^='flame.html']").getAttribute("href"))
                .endsWith("flame.html?only=tenant%3D%3Cb%3Ea%26b%3Dc%20%2B%25%3C%2Fb%3E");
        assertThat(browser.find("a[href*='gc=1']").getAttribute("href")).contains("gc=1&only=");
        assertThat(isTrue("!document.querySelector('form [name=only]').disabled")).isTrue();
        String odd = live();
        choose("acme");
        browser.until(() -> !live().equals(odd));

        browser.click("#only");

        browser.until(() -> live().equals(all));
        assertThat(browser.find("#only").isDisplayed()).isFalse();
        assertThat(browser.find("a[href^='flame.html']").getAttribute("href"))
                .endsWith("/flame.html");
        assertThat(browser.all("#label-values .chosen")).isEmpty();
    }

    @Test
    void samplesWithoutTheKeyAreShownAloneAndAllAgain() throws Exception {
        openWithLabels();
        String all = live();

        choose("(none)");

        browser.until(() -> !live().equals(all));
        assertThat(browser.text("#only")).isEqualTo("endpoint = (none) \u00d7");
        browser.run("document.querySelector('#label-values .chosen button').click()");
        browser.until(() -> live().equals(all));
    }

    private static Object formForHolders() {
        return browser.run(
                "return new URLSearchParams(new FormData(document.getElementById('heldby')))"
                        + ".toString()");
    }

    @Test
    void searchesHoldersOfTheLabel() throws Exception {
        openWithLabels();
        browser.find("#label-key option[value=tenant]").click();
        assertThat(formForHolders()).isEqualTo("format=text&top=10");

        choose("acme");

        assertThat(formForHolders()).isEqualTo("format=text&only=tenant%3Dacme");
        assertThat(browser.text("#heldby")).contains("the objects of tenant = acme (after");
        choose("(none)"); // a search needs a value
        assertThat(formForHolders()).isEqualTo("format=text&top=10");
        browser.click("#only");
        assertThat(formForHolders()).isEqualTo("format=text&top=10");
        assertThat(browser.text("#heldby")).contains("largest sites");
    }

    /** All objects of a page have properties of these names. */
    @Test
    void aKeyMayHaveTheNameOfAProperty() throws Exception {
        FakeSource.sampledAnew();
        HeapLabels.of("constructor", "x").run(() -> keep(8_000));
        HeapSampler.snapshot(SnapshotOptions.afterGc());
        open();
        browser.until(() -> browser.all("#label-values tbody tr").size() == 2);

        assertThat(browser.texts("#label-values tbody th"))
                .containsExactlyInAnyOrder("x", "(none)");
    }

    @Test
    void isNotThereWithoutLabels() throws Exception {
        FakeSource.sampledAnew();

        open();

        assertThat(browser.find("#labels").isDisplayed()).isFalse();
        assertThat(browser.find("#only").isDisplayed()).isFalse();
    }
}
