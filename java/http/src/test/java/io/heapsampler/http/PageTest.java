// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.acme.Allocations;
import io.heapsampler.GarbageCollector;
import io.heapsampler.HeapSampler;
import io.heapsampler.SamplerHold;
import io.heapsampler.SamplerOptions;
import io.heapsampler.SamplerState;
import io.heapsampler.SamplingStrategy;
import io.heapsampler.SnapshotOptions;
import io.heapsampler.doctor.GcDoctor;
import io.heapsampler.internal.shared.JsonText;
import io.heapsampler.support.Chromium;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.Keys;

/** The page of a running application, in a browser. */
class PageTest {

    private static final String PATH = "/debug/heapsampler/";

    /** A hundred samples of one in 10,000 are expected; that there are none does not happen. */
    private static volatile byte[][] kept = new byte[0][];

    private static Chromium browser;

    private HeapSamplerServer server;

    @BeforeAll
    static void startBrowser(@TempDir Path folder) {
        browser = new Chromium(folder);
        HeapSampler.stop();
        HeapSampler.reset();
    }

    /** Other tests want a sampler as {@link FakeSource} starts it. */
    @AfterAll
    static void stopBrowser() {
        browser.close();
        HeapSampler.stop();
        HeapSampler.reset();
    }

    @BeforeEach
    void sampling() {
        FakeSource.sampled();
        browser.resize(1280, 800);
    }

    /** After each test, whatever it did: nothing went wrong in the page and nothing left it. */
    @AfterEach
    void neitherComplaintsNorRequests() {
        List<String> complaints = browser.complaints();
        server.close();
        assertThat(complaints).isEmpty();
        String here = "http://(anyone:.*@)?localhost:" + server.address().getPort() + "/debug/.*";
        assertThat(browser.requests())
                .isNotEmpty()
                .allMatch(url -> url.matches(here) || url.startsWith("data:"));
    }

    private void open() throws IOException {
        open(EndpointOptions.builder(), "");
    }

    private void open(EndpointOptions.Builder options, String credentials) throws IOException {
        server =
                HeapSamplerServer.builder()
                        .port(0)
                        .options(options.second(Contract.SECOND).gcSpacing(Duration.ZERO).build())
                        .start();
        int port = server.address().getPort();
        browser.open("http://" + credentials + "localhost:" + port + PATH);
        untilText("#state", "Running");
        browser.until(() -> !browser.all("#sites li").isEmpty());
    }

    private static void untilText(String selector, String text) {
        browser.until(() -> browser.text(selector).startsWith(text));
    }

    /** Asks the page to refresh, and waits until it has. */
    private static void refresh() {
        browser.run("document.querySelector('#sites li').drawnBefore = true");
        browser.keys("r");
        browser.until(() -> isTrue("!document.querySelector('#sites li').drawnBefore"));
    }

    private static boolean isTrue(String script) {
        return Boolean.TRUE.equals(browser.run("return " + script));
    }

    private static SamplerState state() {
        return HeapSampler.status().state();
    }

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
    void stopsAndStarts() throws Exception {
        open();
        assertThat(browser.find("#start").isEnabled()).isFalse();

        browser.click("#stop");

        untilText("#state", "Stopped");
        assertThat(state()).isEqualTo(SamplerState.STOPPED);
        assertThat(browser.find("#stop").isEnabled()).isFalse();
        browser.click("#start");
        untilText("#state", "Running");
        assertThat(state()).isEqualTo(SamplerState.RUNNING);
    }

    @Test
    void namesThoseWhoStillHoldTheSampler() throws Exception {
        open();
        assertThat(browser.text("#facts")).contains("application");
        try (SamplerHold hold = HeapSampler.share("nightly")) {
            browser.click("#stop");

            browser.until(() -> !browser.text("#facts").contains("application"));
            assertThat(browser.text("#facts")).contains(hold.name());
            assertThat(browser.text("#state")).isEqualTo("Running");
        }
    }

    @Test
    void setsTheInterval() throws Exception {
        open();
        // The smallest that the options allow, and none below.
        assertThat(browser.find("#interval option").getAttribute("value")).isEqualTo("8192");

        // A refresh does not replace a list while a user is choosing.
        browser.run("document.querySelector('#interval option').drawnBefore = true");
        refresh();
        assertThat(isTrue("document.querySelector('#interval option').drawnBefore")).isTrue();
        browser.find("#interval option[value='65536']").click();

        browser.until(() -> browser.text("#facts").contains("64.0 KiB"));
        assertThat(HeapSampler.status().interval()).isEqualTo(65_536);
        assertThat(browser.find("#interval").getAttribute("value")).isEqualTo("65536");
        HeapSampler.setInterval(128 * 1024);
    }

    /** An interval of 0 would say that every allocation is a sample. */
    @Test
    void showsThatAllocationsAreCounted() throws Exception {
        HeapSampler.stop();
        HeapSampler.reset();
        HeapSampler.start(
                SamplerOptions.builder().strategy(SamplingStrategy.allocations(10_000)).build());
        try {
            kept = new byte[1_000_000][];
            Arrays.setAll(kept, i -> Allocations.bytes(16));
            HeapSampler.snapshot(SnapshotOptions.afterGc()); // else nothing may be known to live
            open();

            assertThat(browser.text("#facts")).contains("one in 10000 allocations");
            assertThat(
                            browser.run(
                                    "return"
                                        + " document.querySelector('#interval').selectedOptions[0].text"))
                    .isEqualTo("one in 10000 allocations");
            assertThat(browser.text("#facts")).doesNotContain("every allocation");
            assertThat(browser.find("#interval").isEnabled()).isFalse();
        } finally {
            kept = new byte[0][];
            HeapSampler.stop();
            HeapSampler.reset();
            HeapSampler.start(
                    SamplerOptions.builder().strategy(SamplingStrategy.bytes(65_536)).build());
        }
    }

    @Test
    void forgetsSamplesOnlyWhenItIsMeant() throws Exception {
        open();
        long before = HeapSampler.snapshot().startedAt().toEpochMilli();
        browser.click("#reset");
        browser.click("#sure button[value='']");
        assertThat(HeapSampler.snapshot().startedAt().toEpochMilli()).isEqualTo(before);

        browser.click("#reset");
        browser.click("#sure button[value=reset]");

        browser.until(() -> HeapSampler.snapshot().startedAt().toEpochMilli() > before);
    }

    @Test
    void forbidsForcedCollections() throws Exception {
        open();
        browser.click("#pause"); // so that no answer from before a click is drawn after it

        browser.click("#gc");

        int port = server.address().getPort();
        browser.until(() -> !gcAllowed(port));
        assertThat(RawClient.get(port, "/debug/pprof/heap?gc=1").status()).isEqualTo(403);
        browser.click("#gc");
        browser.until(() -> gcAllowed(port));
    }

    private static boolean gcAllowed(int port) {
        try {
            return RawClient.get(port, PATH + "status.json").text().contains("\"gcAllowed\":true");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void worksWithAToken() throws Exception {
        open(EndpointOptions.builder().token(Contract.TOKEN), "anyone:" + Contract.TOKEN + "@");
        int port = server.address().getPort();
        assertThat(RawClient.get(port, PATH).status()).isEqualTo(401);
        assertThat(browser.text("#command")).doesNotContain(Contract.TOKEN);

        browser.click("#stop");

        untilText("#state", "Stopped");
        assertThat(state()).isEqualTo(SamplerState.STOPPED);
        browser.click("#start");
        untilText("#state", "Running");
    }

    @Test
    void hasNoControlsWhereItCanOnlyBeRead() throws Exception {
        open(EndpointOptions.builder().readOnly(), "");

        assertThat(browser.find("#control").isDisplayed()).isFalse();
        assertThat(browser.find("#sites").isDisplayed()).isTrue();
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

    /** As a filter of the application would, which knows nothing of this page. */
    private static void answerWith(int status, String type, String body) {
        browser.run(
                String.format(
                        "fetch = async () => new Response(%s,"
                                + " {status: %d, headers: {'Content-Type': '%s'}})",
                        JsonText.of(body).strip(), status, type));
    }

    @ParameterizedTest
    @CsvSource({
        "403, text/plain, '', refused the request (403)",
        "403, text/html, <h1>Forbidden</h1>, refused the request (403)",
        "401, application/json, '{\"error\":\"Unauthorized\"}', refused the request (401)",
        "200, text/html, <h1>Log in</h1>, answered with something else (200)",
    })
    void aRequestThatAFilterRefusesIsExplained(int status, String type, String body, String what)
            throws Exception {
        open();
        answerWith(status, type, body);

        browser.click("#stop");

        browser.until(() -> browser.text("#trouble").startsWith("The application " + what));
        assertThat(browser.text("#trouble"))
                .contains("a login or a CSRF check", "exempt the POST requests of this page")
                .doesNotContain("<h1>");
    }

    @Test
    void aReasonOfTheEndpointIsShownAsItIs() throws Exception {
        open();
        answerWith(409, "text/plain;charset=utf-8", "The sampler is busy.\n");

        browser.click("#stop");

        browser.until(() -> browser.text("#trouble").equals("The sampler is busy."));
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
