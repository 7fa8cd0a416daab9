// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.doctor.Samples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessMemoryTest {

    @Test
    void theKernelsLinesAreRead(@TempDir Path folder) throws IOException {
        Path status = folder.resolve("status");
        Files.writeString(
                status,
                "Name:\tVmRSS:\nVmHWM:\t  999 kB\nVmRSS:\t  205296 kB\nRssAnon:\t 7 kB\n"
                        + "RssFile:\t   22460 kB\nRssShmem:\t  8 kB\n");
        ProcessMemory memory = new ProcessMemory(status);
        assertThat(memory.resident()).isEqualTo(-1);
        memory.refresh();

        assertThat(memory.resident()).isEqualTo(205_296L * 1024);
        assertThat(memory.residentFile()).isEqualTo(22_460L * 1024);
        assertThat(memory.residentShared()).isEqualTo(8L * 1024);
    }

    @Test
    void whatTheKernelDoesNotTellIsMinusOne(@TempDir Path folder) throws IOException {
        Path status = Files.writeString(folder.resolve("status"), "VmRSS:\t 1 kB\n");
        ProcessMemory memory = new ProcessMemory(status);
        memory.refresh();

        assertThat(memory.resident()).isEqualTo(1024);
        assertThat(memory.residentFile()).isEqualTo(-1);
        ProcessMemory none = new ProcessMemory(folder.resolve("none"));
        none.refresh();

        assertThat(none.resident()).isEqualTo(-1);
    }

    @Test
    void thisProcessIsReadAnew() {
        ProcessMemory memory = new ProcessMemory();
        memory.refresh();

        assertThat(memory.resident()).isGreaterThan(10 * Samples.MIB);
        assertThat(memory.residentFile()).isBetween(0L, memory.resident());
    }
}
