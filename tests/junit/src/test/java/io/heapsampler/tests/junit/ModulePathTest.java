// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.support.JvmProcess;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** A small project with modules, in {@code src/modular}, which the build compiles as such. */
class ModulePathTest {

    private static final List<String> JARS =
            List.of("heapsampler-", "junit-", "opentest4j", "apiguardian");

    @Test
    void namedModuleIsMeasuredLikeAnyOther() throws Exception {
        String text = output();

        assertThat(text)
                .startsWith("module io.heapsampler.tests.modular\n")
                .contains("\n2 passed\n")
                .contains("ModularCases.one() allocated 16 bytes, limit 0 bytes: 16 B too much.")
                .contains("Measured: exact, the JVM's own count in the test's thread")
                .contains("at io.heapsampler.tests.modular.ModularCases.one(ModularCases.java:")
                .contains("ModularCases.keeps() left 5,072 bytes alive")
                .contains("ModularCases.leaks() leaks: ")
                .contains(
                        "At io.heapsampler.tests.modular.ModularCases$Misplaced.measured:"
                                + " @NoAllocation is on a method that is no test");
    }

    private static String output() throws Exception {
        List<String> command = new ArrayList<>();
        if (Runtime.version().feature() >= 24) {
            command.add("--illegal-native-access=deny");
            command.add("--enable-native-access=io.heapsampler");
        }
        command.add("-Dheapsampler.junit.artifacts=never");
        command.add("--module-path");
        command.add(modulePath());
        command.add("--module");
        command.add("io.heapsampler.tests.modular/io.heapsampler.tests.modular.Main");
        JvmProcess.End end = ForkedJvm.run(command);
        assertThat(end.code()).as(end.output()).isZero();
        return end.output();
    }

    /** The jars of this test's class path, and the module that the build has compiled. */
    private static String modulePath() throws Exception {
        Path classes =
                Path.of(
                        ModulePathTest.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .toURI());
        String jars =
                Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                        .filter(entry -> isWanted(Path.of(entry).getFileName().toString()))
                        .collect(Collectors.joining(File.pathSeparator));
        return classes.resolveSibling("modular") + File.pathSeparator + jars;
    }

    private static boolean isWanted(String name) {
        return name.endsWith(".jar")
                && !name.startsWith("heapsampler-tests-")
                && JARS.stream().anyMatch(name::startsWith);
    }
}
