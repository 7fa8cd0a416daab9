// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agenttest;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapSampler;
import io.heapsampler.support.Jdk;
import io.heapsampler.support.JvmProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import org.h2.Driver;

/** JVMs that know nothing of HeapSampler, except for the agent's jar. */
final class AgentJvm {

    /** Only for what hangs. */
    private static final int SECONDS = 120;

    static final Path JAR = Path.of(System.getProperty("agent.jar")).toAbsolutePath().normalize();

    private final Jdk jdk;
    private final Path folder;
    private final List<String> flags = new ArrayList<>();
    private final List<String> classPath = new ArrayList<>();

    AgentJvm(Jdk jdk, Path folder) {
        this.jdk = jdk;
        this.folder = folder;
        flags.addAll(List.of("-Xmx256m", "-XX:-CreateCoredumpOnCrash"));
        flags.add("-Dheapsampler.agent.exitTimeoutMs=60000"); // what an argument says wins
        flags.addAll(jdk.accessFlags());
    }

    AgentJvm flags(String... more) {
        flags.addAll(Arrays.asList(more));
        return this;
    }

    AgentJvm agent(String options) {
        // Tests count samples, whatever these cost.
        return flags(
                "-Dheapsampler.maxOverhead=1",
                "-javaagent:" + JAR + (options.isEmpty() ? "" : "=" + options));
    }

    /** Puts something before the application on the class path. */
    AgentJvm before(Path path) {
        classPath.add(path.toString());
        return this;
    }

    /** Starts the application and waits for its end. */
    JvmProcess.End run(String mode) throws Exception {
        return checked(process(mode).run(SECONDS));
    }

    /** Starts the application, and does something to it. */
    JvmProcess.End run(String mode, JvmProcess.Companion companion) throws Exception {
        return process(mode).run(SECONDS, companion);
    }

    /** Puts HeapSampler's module, and the application beside it, on the module path. */
    AgentJvm withCoreAsModule() throws Exception {
        return flags("--module-path", codeOf(HeapSampler.class), "--add-modules", "io.heapsampler");
    }

    /** The jar of the core, as other applications have it. */
    static Path core() throws Exception {
        return Path.of(codeOf(HeapSampler.class));
    }

    private JvmProcess process(String mode) throws Exception {
        List<String> path = new ArrayList<>(classPath);
        path.add(codeOf(App.class));
        path.add(codeOf(Driver.class));
        List<String> command = new ArrayList<>(List.of(jdk.java().toString()));
        command.addAll(flags);
        command.addAll(List.of("-cp", String.join(":", path), App.class.getName(), mode));
        return new JvmProcess(command, folder, Files.createTempFile(folder, "app", ".txt"));
    }

    private static String codeOf(Class<?> type) throws Exception {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
    }

    /** Runs the command line of the jar. */
    static JvmProcess.End command(Jdk jdk, Path folder, Object... words) throws Exception {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                jdk.java().toString(),
                                "-Xmx256m",
                                "-XX:TieredStopAtLevel=1",
                                "-Dsun.tools.attach.attachTimeout=100000",
                                "-jar",
                                JAR.toString()));
        Arrays.stream(words).map(String::valueOf).forEach(command::add);
        Path output = Files.createTempFile(folder, "command", ".txt");
        return checked(new JvmProcess(command, folder, output).run(SECONDS));
    }

    /**
     * Runs the command line of the jar, and presses Ctrl+C when it waits.
     *
     * @param before what to do before that
     */
    static JvmProcess.End interrupted(Jdk jdk, Path folder, Callable<?> before, List<String> words)
            throws Exception {
        List<String> command = new ArrayList<>(List.of(jdk.java().toString(), "-jar"));
        command.add(JAR.toString());
        command.addAll(words);
        Path output = Files.createTempFile(folder, "command", ".txt");
        return checked(
                new JvmProcess(command, folder, output)
                        .run(
                                SECONDS,
                                (process, written) -> {
                                    Deadline.await(
                                            process,
                                            () -> Files.readString(written).contains("Ctrl+C"));
                                    before.call();
                                    JvmProcess.signal(process, "INT");
                                }));
    }

    /** Runs the command line of the jar in a runtime that has only some modules. */
    static JvmProcess.End commandWithout(Jdk jdk, Path folder, String modules, String... words)
            throws Exception {
        List<String> command = new ArrayList<>(List.of(jdk.java().toString()));
        command.addAll(List.of("--limit-modules", modules, "-jar", JAR.toString()));
        command.addAll(List.of(words));
        Path output = Files.createTempFile(folder, "command", ".txt");
        return checked(new JvmProcess(command, folder, output).run(SECONDS));
    }

    private static JvmProcess.End checked(JvmProcess.End end) {
        assertThat(end.code()).as("no end in time:%n%s", end.output()).isNotNegative();
        return end;
    }
}
