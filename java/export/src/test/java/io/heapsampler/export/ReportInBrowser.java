// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.SnapshotFormat;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** What tests of reports in a browser have in common. */
abstract class ReportInBrowser {

    static final SnapshotFormat SINGLE =
            ExportFormat.HTML.with(ExportOptions.builder().title("Shop").build());

    static Path folder;
    static ReportBrowser browser;

    @BeforeAll
    static void start(@TempDir Path temporary) {
        folder = temporary;
        browser = new ReportBrowser(temporary);
    }

    @AfterAll
    static void stop() {
        browser.close();
    }

    /** After each test: the page has no errors, and it sent no request to another server. */
    @AfterEach
    void neitherComplaintsNorRequests() {
        assertThat(browser.complaints()).isEmpty();
        assertThat(browser.requests())
                .isNotEmpty()
                .allMatch(url -> url.matches("(file|data|blob):.*"));
        browser.prefer("light");
        browser.resize(1280, 800);
    }

    static void openSingle() {
        browser.open(SINGLE, ReportHeaps.after());
    }

    static String colour(String label) {
        return browser.frame(label).getCssValue("background-color");
    }
}
