// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heapsampler.agent.OptionReader.Placeholders;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file that could not be written is refused before sampling starts. */
class FileOptionsTest {

    private static final Placeholders PLACEHOLDERS =
            new Placeholders(4711, Instant.parse("2026-11-22T10:15:00Z"));

    @TempDir private Path folder;
    private final Properties properties = new Properties();
    private final Map<String, String> environment = Map.of();

    private AgentOptions read(String argument) {
        return new AgentOptions(OptionReader.read(argument, properties, environment, PLACEHOLDERS));
    }

    @Test
    void aFileThatCannotBeWrittenIsRefused() {
        assertThatThrownBy(() -> read("output.file=/no/dir/s.txt"))
                .hasMessage(
                        "output.file=/no/dir/s.txt (in the agent's argument) cannot be written:"
                                + " there is no folder /no/dir. Make it first, or name another.");
        assertThatThrownBy(() -> read("recorder=lifetime,output.file=" + folder))
                .hasMessage(
                        "output.file="
                                + folder
                                + " (in the agent's argument) cannot be written: that is a folder."
                                + " Name a file in it.");
        assertThatThrownBy(() -> read("sample.delay.secs=1,reportOnOom=/no/such/oom.txt"))
                .hasMessageStartingWith("reportOnOom=/no/such/oom.txt (in the agent's argument)");
        assertThatThrownBy(() -> read("reportOnExit=/no/such/r.html"))
                .hasMessageStartingWith("reportOnExit=/no/such/r.html (in the agent's argument)");
    }

    /** The JDK's own classes are read-only, even for root. */
    @Test
    void aReadOnlyFolderIsRefused() throws Exception {
        OptionReader values = OptionReader.read(null, properties, environment, PLACEHOLDERS);
        Path file = Path.of(URI.create("jrt:/java.base/s.txt"));
        String refusal =
                "output.file=%s (in the defaults) cannot be written: this process may not write to"
                        + " /modules/java.base. Name another.";

        assertThatThrownBy(() -> values.requireFile(Option.OUTPUT_FILE, file))
                .hasMessage(refusal, file);
        assertThatThrownBy(() -> values.requireFileInPlace(Option.OUTPUT_FILE, file))
                .hasMessage(refusal, file);
        Path deep = file.resolveSibling("no/such/s.hsnap");
        assertThatThrownBy(() -> values.requireFileInNewFolder(Option.OUTPUT_FILE, deep))
                .hasMessage(refusal, deep);
    }

    /** Such as the termination log of a container, in a read-only folder. */
    @Test
    void aFileWrittenInPlaceNeedsNoWritableFolder() throws Exception {
        OptionReader values = OptionReader.read(null, properties, environment, PLACEHOLDERS);
        Path there = Path.of(URI.create("jrt:/java.base/module-info.class"));

        assertThatThrownBy(() -> values.requireFileInPlace(Option.OUTPUT_FILE, there))
                .hasMessageContaining("may not write to " + there + ".");
        assertThatThrownBy(() -> values.requireReport(Option.REPORT_ON_OOM, there))
                .hasMessageContaining("this process may not write it.");
        assertThatThrownBy(() -> values.requireFile(Option.OUTPUT_FILE, there))
                .hasMessageContaining("may not write to " + there.getParent() + ".");
    }

    @Test
    void aFolderForSnapshotsThatCannotBeCreatedIsRefused() throws Exception {
        Path plain = Files.createFile(folder.resolve("plain"));
        Path file = plain.resolve("heap.hsnap");

        assertThatThrownBy(() -> read("recorder=snapshot,output.file=" + file))
                .hasMessage(
                        "output.file="
                                + file
                                + " (in the agent's argument) cannot be written: "
                                + plain
                                + " is no folder. Name another.");
        assertThat(read("recorder=snapshot,output.file=" + folder + "/new/heap.hsnap").outputFile)
                .hasFileName("heap.hsnap");
    }

    @Test
    void aReportNearALimitHasAFileAndAShare() throws Exception {
        Path file = folder.resolve("near.txt");
        assertThat(read("reportNearLimit=" + file).sampler)
                .hasToString(read("recorder=flame").sampler + ", reportNearLimit=0.9 in " + file);
        assertThat(read("reportNearLimit=" + file + ",nearLimitShare=0.75").sampler.toString())
                .endsWith(", reportNearLimit=0.75 in " + file);
        assertThatThrownBy(() -> read("reportNearLimit=/no/such/near.txt"))
                .hasMessageStartingWith(
                        "reportNearLimit=/no/such/near.txt (in the agent's argument)");
        assertThatThrownBy(() -> read("reportNearLimit=" + file + ",reportOnOom=" + file))
                .hasMessage(
                        "reportNearLimit and reportOnOom both name %s, where one would replace the"
                                + " other. Name two files.",
                        file);
    }

    /** The same as for a caller that wants the report in code. */
    @Test
    void aReportAtASymbolicLinkIsRefusedAtTheStart() throws Exception {
        Path link = Files.createSymbolicLink(folder.resolve("oom.txt"), folder.resolve("other"));

        assertThatThrownBy(() -> read("sample.delay.secs=60,reportOnOom=" + link))
                .hasMessage(
                        "reportOnOom=%s (in the agent's argument) is not valid: reportOnOom names"
                                + " %s, where no report can be written: it is a symbolic link. Name"
                                + " a file of this user's own, in a folder that others cannot write"
                                + " to.",
                        link, link);
    }
}
