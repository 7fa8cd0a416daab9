// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.loading;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The status reports whether the thread context of an SDK is read, or why it is ignored. */
class ThreadContextTest {

    private static final String VARIABLE =
            "extern __attribute__((visibility(\"default\"))) __thread void"
                    + " *otel_thread_ctx_v%1$d;\n"
                    + "__thread void *otel_thread_ctx_v%1$d;\n";

    private static final String LOGGING =
            "handlers=java.util.logging.ConsoleHandler\n"
                    + "java.util.logging.ConsoleHandler.level=FINE\n"
                    + "io.heapsampler.level=FINE\n";

    private static final String LINE = "The thread context of OpenTelemetry is ignored, because";

    @TempDir Path folder;

    private Outcome probe(int version) throws Exception {
        Path sdk = Gcc.compile(folder, VARIABLE.formatted(version));
        Path logging = Files.writeString(folder.resolve("logging"), LOGGING);
        return new ForkedJvm(folder)
                .property("sdk", sdk)
                .property("java.util.logging.config.file", logging)
                .probe("start", "context", "sample", "sample")
                .assertExit(0);
    }

    @Test
    void aThreadContextOfTheKnownVersionIsRead() throws Exception {
        Outcome outcome = probe(1);

        assertThat(outcome.value("context")).isEqualTo("read");
        assertThat(outcome.output()).doesNotContain(LINE);
    }

    @Test
    void aThreadContextOfAnotherVersionIsIgnoredWithTheReason() throws Exception {
        Outcome outcome = probe(2);

        assertThat(outcome.output()).containsOnlyOnce(LINE + " a library shares it");
        assertThat(outcome.value("context"))
                .isEqualTo("ignored, because a library shares it in an unknown version");
    }
}
