// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.loading;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The status reports whether the thread context of an SDK is read, or why it is ignored. */
class ThreadContextTest {

    private static final String VARIABLE =
            "extern __attribute__((visibility(\"default\"))) __thread void"
                    + " *otel_thread_ctx_v%1$d;\n"
                    + "__thread void *otel_thread_ctx_v%1$d;\n";

    @TempDir Path folder;

    private Outcome probe(int version) throws Exception {
        Path sdk = Gcc.compile(folder, VARIABLE.formatted(version));
        return new ForkedJvm(folder).property("sdk", sdk).probe("start", "context").assertExit(0);
    }

    @Test
    void aThreadContextOfTheKnownVersionIsRead() throws Exception {
        assertThat(probe(1).value("context")).isEqualTo("read");
    }

    @Test
    void aThreadContextOfAnotherVersionIsIgnoredWithTheReason() throws Exception {
        assertThat(probe(2).value("context"))
                .isEqualTo("ignored, because a library shares it in an unknown version");
    }
}
