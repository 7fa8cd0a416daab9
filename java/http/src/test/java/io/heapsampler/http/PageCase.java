// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapSampler;
import io.heapsampler.SamplerState;
import io.heapsampler.internal.shared.JsonText;
import io.heapsampler.support.Chromium;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A running application and its page, in a browser. */
abstract class PageCase {

    static final String PATH = "/debug/heapsampler/";
    static Chromium browser;
    HeapSamplerServer server;

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

    /** After each test: the page has no errors, and it sent no request to another server. */
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

    void open() throws IOException {
        open(EndpointOptions.builder(), "");
    }

    void open(EndpointOptions.Builder options, String credentials) throws IOException {
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

    static void untilText(String selector, String text) {
        browser.until(() -> browser.text(selector).startsWith(text));
    }

    /** Asks the page to refresh, and waits until it has. */
    static void refresh() {
        browser.run("document.querySelector('#sites li').drawnBefore = true");
        browser.keys("r");
        browser.until(() -> isTrue("!document.querySelector('#sites li').drawnBefore"));
    }

    static boolean isTrue(String script) {
        return Boolean.TRUE.equals(browser.run("return " + script));
    }

    static SamplerState state() {
        return HeapSampler.status().state();
    }

    /** As a filter of the application would, which knows nothing of this page. */
    static void answerWith(int status, String type, String body) {
        browser.run(
                String.format(
                        "window.realFetch ??= fetch; fetch = async () => new Response(%s,"
                                + " {status: %d, headers: {'Content-Type': '%s'}})",
                        JsonText.of(body).strip(), status, type));
    }

    /** Ends {@link #answerWith}. */
    static void answerAsBefore() {
        browser.run("fetch = window.realFetch");
    }
}
