// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.heapsampler.assertions.ThrowingRunnable;
import io.heapsampler.assertions.internal.Baseline.Entry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of baselines: their text, their releases, their stale entries. */
class BaselineFileTest {

    private static final String HERE = BaselineFileTest.class.getName();

    private static final String ADD = "com.acme.CartTest.add() @17 = 9";

    @TempDir Path directory;

    private Path file() {
        return directory.resolve("baselines").resolve("CartTest.txt");
    }

    private static Entry entry(long bytes) {
        return new Entry(bytes, Map.of("byte[] com.acme.Cart.add to", bytes));
    }

    @Test
    void entriesAreReadAsTheyWereWritten() throws IOException {
        Baseline baseline = new Baseline(file(), 17);
        baseline.put("b.T.t() [1] 5 @17 = 3", entry(1_310_784));
        baseline.put("a.T.t()", entry(16));

        assertThat(Files.readAllLines(file()))
                .filteredOn(line -> !line.startsWith("#"))
                .containsExactly(
                        "a.T.t() @17 = 16",
                        "  16 byte[] com.acme.Cart.add to",
                        "b.T.t() [1] 5 @17 = 3 @17 = 1,310,784",
                        "  1,310,784 byte[] com.acme.Cart.add to");
        assertThat(baseline.entry("b.T.t() [1] 5 @17 = 3")).isEqualTo(entry(1_310_784));
        assertThat(baseline.entry("b.T.t() [1] 5")).isNull();
        assertThat(file().getParent()).isDirectoryNotContaining("glob:**.lock");
    }

    @Test
    void entryHoldsForItsReleaseOnly() throws IOException {
        new Baseline(file(), 17).put("a.T.t()", entry(100));
        new Baseline(file(), 21).put("a.T.t()", entry(90));

        assertThat(new Baseline(file(), 17).entry("a.T.t()")).isEqualTo(entry(100));
        assertThat(new Baseline(file(), 21).entry("a.T.t()")).isEqualTo(entry(90));
        assertThat(new Baseline(file(), 27).entry("a.T.t()")).isNull();
        assertThat(new Baseline(file(), 27).missing("a.T.t()"))
                .isEqualTo(
                        "there is no baseline for it and JDK 27 in "
                                + file()
                                + ", only for JDK 17 and JDK 21. What a test allocates differs from"
                                + " release to release. Run the test once on JDK 27 with"
                                + " -Dheapsampler.junit.update=true, and check the file in.");
        assertThat(new Baseline(file(), 27).missing("a.T.other()"))
                .isEqualTo(
                        "there is no baseline for it in "
                                + file()
                                + ". Run the test once with -Dheapsampler.junit.update=true, and"
                                + " check the file in.");
        assertThat(new Baseline(file(), 17).missing("a.T.t()")).isNull();
    }

    @Test
    void entryWithoutReleaseIsNotComparedWith() throws IOException {
        Files.createDirectories(file().getParent());
        Files.writeString(file(), "a.T.t() 17\n  17 byte[] x.Y.z\na.T.u() 18\n");
        Baseline baseline = new Baseline(file(), 17);

        assertThat(baseline.entry("a.T.t()")).isNull();
        assertThat(baseline.missing("a.T.t()")).contains(", only for an unknown JDK. ");
        baseline.put("a.T.t()", entry(16));
        assertThat(Files.readAllLines(file()))
                .filteredOn(line -> !line.startsWith("#"))
                .containsExactly(
                        "a.T.t() @17 = 16", "  16 byte[] com.acme.Cart.add to", "a.T.u() 18");
    }

    @Test
    void damagedLineIsNamedAndNothingIsOverwritten() throws IOException {
        Files.createDirectories(file().getParent());
        String text = ADD + "\n  many byte[]\n";
        Files.writeString(file(), text);
        String message =
                "line 2 of "
                        + file()
                        + " is no line of a baseline: \"  many byte[]\". Restore the file; or"
                        + " delete it, and write it anew with -Dheapsampler.junit.update=true.";

        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Baseline(file()).entry("a.T.t()"))
                .withMessage(message);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Baseline(file()).put("a.T.t()", entry(1)))
                .withMessage(message);
        assertThat(file()).hasContent(text);
        assertThat(file().getParent()).isDirectoryNotContaining("glob:**.lock");
    }

    @Test
    void testsThatAreGoneAreReported() throws IOException {
        Baseline baseline = new Baseline(file());
        baseline.put("com.acme.Gone.test()", entry(1));
        baseline.put(HERE + ".renamed()", entry(1));
        baseline.put(HERE + ".entry(int)", entry(1));

        assertThat(baseline.put(HERE + ".entry(long) [1] 7", entry(1)))
                .containsExactly("com.acme.Gone.test()", HERE + ".entry(int)", HERE + ".renamed()");
    }

    @Test
    void entryThatIsRemovedWhileTheTestRuns() throws Throwable {
        BaselineRule rule =
                new BaselineRule(
                        "@AllocationBaseline",
                        new Baseline(file()),
                        "a.T.t()",
                        "0 %",
                        false,
                        -1,
                        -1);
        ThrowingRunnable nothing = () -> {};
        Subject subject = new Subject("T.t()", nothing, nothing, nothing, nothing);

        Verdict verdict =
                Trials.check(List.of(rule), subject, Settings.DEFAULT, () -> false).get(0);

        assertThat(verdict.error())
                .hasMessage(
                        "@AllocationBaseline of T.t() was not measured. The entry for a.T.t() in "
                                + file()
                                + " was removed while the test ran. Run the test again.");
    }
}
