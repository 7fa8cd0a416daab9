// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Callers of {@code System.gc()}, in JVMs that have not called it before. */
class CallersTest {

    private static List<String> run(String... arguments) throws IOException, InterruptedException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String path = System.getProperty("java.class.path");
        ProcessBuilder jvm =
                new ProcessBuilder(java, "-Xmx128m", "-cp", path, CallersMain.class.getName());
        jvm.command().addAll(List.of(arguments));
        Process process = jvm.redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor()).as(output).isZero();
        return output.lines().toList();
    }

    @Test
    void callersAreNamedByDefaultAndByTheNextDoctorToo() throws Exception {
        List<String> output = run();

        for (int round = 1; round <= 2; round++) {
            String caller = round + " caller " + CallersMain.CALLS + " [io.heapsampler.doctor.";
            assertThat(output)
                    .filteredOn(line -> line.startsWith(caller + "CallersMain.clean:"))
                    .hasSize(1);
            assertThat(output)
                    .filteredOn(line -> line.contains("Called from"))
                    .allMatch(line -> line.contains("CallersMain.clean:"))
                    .hasSize(2);
        }
    }

    @Test
    void callersThatCannotBeKnownAreSaidToBeUnknown() throws Exception {
        List<String> output = run("early");

        assertThat(output).noneMatch(line -> line.matches("\\d caller .*"));
        assertThat(output)
                .filteredOn(line -> line.contains("if it is loaded before the first call"))
                .hasSize(2);
    }
}
