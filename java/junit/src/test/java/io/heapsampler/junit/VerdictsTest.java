// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.assertions.internal.Verdict;
import io.heapsampler.assertions.internal.Verdict.Outcome;
import io.heapsampler.junit.Configuration.Shown;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a build shows of verdicts. */
class VerdictsTest {

    private static final Verdict KEPT = verdict(Outcome.PASSED, "0 bytes");
    private static final Verdict BROKEN = verdict(Outcome.FAILED, "16 bytes of at most 0 B");
    private static final Verdict UNMEASURED =
            verdict(Outcome.NOT_MEASURED, "@Rule of CartTest.adds() was not measured.\nNo library");
    private static final Verdict ABORTED =
            verdict(Outcome.ABORTED, "@Rule of CartTest.adds() was not measured. Once only");
    private static final Verdict NOTED =
            verdict(Outcome.PASSED, "no leak").withNote("1 site within perSite");

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);

    private static Verdict verdict(Outcome outcome, String summary) {
        return new Verdict(outcome, "@Rule", summary, null, null);
    }

    private String printed(Shown shown, List<Verdict> verdicts) {
        Verdicts all = new Verdicts(shown, null, () -> out);
        all.add("CartTest.adds()", verdicts);
        all.close();
        all.close(); // 5.13 and later know two ways to close it
        return printed.toString(StandardCharsets.UTF_8);
    }

    @Test
    void whatPassedWithoutAllIsShown() {
        assertThat(printed(Shown.NOTABLE, List.of(KEPT, BROKEN, NOTED, UNMEASURED, ABORTED)))
                .isEqualToNormalizingNewlines(
                        """
                        HeapSampler: 5 assertions: 2 passed, 1 failed, 1 aborted, 1 not measured.
                          passed: @Rule of CartTest.adds(): no leak; 1 site within perSite
                          not measured: @Rule of CartTest.adds() was not measured. No library
                          aborted: @Rule of CartTest.adds() was not measured. Once only
                        """);
    }

    @Test
    void allAreShownOnDemand() {
        assertThat(printed(Shown.ALL, List.of(BROKEN, KEPT)))
                .isEqualToNormalizingNewlines(
                        """
                        HeapSampler: 2 assertions: 1 passed, 1 failed.
                          failed: @Rule of CartTest.adds(): 16 bytes of at most 0 B
                          passed: @Rule of CartTest.adds(): 0 bytes
                        """);
    }

    @Test
    void oneAssertionIsCountedAsOne() {
        assertThat(printed(Shown.NOTABLE, List.of(KEPT)))
                .isEqualToNormalizingNewlines("HeapSampler: 1 assertion: 1 passed.\n");
    }

    @Test
    void noneIsShownIfNoneIsWantedOrThere() {
        assertThat(printed(Shown.NONE, List.of(NOTED))).isEmpty();
        assertThat(printed(Shown.NOTABLE, List.of())).isEmpty();
    }

    @Test
    void linesAreBounded() {
        assertThat(printed(Shown.ALL, Collections.nCopies(1_007, KEPT)))
                .startsWith("HeapSampler: 1007 assertions: 1007 passed.")
                .hasLineCount(1_002)
                .contains(
                        "\n"
                            + "  ... 7 more. heapsampler.junit.verdicts.file names a file for all"
                            + " of them.");
    }

    @Test
    void fileHasAllOfSeveralRuns(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("reports").resolve("verdicts.txt");
        for (int run = 0; run < 2; run++) {
            Verdicts verdicts = new Verdicts(Shown.NONE, file, () -> out);
            verdicts.add("CartTest.adds()", List.of(KEPT, UNMEASURED));
            verdicts.close();
        }

        assertThat(Files.readAllLines(file))
                .hasSize(4)
                .startsWith(
                        "passed: @Rule of CartTest.adds(): 0 bytes",
                        "not measured: @Rule of CartTest.adds() was not measured. No library");
    }

    @Test
    void fileThatCannotBeWrittenChangesNothing(@TempDir Path directory) {
        List<String> logged = new ArrayList<>();
        Handler handler = new Log(logged);
        Logger logger = Logger.getLogger("io.heapsampler.junit");
        logger.addHandler(handler);
        try {
            Verdicts verdicts = new Verdicts(Shown.NOTABLE, directory, () -> out);
            verdicts.add("CartTest.adds()", List.of(KEPT, KEPT));
            verdicts.close();
        } finally {
            logger.removeHandler(handler);
        }

        assertThat(logged)
                .containsExactly(
                        "WARNING: Verdicts cannot be written to "
                                + directory
                                + ". Correct its permissions, or heapsampler.junit.verdicts.file.");
        assertThat(printed.toString(StandardCharsets.UTF_8)).contains("2 assertions: 2 passed.");
    }

    /** Keeps what is logged. */
    private static final class Log extends Handler {

        private final List<String> logged;

        Log(List<String> logged) {
            this.logged = logged;
        }

        @Override
        public void publish(LogRecord line) {
            logged.add(line.getLevel() + ": " + line.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
