// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.export.ExportFormat;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Output, files and exit codes of commands, without another JVM. */
class MainTest {

    private static final int DONE = 0;
    private static final int FAILED = 1;
    private static final int WRONG = 2;

    @TempDir private Path folder;
    private Path stacks = Path.of("");
    private Path collapsed = Path.of("");
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @BeforeEach
    void prepare() throws IOException {
        stacks = folder.resolve("stacks.txt");
        collapsed = folder.resolve("collapsed.txt");
        Files.writeString(
                stacks,
                "com.acme.Shop.main:12;com.acme.Shop.page:40;byte[] 100\n"
                        + "com.acme.Shop.main:12;com.acme.Cart.add:7;com/acme/Item 20\n");
    }

    private int run(Object... arguments) {
        String[] words = Arrays.stream(arguments).map(String::valueOf).toArray(String[]::new);
        return Main.run(new PrintWriter(out), new PrintWriter(err), words);
    }

    @Test
    void collapseWritesSortedStacks() {
        assertThat(run("collapse", stacks, "-o", collapsed)).as(err.toString()).isEqualTo(DONE);

        assertThat(collapsed)
                .hasContent(
                        "com.acme.Shop.main:12;com.acme.Cart.add:7;com/acme/Item 20\n"
                                + "com.acme.Shop.main:12;com.acme.Shop.page:40;byte[] 100\n");
        assertThat(err.toString().lines())
                .containsExactly("Finished FlameCollapse! Collapsed 2 rows into 2", "Kept 120.");
    }

    @Test
    void collapseAsJsonHasItsCounts() throws IOException {
        Files.writeString(stacks, "a.B.c;int[]\n", StandardOpenOption.APPEND);
        assertThat(run("collapse", stacks, "-g", "cart", "-o", collapsed, "--json"))
                .isEqualTo(DONE);
        assertThat(out.toString().strip())
                .isEqualTo(
                        "{\"schema\":\"urn:heapsampler:collapse:1\",\"file\":\""
                                + collapsed
                                + "\",\"rows\":3,\"incompleteRows\":1,\"stacks\":1,\"kept\":20,"
                                + "\"dropped\":100,\"droppedRows\":1}");
        assertThat(run("collapse", stacks, "-o", "-", "--json")).isEqualTo(WRONG);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "attach",
                "detach",
                "record",
                "watch",
                "doctor",
                "heldby",
                "top",
                "diff",
                "convert",
                "report",
                "collapse",
                "flamegraph"
            })
    void everyCommandHasHelpAndJsonAndIsInTheReadme(String command) throws IOException {
        assertThat(Path.of("README.md")).content().containsPattern("(?m)^\\| `" + command + " ");
        assertThat(run(command, "--help")).isEqualTo(DONE);
        assertThat(out.toString())
                .startsWith("Usage: heapsampler " + command + " ")
                .contains("--json")
                .contains("--version");
    }

    @Test
    void wrongSearchForHoldersIsRefusedBeforeItAttaches() {
        assertThat(run("heldby", "1", "--json", "-f", "text")).isEqualTo(WRONG);
        assertThat(run("heldby", "1", "-f", "pprof")).isEqualTo(WRONG);
        assertThat(err.toString()).contains("PPROF is binary. Name a file with -o, or -o - for");
        assertThat(run("heldby", "1", "-t", "3", "-c", "byte[]")).isEqualTo(WRONG);
        assertThat(err.toString()).contains("--top and --class cannot go together.");
        assertThat(run("heldby", "1", "-t", "0")).isEqualTo(WRONG);
        assertThat(run("heldby", "1", "-c", "int")).isEqualTo(WRONG);
        assertThat(run("heldby", "1", "-c", "a.B c=d")).isEqualTo(WRONG);
        assertThat(err.toString())
                .contains("The class \"a.B c=d\" has a space. Name one class, such as byte[].");
        for (String option : List.of("-t=3", "-c=byte[]")) {
            assertThat(run("heldby", "1", "--only", "tenant=acme", option)).isEqualTo(WRONG);
        }
        assertThat(err.toString()).contains("--only cannot go together with --top or --class.");
        assertThat(run("heldby", "1", "--only", "tenant=")).isEqualTo(WRONG);
        assertThat(err.toString()).contains("The value of the label \"tenant\" is empty");
        assertThat(run("heldby", "1", "--max-samples", "0")).isEqualTo(WRONG);
        assertThat(err.toString()).contains("maxSamples must be from 1 to 100,000, but is 0");
        assertThat(run("heldby", "1", "--max-time", "5m")).isEqualTo(WRONG);
        assertThat(err.toString()).contains("--max-time must be 4m or less.");
        assertThat(run("heldby", "1", "-n", "0")).isEqualTo(WRONG);
        assertThat(run("heldby", "1", "-o", stacks)).isEqualTo(FAILED);
        assertThat(err.toString()).contains("stacks.txt exists. Replace it with --force.");
    }

    @Test
    void theFilterFollowsTheFileOrIsAnOption() {
        run("collapse", stacks, "CART", "-o", collapsed);
        assertThat(collapsed).hasContent("com.acme.Cart.add:7;com/acme/Item 20\n");

        run("collapse", stacks, "-g", "shop.page", "-o", collapsed);
        assertThat(collapsed).hasContent("com.acme.Shop.page:40;byte[] 100\n");
    }

    @Test
    void aMissingFileAndWrongArgumentsHaveTheirExitCodes() {
        assertThat(run("collapse", folder.resolve("none.txt"))).isEqualTo(FAILED);
        assertThat(err.toString())
                .startsWith(
                        "heapsampler: "
                                + folder.resolve("none.txt")
                                + " does not exist. Name a file that the agent wrote.");
        assertThat(run("collaps", stacks)).isEqualTo(WRONG);
        assertThat(run()).isEqualTo(WRONG);
        assertThat(run("record", "1", "--interval", "often")).isEqualTo(WRONG);
        assertThat(err.toString())
                .contains("'often' is not an interval: write bytes, such as 65536 or 64k");
        assertThat(run("record", "1", "--duration", "0s")).isEqualTo(WRONG);
        assertThat(err.toString())
                .contains("'0s' is not a time: write a number and ms, s, m or h, such as 30s");
    }

    @Test
    void helpNamesEachCommandAndTheExitCodes() {
        assertThat(run("--help")).isEqualTo(DONE);

        assertThat(out.toString())
                .contains("attach", "detach", "record", "watch", "collapse", "flamegraph")
                .contains("doctor", "convert", "top", "diff", "report")
                .contains("Exit codes:")
                .contains("0     done", "1     failed:", "2     usage:", "130   Ctrl+C;");
    }

    @Test
    void aFileWithTheNameOfACommandDoesNotHideIt() throws IOException {
        // The working folder is that of the module.
        Path file = Path.of("top");
        Files.writeString(file, "a.A.b;byte[] 5\n");
        try {
            assertThat(run("top")).isEqualTo(WRONG);
        } finally {
            Files.delete(file);
        }
        assertThat(err.toString()).contains("Missing required parameter").contains(" top ");
    }

    @Test
    void anOutputThatCannotBeWrittenIsReportedBeforeRecording() {
        assertThat(run("record", "4194305", "-d", "1h", "-o", stacks)).isEqualTo(FAILED);
        assertThat(err.toString())
                .startsWith("heapsampler: " + stacks + " exists. Replace it with --force.");
        assertThat(run("record", "4194305", "-d", "1h", "-o", folder.resolve("no/r.hsnap")))
                .isEqualTo(FAILED);
        assertThat(err.toString()).contains(folder.resolve("no/r.hsnap") + " does not exist.");
    }

    @Test
    void aMissingProcessIsReported() {
        // Greater than Linux lets a process id be.
        assertThat(run("watch", "4194305")).isEqualTo(FAILED);
        assertThat(err.toString())
                .startsWith("heapsampler: Cannot attach to process 4194305: ")
                .contains("It must be a running JVM, without -XX:+DisableAttachMechanism");
    }

    @Test
    void flamegraphIsOneFile() throws IOException {
        Path page = folder.resolve("flame.html");

        assertThat(run("flamegraph", stacks, "-g", "shop", "-o", page))
                .as(err.toString())
                .isEqualTo(DONE);

        assertThat(Files.readString(page)).startsWith("<!DOCTYPE html>");
        assertThat(run("flamegraph", stacks, "-o", page)).isEqualTo(FAILED);
        assertThat(err.toString()).contains(" exists. Replace it with --force.");
    }

    @Test
    void flamegraphOfASnapshotIsItsReport() throws IOException {
        Path snapshot = folder.resolve("heap.hsnap");
        try (InputStream in =
                HeapSnapshot.class.getResourceAsStream(
                        "/io/heapsampler/blocks/lines-17-g1.block")) {
            Files.write(snapshot, in.readAllBytes());
        }

        assertThat(run("flamegraph", snapshot)).as(err.toString()).isEqualTo(DONE);
        assertThat(folder.resolve("heap.html")).isNotEmptyFile();
        assertThat(run("flamegraph", snapshot, "--collapsed")).isEqualTo(DONE);
        assertThat(folder.resolve("heap.collapsed")).isNotEmptyFile();
        assertThat(run("flamegraph", snapshot, "-g", "x")).isEqualTo(WRONG);
    }

    @Test
    void commandsForSnapshotsExist() throws IOException {
        Path snapshot = folder.resolve("heap.hsnap");
        snapshotOf("a.A.b;byte[] 5\n").writeTo(snapshot);

        assertThat(run("top", snapshot)).as(err.toString()).isEqualTo(DONE);
        assertThat(out.toString()).contains("byte[]");
    }

    private static HeapSnapshot snapshotOf(String stacks) throws IOException {
        Collapse collapse = new Collapse(null, false, true, Collapse.SURVIVED);
        collapse.read(new BufferedReader(new StringReader(stacks)));
        return collapse.toSnapshot();
    }

    @Test
    void aSnapshotOfStacksHasTheirFigures() throws IOException {
        HeapSnapshot snapshot =
                snapshotOf(
                        """
                        a.b.Main.main:3;c/D.run_[j];x/Y$Z 7
                        start;int[] 5
                        sóló.Ünï.run;byte[]_[i] 1
                        """);

        assertThat(snapshot.totals().allocated().bytes().value()).isEqualTo(13);
        assertThat(snapshot.notes()).isEmpty();
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        snapshot.writeTo(lines, ExportFormat.COLLAPSED);
        assertThat(lines.toString(StandardCharsets.UTF_8).lines())
                .containsExactlyInAnyOrder(
                        "a.b.Main.main;c.D.run_[j];x.Y$Z 7",
                        "(no class).start;int[] 5",
                        "sóló.Ünï.run;byte[] 1");
        assertThat(
                        snapshot.sites().stream()
                                .flatMap(site -> site.stack().stream())
                                .filter(frame -> frame.methodName().equals("main"))
                                .map(frame -> frame.lineNumber().orElse(-1)))
                .containsExactly(3);
    }

    @Test
    void aDiagnosisKeepsItsLinesAndLosesControlCharacters() {
        assertThat(DoctorCommand.printable("one\u001b[2J\n  two\r\u009b1m\n"))
                .isEqualTo("one?[2J\n  two??1m\n");
    }

    @Test
    void theDoctorRefusesJsonWithAnotherFormat() {
        assertThat(run("doctor", "1", "--json", "-f", "html")).isEqualTo(WRONG);
        assertThat(err.toString()).contains("--json prints JSON, but -f names another format.");
    }

    @Test
    void theDoctorRefusesAnExistingFileBeforeItAttaches() {
        assertThat(run("doctor", "1", "-o", stacks)).isEqualTo(FAILED);
        assertThat(err.toString()).contains(" exists. Replace it with --force.");
    }
}
