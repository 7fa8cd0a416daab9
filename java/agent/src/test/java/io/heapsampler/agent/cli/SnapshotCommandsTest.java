// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.SampleFilter;
import io.heapsampler.export.ExportFormat;
import io.heapsampler.export.ExportOptions;
import io.heapsampler.export.HeapMetric;
import io.heapsampler.internal.BlockWriter;
import io.heapsampler.internal.Info;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands over saved snapshots: output, files and exit codes. */
class SnapshotCommandsTest extends CommandTest {

    private byte[] exported(ExportFormat format, ExportOptions options) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        HeapSnapshot.read(later).writeTo(bytes, format.with(options));
        return bytes.toByteArray();
    }

    @ParameterizedTest
    @EnumSource
    void convertsByFormat(ExportFormat format) throws IOException {
        int code = run("convert", "--force", "-f", format.name().toLowerCase(), later);

        Path file = folder.resolve("later" + format.suffix());
        assertThat(code).as(err.toString()).isEqualTo(DONE);
        assertThat(file).hasBinaryContent(exported(format, ExportOptions.defaults()));
        assertThat(err).hasToString("wrote " + file + System.lineSeparator());
    }

    @Test
    void reportsOnOneSnapshotAndOnTwo() throws IOException {
        assertThat(run("report", later, "--title", "Shop")).as(err.toString()).isEqualTo(DONE);

        ExportOptions titled = ExportOptions.builder().title("Shop").build();
        assertThat(folder.resolve("later.html"))
                .hasBinaryContent(exported(ExportFormat.HTML, titled));
        Path file = folder.resolve("leak.html");
        int code = run("report", later, "-e", earlier, "-o", file, "--no-thread-names");
        assertThat(code).as(err.toString()).isEqualTo(DONE);
        ExportOptions options =
                ExportOptions.builder()
                        .metric(HeapMetric.LIVE_BYTES)
                        .threadNames(name -> "")
                        .title("later.hsnap")
                        .comparedWith(HeapSnapshot.read(earlier))
                        .build();
        assertThat(file).hasBinaryContent(exported(ExportFormat.HTML, options));
    }

    @Test
    void convertsByTheNameOfTheOutputAndItsOptions() throws IOException {
        Path file = folder.resolve("x.json");

        int code =
                run(
                        "convert",
                        later,
                        "-o",
                        file,
                        "--samples",
                        "--max-sites=2",
                        "-m",
                        "live_bytes",
                        "--no-thread-names");

        ExportOptions options =
                ExportOptions.builder()
                        .samples(true)
                        .maxSites(2)
                        .metric(HeapMetric.LIVE_BYTES)
                        .threadNames(name -> "")
                        .build();
        assertThat(code).as(err.toString()).isEqualTo(DONE);
        assertThat(file).hasBinaryContent(exported(ExportFormat.JSON, options));
        assertThat(file).content().doesNotContain("worker-1");
        assertThat(run("convert", later, "-o", file, "--samples", "--force")).isEqualTo(DONE);
        assertThat(file).content().as("with thread names").contains("worker-1");
    }

    /** A snapshot file has them always, so that the option would be broken silently. */
    @Test
    void refusesASnapshotFileWithoutThreadNames() {
        Path file = folder.resolve("x.hsnap");

        int code = run("convert", later, "-o", file, "--no-thread-names");

        assertThat(code).isEqualTo(WRONG);
        assertThat(err.toString()).contains("always contains the names of threads");
        assertThat(file).doesNotExist();
    }

    @Test
    void convertsWithOneLabelOrNone() throws IOException {
        Path labelled = folder.resolve("labelled.hsnap");
        BlockWriter writer = new BlockWriter();
        int site = writer.site(writer.stack(false), "byte[]", 1, 1, 16);
        writer.labelSite(
                site, writer.labels(Map.of("endpoint", "GET /orders", "tenant", "initech")));
        Files.write(labelled, writer.write());
        Path file = folder.resolve("x.csv");

        assertThat(run("convert", labelled, "-o", file)).as(err.toString()).isEqualTo(DONE);
        assertThat(file).content().contains("GET /orders", "initech");
        assertThat(run("convert", labelled, "-o", file, "--force", "--label", "endpoint"))
                .isEqualTo(DONE);
        assertThat(file).content().contains("GET /orders").doesNotContain("initech");
        assertThat(run("convert", labelled, "-o", file, "--force", "--no-labels")).isEqualTo(DONE);
        assertThat(file).content().contains("byte[]").doesNotContain("GET /orders", "initech");
        Path snapshot = folder.resolve("x.hsnap");
        assertThat(run("convert", labelled, "-o", snapshot, "--no-labels")).isEqualTo(WRONG);
        assertThat(err.toString()).contains("always contains all labels");
        assertThat(run("convert", labelled, "-o", file, "--label", "")).isEqualTo(WRONG);
        assertThat(err.toString()).contains("empty");
    }

    /** Of the stack with both tenants: 16 bytes of acme before, 48 after, and 32 of initech. */
    private Path tenants(String name, int acme) throws IOException {
        Path file = folder.resolve(name);
        BlockWriter writer = new BlockWriter();
        int stack = writer.stack(false);
        int site = writer.site(stack, "byte[]", 1, 1, acme);
        writer.labelSite(site, writer.labels(Map.of("tenant", "acme")));
        int other = writer.site(stack, "byte[]", 1, 1, 32);
        writer.labelSite(other, writer.labels(Map.of("tenant", "initech")));
        writer.site(stack, "char[]", 1, 1, 24);
        Files.write(file, writer.write());
        return file;
    }

    @Test
    void commandsChooseTheSamplesOfALabel() throws IOException {
        Path before = tenants("before.hsnap", 16);
        Path after = tenants("after.hsnap", 48);
        Path file = folder.resolve("only.hsnap");

        assertThat(run("top", after, "--only", "tenant=acme")).as(err.toString()).isEqualTo(DONE);
        assertThat(out.toString()).contains("alloc_space: 48").contains("byte[]");
        assertThat(run("top", after, "--only", "tenant=", "--by", "CLASS")).isEqualTo(DONE);
        assertThat(out.toString()).contains("alloc_space: 24", "char[]");
        run("diff", before, after, "--only", "tenant=acme", "-m", "ALLOCATED_BYTES");
        assertThat(out.toString()).contains("alloc_space: from 16", "+32");
        out.getBuffer().setLength(0);
        run("diff", before, after, "--only", "tenant=initech", "-m", "ALLOCATED_BYTES");
        assertThat(out.toString()).contains("alloc_space: from 32", "No site has changed.");
        assertThat(run("convert", after, "-o", file, "--only", "tenant=initech")).isEqualTo(DONE);
        assertThat(HeapSnapshot.read(file).labels("tenant"))
                .singleElement()
                .hasToString(HeapSnapshot.read(after).labels("tenant").get(1).toString());
        assertThat(file)
                .content(StandardCharsets.ISO_8859_1)
                .contains("initech")
                .doesNotContain("acme");
    }

    @Test
    void reportsOnTheChangesOfALabel() throws IOException {
        Path before = tenants("before.hsnap", 16);
        Path after = tenants("after.hsnap", 48);
        Path file = folder.resolve("change.html");

        int code = run("report", after, "-e", before, "-o", file, "--only", "tenant=acme");

        assertThat(code).as(err.toString()).isEqualTo(DONE);
        SampleFilter acme = SampleFilter.label("tenant", "acme");
        ExportOptions options =
                ExportOptions.builder()
                        .metric(HeapMetric.LIVE_BYTES)
                        .title("after.hsnap")
                        .comparedWith(HeapSnapshot.read(before).filter(acme))
                        .build();
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        HeapSnapshot.read(after).filter(acme).writeTo(expected, ExportFormat.HTML.with(options));
        assertThat(file).hasBinaryContent(expected.toByteArray());
    }

    @Test
    void aLabelThatCannotBeChosenIsRefused() throws IOException {
        Path after = tenants("after.hsnap", 48);

        assertThat(run("top", after, "--only", "tenant")).isEqualTo(WRONG);
        assertThat(err.toString()).contains("Name a key and a value, such as tenant=acme");
        assertThat(run("top", after, "--only", "=acme")).isEqualTo(WRONG);
        assertThat(run("top", after, "--only", "tenant=acme", "--by", "THREAD")).isEqualTo(WRONG);
        assertThat(err.toString()).contains("not counted by thread and label together");
    }

    @Test
    void convertsToStandardOutput() throws IOException {
        PrintStream before = System.out;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            assertThat(run("convert", later, "-f", "csv", "-o", "-")).isEqualTo(DONE);
        } finally {
            System.setOut(before);
        }

        assertThat(bytes.toByteArray())
                .isEqualTo(exported(ExportFormat.CSV, ExportOptions.defaults()));
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void replacesNoFileWithoutForce() throws IOException {
        Path file = Files.writeString(folder.resolve("x.csv"), "mine");

        assertThat(run("convert", later, "-o", file)).isEqualTo(FAILED);
        assertThat(err.toString())
                .contains("heapsampler: " + file + " exists. Replace it with --force.");
        assertThat(file).hasContent("mine");
        assertThat(run("convert", later, "-o", file, "--force")).isEqualTo(DONE);
        assertThat(file).content().startsWith("class,");
    }

    @Test
    void listsTheFormatsIfNoneIsGiven() {
        assertThat(run("convert", later)).isEqualTo(WRONG);
        assertThat(err.toString())
                .contains("Name the format, such as -f pprof, or end the name")
                .contains(".pb.gz, .collapsed, .json, .html, .jfr");
        assertThat(run("convert", later, "-o", "x.xls")).isEqualTo(WRONG);
        assertThat(run("convert", later, "-f", "xls")).isEqualTo(WRONG);
        assertThat(err.toString()).contains("expected one of [PPROF, COLLAPSED");
        assertThat(run("convert", later, "-f", "csv", "--max-sites=0")).isEqualTo(WRONG);
        assertThat(err.toString()).contains("--max-sites must be 1 or more: 0");
    }

    @Test
    void reportsProblemsWithFiles() throws IOException {
        Path none = folder.resolve("none.hsnap");
        Path text = Files.writeString(folder.resolve("text.hsnap"), "x".repeat(100));
        Path newer =
                Files.write(folder.resolve("newer.hsnap"), new BlockWriter().version(2).write());

        assertThat(run("top", none)).isEqualTo(FAILED);
        assertThat(run("top", folder)).isEqualTo(FAILED);
        assertThat(run("top", text)).isEqualTo(FAILED);
        assertThat(run("top", newer)).isEqualTo(FAILED);
        assertThat(run("convert", later, "-o", folder.resolve("no/x.csv"))).isEqualTo(FAILED);
        assertThat(err.toString().lines())
                .containsExactly(
                        "heapsampler: "
                                + none
                                + " does not exist. Name a file that record or"
                                + " HeapSnapshot.writeTo() saved.",
                        "heapsampler: " + folder + " is a folder. Name a snapshot file in it.",
                        "heapsampler: Cannot read "
                                + text
                                + ": The snapshot block is damaged: it does not begin with HSNP."
                                + " If it was copied, copy it again, as a binary file.",
                        "heapsampler: Cannot read "
                                + newer
                                + ": The snapshot block is of version 2, this library reads version"
                                + " 1. Read it with the HeapSampler version that wrote it, or a"
                                + " later one.",
                        "heapsampler: The folder of "
                                + folder.resolve("no/x.csv")
                                + " does not exist. Create it first.");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void topRanksSites() {
        assertThat(run("top", later, "-n", "1", "-d", "2")).isEqualTo(DONE);

        assertThat(out.toString().lines().filter(line -> !line.startsWith("Note: ")))
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("Heap at ").contains("interval 4 KiB"),
                        line -> assertThat(line).matches("alloc_space: .* MiB ± \\d+ % in total"),
                        line -> assertThat(line).matches(" *\\d+\\.\\d %  .* KiB ± \\d+ %  .*\\S"),
                        line -> assertThat(line).startsWith("      at "),
                        line -> assertThat(line).startsWith("      at "),
                        line -> assertThat(line).matches(" {6}\\.\\.\\. \\d+ more"));
        assertThat(out.toString()).contains("Note: ");
    }

    @Test
    void topRanksClassesAndThreads() {
        assertThat(run("top", later, "--by", "class", "-m", "live_objects")).isEqualTo(DONE);
        assertThat(out.toString()).contains("inuse_objects: ").contains("  byte[]");
        assertThat(out.toString()).doesNotContain("      at ");

        assertThat(run("top", later, "-b", "thread")).isEqualTo(DONE);
        assertThat(out.toString()).containsPattern("  worker-1 \\(\\d+\\)");
    }

    @Test
    void namesCannotCommandTheTerminal() throws IOException {
        BlockWriter writer = new BlockWriter();
        writer.site(
                writer.stack(false, writer.frame("a\u001b[2J", "m\r", 1)), "b\u009b1m", 1, 1, 9);
        Path file = Files.write(folder.resolve("odd.hsnap"), writer.write());

        assertThat(run("top", file)).isEqualTo(DONE);
        assertThat(out.toString()).contains("b?1m").contains("at a?[2J.m?(Source.java:1)");
        out.getBuffer().setLength(0);
        assertThat(run("top", file, "--json")).isEqualTo(DONE);
        assertThat(out.toString().strip()).doesNotContainPattern("\\p{Cntrl}|[\\x{7f}-\\x{9f}]");
        assertThat(json().toString()).contains("b\u009b1m");
    }

    @Test
    void diffPrintsTheChanges() {
        assertThat(run("diff", earlier, later, "-n", "1", "-d", "1")).isEqualTo(DONE);
        assertThat(out.toString())
                .contains("Before: Heap at ")
                .contains("After:  Heap at ")
                .containsPattern("inuse_space: from .* to .*")
                .containsPattern("(?m)^\\+\\d+\\.\\d KiB.*byte\\[\\]$");

        assertThat(run("diff", later, later, "--growing")).isEqualTo(DONE);
        assertThat(out.toString()).contains("No site has grown.");
        assertThat(run("diff", later, earlier)).isEqualTo(DONE);
        assertThat(out.toString())
                .contains("Note: the first snapshot was taken after the second one.");
    }

    // 55 samples instead of 33: alone that is a chance of 1 in 81, so of 60 sites one may well show
    // it. 80 instead of 33 have one of 1 in 170,000.
    @Test
    void diffListsNoGrowthThatOneOfManySitesShowsByChance() throws IOException {
        Path before = sites("before.hsnap", 10, 33, 33);

        assertThat(run("diff", before, sites("chance.hsnap", 20, 33, 55), "-g")).isEqualTo(DONE);
        assertThat(out.toString()).contains("No site has grown.").doesNotContain("a.Site0");
        assertThat(run("diff", before, sites("leak.hsnap", 20, 33, 80), "-g")).isEqualTo(DONE);
        assertThat(out.toString()).contains("a.Site0").doesNotContain("a.Site1");
    }

    @Test
    void diffWritesAProfile() {
        Path file = folder.resolve("delta.pb.gz");

        assertThat(run("diff", earlier, later, "-o", file)).isEqualTo(DONE);
        assertThat(file).isNotEmptyFile();
        assertThat(run("diff", earlier, later, "-o", folder.resolve("delta.csv"))).isEqualTo(WRONG);
        assertThat(err.toString())
                .contains("A difference is written as pprof only: end the name of the output with")
                .contains(".pb.gz.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"convert", "top", "diff", "report"})
    void everyCommandHasHelp(String command) {
        assertThat(run(command, "--help")).isEqualTo(DONE);
        assertThat(out.toString()).startsWith("Usage: heapsampler " + command);
        assertThat(run(command)).isEqualTo(WRONG);
        assertThat(err.toString()).contains("Missing required parameter");
    }

    @Test
    void theJarHasAVersion() {
        assertThat(run("--version")).isEqualTo(DONE);
        assertThat(out.toString()).contains("heapsampler (unpacked)");
    }

    @Test
    void headContainsTheSamplingStrategy() throws IOException {
        assertThat(head(new BlockWriter().info(Info.INTERVAL, 65_536)))
                .contains(" sites, interval 64 KiB, ");
        assertThat(head(new BlockWriter().info(Info.STRATEGY, 1).info(Info.STRATEGY_AMOUNT, 50)))
                .contains(" sites, one in 50 allocations, ");
        assertThat(
                        head(
                                new BlockWriter()
                                        .info(Info.INTERVAL, 65_536)
                                        .info(Info.STRATEGY, 2)
                                        .info(Info.STRATEGY_AMOUNT, 20_000)))
                .contains(" sites, interval 64 KiB, at most one per PT0.02S, ");
    }

    private static String head(BlockWriter block) throws IOException {
        return Printing.head(HeapSnapshot.read(new ByteArrayInputStream(block.write())));
    }
}
