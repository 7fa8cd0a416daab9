// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.loading;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A JVM of its own, of the tested kind, in a folder of its own. Where the JVM knows JEP 472, native
 * access is denied to all but the class path, unless a test says otherwise.
 */
final class ForkedJvm {

    private static final int DEADLINE_SECONDS = 60;
    private static final int FIRST_WITH_DENY = 24;

    private final Path folder;
    private final List<String> wrapper = new ArrayList<>();
    private final List<String> flags = new ArrayList<>();
    private List<String> access = List.of();
    private List<Path> classPath = List.of(Core.path(), Core.testClasses());

    /**
     * Prepares a JVM.
     *
     * @param folder where it works; may be shared by several
     */
    ForkedJvm(Path folder) {
        this.folder = folder;
        if (knowsDeny()) {
            access = List.of("--illegal-native-access=deny", "--enable-native-access=ALL-UNNAMED");
        }
    }

    static boolean knowsDeny() {
        return Runtime.version().feature() >= FIRST_WITH_DENY;
    }

    ForkedJvm flags(String... more) {
        flags.addAll(Arrays.asList(more));
        return this;
    }

    ForkedJvm property(String name, Object value) {
        return flags("-D" + name + "=" + value);
    }

    /** Replaces the flags for native access. */
    ForkedJvm access(String... replacement) {
        access = Arrays.asList(replacement);
        return this;
    }

    ForkedJvm classPath(Path... replacement) {
        classPath = Arrays.asList(replacement);
        return this;
    }

    /** Sets a command that runs the JVM's command line, given as its last arguments. */
    ForkedJvm through(List<String> command) {
        wrapper.addAll(command);
        return this;
    }

    Outcome probe(String... steps) {
        return main(Probe.class.getName(), steps);
    }

    Outcome main(String name, String... arguments) {
        String joined = classPath.stream().map(Path::toString).collect(Collectors.joining(":"));
        List<String> command = new ArrayList<>(List.of("-cp", joined, name));
        command.addAll(Arrays.asList(arguments));
        return run(command);
    }

    Outcome jar(Path jar, String... arguments) {
        List<String> command = new ArrayList<>(List.of("-jar", jar.toString()));
        command.addAll(Arrays.asList(arguments));
        return run(command);
    }

    private Outcome run(List<String> rest) {
        List<String> command = new ArrayList<>(wrapper);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(inheritedFlags());
        command.addAll(List.of("-Xmx256m", "-XX:-CreateCoredumpOnCrash"));
        command.add("-Djava.io.tmpdir=" + folder);
        command.addAll(access);
        command.addAll(flags);
        command.addAll(rest);
        try {
            Path output = Files.createTempFile(folder, "output", ".txt");
            int code = run(command, output);
            Outcome outcome = new Outcome(code, Files.readString(output));
            assertHealthy(outcome);
            return outcome;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted", e);
        }
    }

    /** The collector under test. */
    private static List<String> inheritedFlags() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(flag -> flag.startsWith("-XX:"))
                .toList();
    }

    private int run(List<String> command, Path output) throws IOException, InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile());
        builder.environment().put("LC_ALL", "C");
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        Process process = builder.start();
        try {
            if (process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
                return process.exitValue();
            }
            askForStacks(process);
            throw new AssertionError(
                    "no end after " + DEADLINE_SECONDS + " s:\n" + Files.readString(output));
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    private static void askForStacks(Process process) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-QUIT", Long.toString(process.pid()))
                .redirectErrorStream(true)
                .redirectOutput(Redirect.DISCARD)
                .start()
                .waitFor();
        process.waitFor(2, TimeUnit.SECONDS);
    }

    private void assertHealthy(Outcome outcome) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files.map(Path::getFileName).map(Path::toString))
                    .as("crash reports of\n%s", outcome)
                    .noneMatch(name -> name.startsWith("hs_err"));
        }
        assertThat(outcome.output())
                .doesNotContain("A fatal error has been detected")
                .doesNotContain("in native method");
    }
}
