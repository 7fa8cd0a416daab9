// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static io.heapsampler.assertions.AllocationAssertions.assertAllocations;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.support.JvmProcess;
import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The assertions need nothing of JUnit: here there is none. */
@Tag("once")
class WithoutEngineTest {

    /** What a program without a test engine does. */
    static final class Main {

        private Main() {}

        public static void main(String[] args) {
            try {
                Class.forName("org.junit.jupiter.api.Test");
                System.out.println("JUnit is there");
            } catch (ClassNotFoundException e) {
                System.out.println("no JUnit");
            }
            Sink.forget(); // initialises it
            assertAllocations(() -> Sink.kilobytes(10))
                    .allocatesAtMost("10 KB")
                    .allocatesAtMost("1 MB");
            try {
                assertAllocations(() -> Sink.kilobytes(10)).allocatesAtMost("1 KB");
            } catch (AssertionError e) {
                System.out.println(e.getMessage());
            }
        }
    }

    @Test
    void assertionsWorkInAPlainProgram() throws Exception {
        String path =
                Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                        .filter(
                                entry ->
                                        !Path.of(entry).getFileName().toString().contains("junit-"))
                        .filter(entry -> !entry.contains("surefire"))
                        .collect(Collectors.joining(File.pathSeparator));
        path += File.pathSeparator + ofClass("io.heapsampler.assertions.ThrowingRunnable");
        JvmProcess.End end = ForkedJvm.run(List.of("-cp", path, Main.class.getName()));

        assertThat(end.output())
                .contains("no JUnit")
                .contains("The code allocated 10,160 bytes, limit 1 KB")
                .contains("at io.heapsampler.tests.junit.Sink.kilobytes(Sink.java:");
        assertThat(end.code()).isZero();
    }

    private static String ofClass(String name) throws Exception {
        return Path.of(
                        Class.forName(name)
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .toURI())
                .toString();
    }
}
