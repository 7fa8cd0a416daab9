// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.loading;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.support.Jdk;
import io.heapsampler.support.JvmProcess;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A JVM of its own, of the tested kind, in a folder of its own. Where the JVM knows JEP 472, native
 * access is denied to all but the class path, unless a test says otherwise.
 */
final class ForkedJvm {

    private static final int DEADLINE_SECONDS = 200;
    private static final Jdk JDK = Jdk.own();

    private final Jdk jdk;
    private final Path folder;
    private final List<String> wrapper = new ArrayList<>();
    private final List<String> flags = new ArrayList<>();
    private List<String> access;
    private List<Path> classPath = List.of(Core.path(), Core.testClasses());

    /**
     * Prepares a JVM.
     *
     * @param folder where it works; may be shared by several
     */
    ForkedJvm(Path folder) {
        this(JDK, folder);
    }

    /** Prepares a JVM of another kind than the one that runs. */
    ForkedJvm(Jdk jdk, Path folder) {
        this.jdk = jdk;
        this.folder = folder;
        this.access = jdk.accessFlags();
    }

    static boolean knowsDeny() {
        return JDK.knowsDeny();
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
        command.add(jdk.java().toString());
        command.addAll(inheritedFlags());
        command.addAll(List.of("-Xmx256m", "-XX:-CreateCoredumpOnCrash"));
        command.add("-Djava.io.tmpdir=" + folder);
        command.addAll(access);
        command.addAll(flags);
        command.addAll(rest);
        try {
            Path output = Files.createTempFile(folder, "output", ".txt");
            JvmProcess.End end = new JvmProcess(command, folder, output).run(DEADLINE_SECONDS);
            Outcome outcome = new Outcome(end.code(), end.output());
            assertThat(end.code())
                    .as("no end after %d s:%n%s", DEADLINE_SECONDS, outcome)
                    .isNotNegative();
            assertHealthy(outcome);
            return outcome;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** The collector under test. */
    private static List<String> inheritedFlags() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(flag -> flag.startsWith("-XX:"))
                .toList();
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
