// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agenttest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.heapsampler.support.Jdk;
import io.heapsampler.support.JvmProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The workflow of the flame sampler, with the agent in its place. */
class FlameWorkflowTest {

    private static final Path FLAMEGRAPH = Path.of("/usr/share/perl5/Devel/NYTProf/flamegraph.pl");

    @TempDir private Path folder;

    static Stream<Jdk> jdks() {
        return Jdk.all().stream();
    }

    /** What the flame sampler's documentation says to do, word by word, on a database. */
    @ParameterizedTest
    @MethodSource("jdks")
    void theWorkflowOfTheFlameSampler(Jdk jdk) throws Exception {
        Path properties =
                Files.writeString(
                        folder.resolve("flame.properties"),
                        """
                        recorder=flame
                        output.file=stacks.txt
                        stack.trace.verbosity=methodClassName
                        record.size=true
                        sample.delay.secs=0
                        sample.strategy=allocationCount
                        sample.rate=100
                        reportOnExit=report.html
                        exitTimeoutMs=60000
                        """);

        JvmProcess.End end = new AgentJvm(jdk, folder).agent(properties.toString()).run("work");

        // Nothing is said, and the application's own HeapSampler is that of the agent.
        assertThat(end.output()).isEqualTo("state=RUNNING\nsites=true\n");
        assertThat(end.code()).isZero();
        assertThat(folder.resolve("report.html")).isNotEmptyFile();
        List<String> stacks = Files.readAllLines(folder.resolve("stacks.txt"));
        assertSeen(stacks, "viaNew", "io/heapsampler/agenttest/Hooks$Box");
        assertSeen(stacks, "viaNewarray", "int[]");
        assertSeen(stacks, "viaAnewarray", "java/lang/String[]");
        assertSeen(stacks, "viaMultianewarray", "long[]");
        assertSeen(stacks, "viaArrayNewInstance", "io/heapsampler/agenttest/Hooks$Box[]");
        assertSeen(
                stacks, "viaArrayNewInstanceOfDimensions", "io/heapsampler/agenttest/Hooks$Box[]");
        assertSeen(stacks, "viaClassNewInstance", "io/heapsampler/agenttest/Hooks$Box");
        assertSeen(stacks, "viaConstructor", "io/heapsampler/agenttest/Hooks$Box");
        assertSeen(stacks, "viaClone", "io/heapsampler/agenttest/Hooks$Box");
        assertSeen(stacks, "viaArrayClone", "int[]");
        assertThat(stacks).anyMatch(line -> line.contains(";org.h2."));
        if (jdk.equals(Jdk.all().get(0))) {
            draw(jdk);
        }
    }

    private static void assertSeen(List<String> stacks, String method, String type) {
        assertThat(stacks)
                .anyMatch(
                        line ->
                                line.contains(";io.heapsampler.agenttest.Hooks." + method + ";")
                                        && line.matches(
                                                ".*;"
                                                        + java.util.regex.Pattern.quote(type)
                                                        + " \\d+"));
    }

    private void draw(Jdk jdk) throws Exception {
        // The form that the flame sampler's jar had.
        JvmProcess.End end = AgentJvm.command(jdk, folder, "stacks.txt", "ORG.h2");
        assertThat(end.code()).as(end.output()).isZero();
        assertThat(end.output())
                .startsWith("Finished FlameCollapse! Collapsed ")
                .contains(" rows without \"org.h2\".");
        List<String> collapsed = Files.readAllLines(folder.resolve("collapsed.txt"));
        assertThat(collapsed).isNotEmpty().allMatch(line -> line.startsWith("org.h2."));

        end = AgentJvm.command(jdk, folder, "flamegraph", "stacks.txt", "-g", "h2");
        assertThat(end.code()).as(end.output()).isZero();
        assertThat(folder.resolve("stacks.txt.html")).isNotEmptyFile();

        if (!"true".equals(System.getenv("CI"))) {
            assumeThat(FLAMEGRAPH).as("tests/agent/run installs it").exists();
        }
        assertThat(FLAMEGRAPH).as("tests/agent/run installs it").exists();
        Path svg = folder.resolve("flamegraph.svg");
        Process perl =
                new ProcessBuilder("perl", FLAMEGRAPH.toString(), "collapsed.txt")
                        .directory(folder.toFile())
                        .redirectOutput(svg.toFile())
                        .start();
        assertThat(perl.waitFor()).isZero();
        assertThat(svg).content().contains("<svg").contains("org.h2.");
    }

    /** Java 17 starts a program from its source. */
    @Test
    void theExampleWritesWhatItsReadmeSays() throws Exception {
        Path example = Path.of("../../examples/agent").toAbsolutePath().normalize();
        Path source = example.resolve("src/main/java/io/heapsampler/examples/orders/Orders.java");
        List<String> command =
                List.of(
                        Jdk.own().java().toString(),
                        "-Dheapsampler.agent.exitTimeoutMs=60000",
                        "-javaagent:" + AgentJvm.JAR + "=" + example.resolve("flame.properties"),
                        source.toString(),
                        "1");
        Path output = folder.resolve("orders.txt");

        JvmProcess.End end = new JvmProcess(command, folder, output).run(120);

        assertThat(end.output()).isEqualTo("served orders\n");
        assertThat(folder.resolve("stacks.txt"))
                .content()
                .contains("Orders.serve;io.heapsampler.examples.orders.Orders.remember;");
    }
}
