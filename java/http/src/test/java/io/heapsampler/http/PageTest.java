// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.heapsampler.GarbageCollector;
import io.heapsampler.HeapSampler;
import io.heapsampler.SnapshotOptions;
import io.heapsampler.doctor.GcDoctor;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** The page of a running application: what it shows, and how it is used. */
class PageTest extends PageCase {
    @Test
    void showsWhatIsSampled() throws Exception {
        open();

        assertThat(browser.text("#facts")).contains("OpenJDK", "collections", "128.0 KiB");
        assertThat(browser.texts(".tile .value")).hasSize(4).noneMatch("\u2013"::equals);
        assertThat(browser.text("#tile-live .error")).contains("samples", "unconfirmed");
        assertThat(browser.texts("#sites .class")).contains("byte[]");
        assertThat(browser.texts("#sites .at"))
                .anyMatch(place -> place.startsWith("com.acme.Allocations.bytes("));
        assertThat(browser.text("#notes-summary")).containsAnyOf("no drops", "dropped, folded");
        assertThat(browser.text("#command"))
                .isEqualTo(
                        "go tool pprof http://localhost:"
                                + server.address().getPort()
                                + "/debug/pprof/heap");
    }

    @Test
    void listsWhatTheDoctorHasFound() throws Exception {
        GcDoctor doctor = GcDoctor.running();
        assumeThat(HeapSampler.status().collector()).isNotEqualTo(GarbageCollector.EPSILON);
        browser.until(
                () -> {
                    System.gc();
                    return doctor.diagnosis().finding("gc.explicit").isPresent();
                });

        open();

        browser.until(() -> browser.text("#findings").contains("gc.explicit"));
        assertThat(browser.texts("#findings li"))
                .anyMatch(
                        it ->
                                it.matches(
                                        "(INFO|WARNING) gc\\.explicit System\\.gc\\(\\) was called"
                                                + " .*"));
        assertThat(browser.find("#doctor a").getAttribute("href")).endsWith("doctor?format=html");
    }

    /** The page of reports, drawn from the JSON of a real doctor. */
    @Test
    void theWholeDiagnosisIsAPage() throws Exception {
        open();

        browser.open(
                "http://localhost:" + server.address().getPort() + PATH + "doctor?format=html");

        browser.until(() -> browser.find("#doctor").isDisplayed());
        assertThat(browser.text(".answer .eyebrow")).startsWithIgnoringCase("GC doctor");
        assertThat(browser.texts(".slo dt")).hasSize(4);
        assertThat(browser.texts("#doctor .more summary"))
                .anyMatch(title -> title.startsWith("Looked for and not found ("));
    }

    @Test
    void showsNoDoctorWhereNoneIsRunning() throws Exception {
        FakeSource.closeDoctor();

        open();

        assertThat(browser.find("#doctor").isDisplayed()).isFalse();
    }

    @Test
    void findsWhatGrows() throws Exception {
        open();
        browser.find("#grow-seconds").clear();
        browser.find("#grow-seconds").sendKeys("3");

        browser.click("#grow button");

        browser.until(
                () ->
                        browser.text("#growth")
                                .matches(
                                        "(?s)No site surely grew in 3 s\\.|.*/s \\(95 % interval:"
                                                + " .*"));
    }

    @Test
    void showsTheIntervalOfTheGrowth() throws Exception {
        open();
        answerWith(
                200,
                "application/json",
                "{\"growing\":[{\"class\":\"byte[]\",\"stack\":[\"com.acme.Shop.open\"],"
                    + "\"bytesPerSecond\":{\"value\":366899,\"low\":164659,\"high\":569139}}]}");

        browser.click("#grow button");

        browser.until(() -> browser.text("#growth").contains("com.acme.Shop.open"));
        assertThat(browser.text("#growth").replace('\u00a0', ' '))
                .startsWith(
                        "byte[]: 358.3 KiB/s (95 % interval: 160.8 KiB/s to 555.8 KiB/s)"
                                + " com.acme.Shop.open");
    }

    @Test
    void worksWithoutAMouse() throws Exception {
        open();
        assertThat(browser.find("[data-rank=live]").getAttribute("aria-pressed")).isEqualTo("true");

        browser.keys("a");

        assertThat(browser.find("[data-rank=live]").getAttribute("aria-pressed"))
                .isEqualTo("false");
        browser.keys(Keys.ARROW_DOWN, Keys.ENTER);
        String open = browser.text("#sites details[open] pre");
        assertThat(open).isNotEmpty();
        browser.keys("p");
        assertThat(browser.find("#pause").getAttribute("aria-pressed")).isEqualTo("true");

        refresh();

        // It neither closes what is open nor takes the focus away.
        assertThat(browser.text("#sites details[open] pre")).isEqualTo(open);
        assertThat(isTrue("document.activeElement.matches('#sites summary')")).isTrue();
        browser.keys("n");
        assertThat(browser.find("#notes-body").isDisplayed()).isTrue();
        browser.keys("?");
        assertThat(browser.find("#help").isDisplayed()).isTrue();
        browser.keys(Keys.ESCAPE);
        assertThat(browser.find("#help").isDisplayed()).isFalse();
    }

    @Test
    void darkAndLightFollowTheSystemUntilChosen() throws Exception {
        browser.prefer("dark");
        open();
        String dark = browser.find("body").getCssValue("background-color");

        browser.keys("d");

        assertThat(dark).isEqualTo("rgba(17, 21, 27, 1)");
        String light = browser.find("body").getCssValue("background-color");
        assertThat(light).isEqualTo("rgba(244, 246, 248, 1)");
        browser.click("[data-theme-choice=system]");
        assertThat(browser.find("body").getCssValue("background-color")).isEqualTo(dark);
        browser.prefer("light");
        assertThat(browser.find("body").getCssValue("background-color")).isEqualTo(light);
    }

    @Test
    void namesStayText() throws Exception {
        FakeSource.sampledAnew();
        Hostile.allocate();
        HeapSampler.snapshot(SnapshotOptions.afterGc());

        open();

        browser.until(() -> browser.text("#sites").contains(Hostile.CLASS_PART));
        assertThat(browser.all("#sites script, #sites img")).isEmpty();
    }

    @Test
    void narrowWindowsNeedNoScrollingSideways() throws Exception {
        open();

        browser.resize(520, 800);

        browser.until(() -> isTrue("innerWidth <= 600"));
        assertThat(isTrue("document.documentElement.scrollWidth <= innerWidth")).isTrue();
    }
}
