// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agenttest;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.support.Jdk;
import io.heapsampler.support.JvmProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lifetimes under the collectors that {@link AttachTest} does not have, with their names. */
class LifetimeTest {

    @TempDir private Path folder;

    /** Whatever a collector calls itself: a blank in a name is an underscore in the file. */
    @ParameterizedTest
    @CsvSource({"G1,G1_Young_Generation", "Parallel,PS_Scavenge"})
    void isWrittenUnder(String collector, String name) throws Exception {
        Path file = folder.resolve("lifetime.txt");

        JvmProcess.End end =
                new AgentJvm(Jdk.own(), folder)
                        .agent("recorder=lifetime,interval=16k,exitTimeoutMs=60000")
                        .flags("-XX:+Use" + collector + "GC")
                        .run(
                                "serve",
                                (process, output) -> {
                                    Deadline.await(
                                            process,
                                            () ->
                                                    has(file, " survived\n", " died\n")
                                                            && has(file, name + ":"));
                                    process.getOutputStream().write('\n');
                                    process.getOutputStream().flush();
                                });

        assertThat(end.code()).as(end.output()).isZero();
        List<String> lines = Files.readAllLines(file);
        assertThatTheyAreWhole(lines);
        assertThat(lines)
                .anyMatch(line -> line.matches("#GC .* causes=(\\S+,)?" + name + ":\\S+ .*"));
    }

    /** Returns whether each of these texts is in a file. */
    static boolean has(Path file, String... texts) throws Exception {
        if (!Files.exists(file)) {
            return false;
        }
        return Stream.of(texts).allMatch(Files.readString(file)::contains);
    }

    /** Fails unless there are collections and an end, and all lines have the documented form. */
    static void assertThatTheyAreWhole(List<String> lines) {
        assertThat(lines)
                .anyMatch(line -> line.matches("#GC epoch=\\d+ collections=\\d+ causes=.+"));
        assertThat(lines).anyMatch(line -> line.startsWith("#END time="));
        for (String state : List.of(" survived", " died")) {
            assertThat(lines)
                    .filteredOn(line -> line.endsWith(state))
                    .allMatch(line -> line.matches("\\S+ \\d+ \\d+ \\d+" + state));
        }
    }
}
