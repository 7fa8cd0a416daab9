// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With a folder as the kernel makes it: the pages of this machine are of 4 KiB. */
class ResidentMemoryTest {

    private static final int PAGE = 4096;
    private static final long MAX = 16 * Samples.MIB;

    @TempDir private Path process;

    @BeforeEach
    void auxiliaryVector() throws IOException {
        ByteBuffer vector = ByteBuffer.allocate(64).order(ByteOrder.nativeOrder());
        for (long each : new long[] {16, 0xf00d, 6, PAGE, 0, 0}) {
            vector.putLong(each);
        }
        Files.write(process.resolve("auxv"), vector.array());
    }

    private void maps(String... mappings) throws IOException {
        StringBuilder lines = new StringBuilder();
        for (String each : mappings) {
            lines.append(each).append(" 00000000 00:00 0 \n");
        }
        Files.writeString(process.resolve("maps"), lines);
    }

    /** Writes entries of these pages, which are resident. */
    private void resident(long... addresses) throws IOException {
        try (RandomAccessFile map =
                new RandomAccessFile(process.resolve("pagemap").toFile(), "rw")) {
            map.setLength((0x1000000 + 2 * MAX) / PAGE * 8);
            for (long each : addresses) {
                ByteBuffer entry = ByteBuffer.allocate(8).order(ByteOrder.nativeOrder());
                map.seek(each / PAGE * 8);
                map.write(entry.putLong(0, 1L << 63).array());
            }
        }
    }

    private long count(long committed) {
        try (ResidentMemory memory = new ResidentMemory(process, MAX, committed)) {
            return memory.heap();
        }
    }

    /** The class space before it is large, but little of it is writable; one mapping follows. */
    @Test
    void residentPagesOfTheHeapAreCounted() throws IOException {
        maps(
                "00100000-00110000 rw-p",
                "00110000-00f00000 ---p",
                "01000000-01800000 rw-p",
                "01800000-01c00000 ---p",
                "01c00000-01d00000 rw-p",
                "01d00000-02800000 ---p");
        resident(0xfff000, 0x1000000, 0x17ff000, 0x1fff000, 0x2000000);

        assertThat(count(9 * Samples.MIB)).isEqualTo(3 * PAGE);
        assertThat(count(10 * Samples.MIB)).as("more is committed").isEqualTo(-1);
    }

    /** The heap shrank after its committed size was read. */
    @Test
    void aHeapThatWasNotFoundIsLookedForAgain() throws IOException {
        maps("01000000-01800000 rw-p", "01800000-02000000 ---p");
        resident(0x1000000);
        try (ResidentMemory memory = new ResidentMemory(process, MAX, 9 * Samples.MIB)) {
            assertThat(memory.heap()).isEqualTo(-1);

            memory.locate(8 * Samples.MIB);

            assertThat(memory.heap()).isEqualTo(PAGE);
        }
    }

    @Test
    void aHeapAmongLibrariesIsNotLookedFor() throws IOException {
        maps("7f0001000000-7f0002000000 rw-p");
        resident();

        assertThat(count(MAX)).isEqualTo(-1);
    }

    @Test
    void withGapsOrWithoutAPageMapNothingIsCounted() throws IOException {
        maps("01000000-01800000 rw-p", "01900000-02800000 rw-p");
        resident();
        assertThat(count(0)).isEqualTo(-1);
        maps("01000000-02000000 rw-p");
        Files.delete(process.resolve("pagemap"));

        assertThat(count(0)).isEqualTo(-1);
    }

    @Test
    void theHeapOfZgcIsSharedMemory() throws IOException {
        maps("40000000000-40001000000 rw-s 00000000 00:01 145249 /memfd:java_heap (deleted)");
        Files.writeString(process.resolve("status"), "RssFile:\t 3 kB\nRssShmem:\t  8 kB\n");
        try (ResidentMemory memory = new ResidentMemory(process, MAX, MAX)) {
            memory.refresh();

            assertThat(memory.heap()).isEqualTo(8L * 1024);
        }
    }

    @Test
    void theKernelsLinesAreRead() throws IOException {
        Path status = process.resolve("status");
        Files.writeString(
                status,
                "Name:\tVmRSS:\nVmHWM:\t  999 kB\nVmRSS:\t  205296 kB\nRssAnon:\t 7 kB\n"
                        + "RssFile:\t   22460 kB\n");
        try (ResidentMemory memory = new ResidentMemory(process, MAX, 0)) {
            assertThat(memory.all()).isEqualTo(-1);
            memory.refresh();
            assertThat(memory.all()).isEqualTo(205_296L * 1024);
            assertThat(memory.files()).isEqualTo(22_460L * 1024);
            Files.writeString(status, "VmRSS:\t 1 kB\n");
            memory.refresh();
            assertThat(memory.all()).isEqualTo(1024);
            assertThat(memory.files()).isEqualTo(-1);
        }
    }

    @Test
    void withoutProcNothingIsKnown() throws IOException {
        try (ResidentMemory memory = new ResidentMemory(process.resolve("none"), MAX, 0)) {
            memory.refresh();

            assertThat(memory.heap()).isEqualTo(-1);
            assertThat(memory.all()).isEqualTo(-1);
        }
    }

    @Test
    void thisProcessIsRead() {
        try (ResidentMemory memory = new ResidentMemory(Path.of("/proc/self"), MAX, 0)) {
            memory.refresh();

            assertThat(memory.all()).isGreaterThan(10 * Samples.MIB);
            assertThat(memory.files()).isBetween(0L, memory.all());
        }
    }
}
