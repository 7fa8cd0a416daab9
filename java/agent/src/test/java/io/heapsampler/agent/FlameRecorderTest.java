// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.agent.OptionReader.Placeholders;
import io.heapsampler.internal.BlockWriter;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines of {@code stacks.txt}, in the format of the flame sampler. */
class FlameRecorderTest {

    @TempDir private Path folder;

    /** Four sites, of which two differ in lines only, and one of a nameless thread. */
    private static BlockWriter heap() {
        BlockWriter block = new BlockWriter();
        int main = block.frame("com.acme.Shop", "main", 12);
        int entries = block.frame("java.util.TreeMap", "entrySet", 1085);
        int copy = block.frame("java.util.Arrays", "copyOf", 3585);
        int later = block.frame("java.util.Arrays", "copyOf", 3590);
        int odd = block.frame("script.Odd Name;x", "it says #1", 3);
        block.site(block.stack(false, entries, main), "java.util.TreeMap$EntrySet", 1, 2, 48);
        block.site(block.stack(false, copy, main), "byte[]", 3, 30, 3000);
        block.site(block.stack(false, later, main), "byte[]", 1, 10, 500);
        block.site(block.stack(true, odd), "com.acme.Order[][]", 1, 1, 64);
        block.site(-1, block.name(""), 1, 1, 1, 7, 1, 7, -1);
        block.site(block.stack(false), "int[]", 1, 1, 16);
        return block;
    }

    private static AgentOptions options(String argument) {
        return new AgentOptions(
                OptionReader.read(argument, new Properties(), Map.of(), Placeholders.now()));
    }

    private static String written(String argument, HeapSnapshot snapshot) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        options(argument).lines.write(snapshot, out);
        return out.toString(StandardCharsets.UTF_8);
    }

    private static String written(String argument) throws Exception {
        return written(argument, Snapshots.of(heap()));
    }

    private String golden(String name) throws Exception {
        try (InputStream in = FlameRecorderTest.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ",outputFormat=json"})
    void tempFilesOfAKilledRunAreDeleted(String format) throws Exception {
        Path file = folder.resolve("out.txt");
        Path old = Files.writeString(folder.resolve("out.txt.1a2b.part"), "half");
        FileTime before = FileTime.from(Instant.now().minus(Leftovers.QUIET.multipliedBy(2)));
        Files.setLastModifiedTime(old, before);
        Path beingWritten = Files.writeString(folder.resolve("out.txt.1a2c.part"), "half");

        Recorder.of(options("output.file=" + file + format)).write(Snapshots.of(heap()), false);

        assertThat(file).isNotEmptyFile();
        assertThat(old).doesNotExist();
        assertThat(beingWritten).exists();
    }

    @Test
    void linesAreThoseOfTheFlameSampler() throws Exception {
        assertThat(written("recorder=flame")).isEqualTo(golden("stacks.txt"));
    }

    @Test
    void verbosityIsThatOfTheFlameSampler() throws Exception {
        assertThat(written("stack.trace.verbosity=methodName"))
                .contains("main;entrySet;java/util/TreeMap$EntrySet 48\n");
        assertThat(written("stack.trace.verbosity=methodClassLineNumber"))
                .contains(
                        "com.acme.Shop.main:12;java.util.Arrays.copyOf:3585;byte[] 3000\n",
                        "com.acme.Shop.main:12;java.util.Arrays.copyOf:3590;byte[] 500\n");
    }

    @Test
    void sizesCanBeLeftOutAndTypesDotted() throws Exception {
        assertThat(written("record.size=false"))
                .contains("com.acme.Shop.main;java.util.Arrays.copyOf;byte[] 40\n");
        assertThat(written("record.size=false,outputBytes=raw"))
                .contains("com.acme.Shop.main;java.util.Arrays.copyOf;byte[] 4\n");
        assertThat(written("typeNames=dotted"))
                .contains("java.util.TreeMap.entrySet;java.util.TreeMap$EntrySet 48\n");
    }

    @Test
    void rawBytesAreThoseOfTheSamplesThemselves() throws Exception {
        BlockWriter block = new BlockWriter();
        int stack = block.stack(false, block.frame("com.acme.Shop", "main", 1));
        block.site(stack, block.name("byte[]"), 2, 100, 1, 50_000, 1, 1_000, -1);
        HeapSnapshot snapshot = Snapshots.of(block);

        assertThat(written("outputBytes=raw", snapshot))
                .isEqualTo("com.acme.Shop.main;byte[] 1000\n");
        assertThat(written("outputBytes=estimated", snapshot))
                .isEqualTo("com.acme.Shop.main;byte[] 50000\n");
    }

    @Test
    void liveCountsOnlyLiveObjects() throws Exception {
        BlockWriter block = new BlockWriter();
        int stack = block.stack(false, block.frame("com.acme.Shop", "main", 1));
        int site = block.site(stack, "byte[]", 9, 9, 900);
        int thread = block.thread(1, "main");
        block.living(site, thread, 100, 1_000, 0, 0, 1, 1);
        block.living(site, thread, 50, 1_000, 0, 0, 0, 0);

        assertThat(written("live=true", Snapshots.of(block)))
                .isEqualTo("com.acme.Shop.main;byte[] 100\n");
    }

    @Test
    void includeAndExcludeLookAtFramesAndClasses() throws Exception {
        assertThat(written("include=java.util.TreeMap"))
                .isEqualTo(
                        "com.acme.Shop.main;java.util.TreeMap.entrySet;java/util/TreeMap$EntrySet"
                                + " 48\n");
        assertThat(written("include=com.acme,exclude=java.util:com.acme.Order")).isEqualTo("");
        assertThat(written("include=com.acm")).isEqualTo("");
    }

    @Test
    void allocationsOfTheAgentAreNotWritten() throws Exception {
        BlockWriter block = new BlockWriter();
        int own = block.frame("io.heapsampler.agent.internal.export.PprofExporter", "export", 1);
        block.site(block.stack(false, own), "byte[]", 9, 9, 900);

        assertThat(written("", Snapshots.of(block))).isEmpty();
    }

    @Test
    void theFileIsReplacedAsAWhole() throws Exception {
        Path file = folder.resolve("stacks.txt");
        Files.writeString(file, "of an earlier run 1\n");
        Recorder recorder = Recorder.of(options("output.file=" + file));

        recorder.write(Snapshots.of(heap()), false);
        assertThat(file).hasContent(golden("stacks.txt"));
        recorder.write(Snapshots.of(new BlockWriter()), true);
        assertThat(file).isEmptyFile();
        assertThat(folder).isDirectoryNotContaining("glob:**.part");
    }
}
