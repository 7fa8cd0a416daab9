// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import io.heapsampler.support.JvmProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A JVM of its own for what cannot be tried in this one. */
final class ForkedJvm {

    private static final int SECONDS = 300;

    private ForkedJvm() {}

    /** Runs the JVM that runs this, with these arguments, in the same folder. */
    static JvmProcess.End run(List<String> arguments) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(arguments);
        Path output = Files.createTempFile("forked", ".txt");
        try {
            return new JvmProcess(command, Path.of("").toAbsolutePath(), output).run(SECONDS);
        } finally {
            Files.delete(output);
        }
    }
}
