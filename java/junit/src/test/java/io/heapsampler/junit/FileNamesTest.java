// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.junit.ArtifactFiles.FileNames;
import org.junit.jupiter.api.Test;

class FileNamesTest {

    private final FileNames names = new FileNames();

    @Test
    void namesAreSafeOnEveryFileSystem() {
        assertThat(names.of("@MaxAllocation(\"1 KB\")")).isEqualTo("heap-MaxAllocation-1-KB");
        assertThat(names.of("max of Größe/über..\\x\n\u4e2d"))
                .isEqualTo("heap-max-of-Gro-e-uber-x");
        assertThat(names.of("x".repeat(500))).isEqualTo("heap-" + "x".repeat(80));
    }

    @Test
    void namesDifferEvenWithoutCase() {
        assertThat(names.of("@NoLeaks")).isEqualTo("heap-NoLeaks");
        assertThat(names.of("@noLeaks")).isEqualTo("heap-noLeaks-2");
        assertThat(names.of("(NoLeaks)")).isEqualTo("heap-NoLeaks-3");
    }
}
