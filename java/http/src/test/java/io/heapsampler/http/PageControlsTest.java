// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.acme.Allocations;
import io.heapsampler.HeapSampler;
import io.heapsampler.SamplerHold;
import io.heapsampler.SamplerOptions;
import io.heapsampler.SamplerState;
import io.heapsampler.SamplingStrategy;
import io.heapsampler.SnapshotOptions;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The controls of the page of a running application. */
class PageControlsTest extends PageCase {
    /** A hundred samples of one in 10,000 are expected; that there are none does not happen. */
    private static volatile byte[][] kept = new byte[0][];

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

    /** Refreshes that succeed must not hide it: one follows within five seconds. */
    @Test
    void aReasonOfTheEndpointIsShownAsItIsUntilTheNextControl() throws Exception {
        open();
        answerWith(409, "text/plain;charset=utf-8", "The sampler is busy.\n");

        browser.click("#stop");

        browser.until(() -> browser.text("#trouble").equals("The sampler is busy."));
        answerAsBefore();
        refresh();
        assertThat(browser.text("#trouble")).isEqualTo("The sampler is busy.");
        browser.click("#stop");
        browser.until(() -> !browser.find("#trouble").isDisplayed());
    }
}
