// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.support.JvmProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

/**
 * Error Prone refuses an assertion without a verdict, by its check that knows no more than a name.
 */
@Tag("once")
@EnabledForJreRange(max = JRE.JAVA_21) // which this version of Error Prone knows
class ErrorProneTest {

    private static final int SECONDS = 120;

    private static final String SOURCE =
            """
            import static io.heapsampler.assertions.AllocationAssertions.assertAllocations;
            import static io.heapsampler.assertj.HeapSamplerAssertions.assertThat;
            import static io.heapsampler.assertj.HeapSamplerBDDAssertions.then;

            import io.heapsampler.*;
            import io.heapsampler.assertj.SoftHeapSamplerAssertions;

            class Chains {
                void of(HeapSnapshot snapshot, HeapGrowth growth, SoftHeapSamplerAssertions softly) {
                    assertAllocations(() -> {}); // open
                    assertAllocations(() -> {}).ofType(String.class); // open
                    assertAllocations(() -> {}).warmup(1).minOf(2); // open
                    assertAllocations(() -> {}).ofType(String.class).allocatesNothing();
                    assertThat(snapshot); // open
                    assertThat(snapshot.sites().get(0)); // open
                    assertThat(snapshot.classes().get(0)); // open
                    assertThat(snapshot.sites().get(0).live().bytes()); // open
                    assertThat(snapshot.diff(snapshot)); // open
                    assertThat(growth); // open
                    then(growth); // open
                    softly.assertThat(snapshot); // open
                    assertThat(snapshot).sitesOf(byte[].class); // open
                    assertThat(snapshot).sitesOf(byte[].class).allocatedBytes(); // open
                    assertThat(snapshot.diff(snapshot)).liveBytes(); // open
                    assertThat(snapshot).sitesOf(byte[].class).allocatesAtMost("1 GB");
                    snapshot.diff(snapshot); // open
                    SamplerOptions.builder().interval(1).build(); // open
                    SamplerOptions.builder(); // open
                    SamplerOptions.Builder options = SamplerOptions.builder();
                    options.interval(1);
                    then(growth).hasNoGrowingSites();
                    softly.assertThat(snapshot).hasNothingLive();
                }
            }
            """;

    /** What the plugin needs of the compiler. */
    private static final List<String> EXPORTED =
            List.of("api", "file", "main", "model", "parser", "processing", "tree", "util");

    private static final List<String> OPENED = List.of("code", "comp");

    @TempDir Path directory;

    private List<String> command(Path source) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "javac").toString());
        for (String name : EXPORTED) {
            command.add(
                    "-J--add-exports=jdk.compiler/com.sun.tools.javac." + name + "=ALL-UNNAMED");
        }
        for (String name : OPENED) {
            command.add("-J--add-opens=jdk.compiler/com.sun.tools.javac." + name + "=ALL-UNNAMED");
        }
        command.addAll(List.of("-J-XX:TieredStopAtLevel=1", "-XDcompilePolicy=simple"));
        command.addAll(List.of("--should-stop=ifError=FLOW", "-Xmaxerrs", "100"));
        command.addAll(List.of("-processorpath", plugin()));
        command.add("-Xplugin:ErrorProne -XepDisableAllChecks -Xep:CheckReturnValue:ERROR");
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(List.of("-d", directory.toString(), source.toString()));
        return command;
    }

    private static String plugin() throws IOException {
        try (Stream<Path> jars = Files.list(Path.of("target/error-prone"))) {
            return String.join(":", jars.map(jar -> jar.toAbsolutePath().toString()).toList());
        }
    }

    @Test
    void everyOpenChainIsAnError() throws Exception {
        Path source = Files.writeString(directory.resolve("Chains.java"), SOURCE);
        List<String> lines = SOURCE.lines().toList();
        List<Integer> open =
                IntStream.rangeClosed(1, lines.size())
                        .filter(line -> lines.get(line - 1).endsWith("// open"))
                        .boxed()
                        .toList();

        JvmProcess.End end =
                new JvmProcess(command(source), directory, directory.resolve("output"))
                        .run(SECONDS);

        assertThat(
                        Pattern.compile("Chains\\.java:(\\d+): error: \\[CheckReturnValue]")
                                .matcher(end.output())
                                .results()
                                .map(error -> Integer.valueOf(error.group(1))))
                .as(end.output())
                .isEqualTo(open);
        assertThat(end.output()).contains("\n" + open.size() + " errors");
    }
}
