// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.SnapshotFormat;
import io.heapsampler.support.Chromium;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.openqa.selenium.WebElement;

/** A browser that opens reports. */
final class ReportBrowser extends Chromium {

    private final Path folder;

    ReportBrowser(Path folder) {
        super(folder);
        this.folder = folder;
    }

    /** Opens a report and waits until it has been drawn. */
    void open(SnapshotFormat report, HeapSnapshot snapshot) {
        Path file = folder.resolve("report.html");
        try {
            snapshot.writeTo(file, report);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        open(file);
    }

    void open(Path file) {
        open(file.toUri().toString());
        until(() -> drawnAfterMillis() > 0);
    }

    /** Returns the time from the request to the drawn page; 0 before it is drawn. */
    double drawnAfterMillis() {
        Object time =
                run("return performance.getEntriesByName('heapsampler-drawn')[0]?.startTime ?? 0");
        return ((Number) Objects.requireNonNull(time)).doubleValue();
    }

    /** Returns the frame of the flame graph that shows something. */
    WebElement frame(String label) {
        Object frame =
                run(
                        "return [...document.querySelectorAll('#flame .frame')]"
                                + ".find(each => each.innerText === arguments[0])",
                        label);
        if (frame == null) {
            throw new AssertionError(label + " is not among " + frames());
        }
        return (WebElement) frame;
    }

    List<String> frames() {
        return texts("#flame .frame");
    }

    double width(String label) {
        return frame(label).getRect().getWidth();
    }

    /** Returns the texts of a column of a table. */
    List<String> column(String view, String column) {
        return texts("#" + view + " tbody td." + column);
    }
}
