// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.Until.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.heapsampler.GarbageCollector;
import io.heapsampler.HeapSampler;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PerfDataTest {

    private static final long START = ManagementFactory.getRuntimeMXBean().getStartTime();

    private static Path own() {
        return Path.of(
                "/tmp",
                "hsperfdata_" + System.getProperty("user.name"),
                Long.toString(ProcessHandle.current().pid()));
    }

    @Test
    void timesOfSafepointsGrow() throws InterruptedException {
        assumeThat(HeapSampler.status().collector()).isNotEqualTo(GarbageCollector.EPSILON);
        try (PerfData data = PerfData.ofThisJvm(START)) {
            assertThat(data).isNotNull();
            long before = data.count(PerfData.SAFEPOINT_SYNC);
            assertThat(before).isNotNegative();
            until(
                    "a safepoint",
                    () -> {
                        System.gc();
                        return data.count(PerfData.SAFEPOINT_SYNC) > before;
                    });
        }
    }

    @Test
    void aCounterThatIsNotThereIsMinusOne() {
        try (PerfData data = PerfData.ofThisJvm(START)) {
            assertThat(data.count("sun.rt.noSuchThing")).isEqualTo(-1);
        }
    }

    /** To open a pipe for reading blocks until another process opens it for writing. */
    @Test
    void aPipeIsRefusedWithoutBlocking(@TempDir Path folder) throws Exception {
        Path pipe = folder.resolve("1");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
        Path link = Files.createSymbolicLink(folder.resolve("2"), own());

        assertTimeoutPreemptively(
                Duration.ofSeconds(60),
                () -> {
                    assertThat(PerfData.open(pipe, START)).isNull();
                    assertThat(PerfData.open(link, START)).isNull();
                });
    }

    /** A process that had this number before may have left its file. */
    @Test
    void theFileOfAnotherProcessIsRefused(@TempDir Path folder) throws IOException {
        Path copy = folder.resolve("1");
        Files.copy(own(), copy);

        try (PerfData same = PerfData.open(copy, START)) {
            assertThat(same).isNotNull();
        }
        assertThat(PerfData.open(copy, START - 60_000)).isNull();
    }

    /** An agent of the command line is there before the JVM has written down when it began. */
    @Test
    void theFileOfAJvmThatIsStillStartingIsRead(@TempDir Path folder) throws IOException {
        Path copy = folder.resolve("1");
        Files.write(copy, withoutBeginning(Files.readAllBytes(own())));

        try (PerfData data = PerfData.open(copy, START)) {
            assertThat(data).isNotNull();
            assertThat(data.count(PerfData.SAFEPOINT_SYNC)).isNotNegative();
        }
    }

    private static byte[] withoutBeginning(byte[] file) {
        ByteBuffer all = ByteBuffer.wrap(file).order(ByteOrder.nativeOrder());
        int name = new String(file, StandardCharsets.ISO_8859_1).indexOf(PerfData.BEGAN + "\0");
        int entry = all.getInt(24);
        while (entry + all.getInt(entry) <= name) {
            entry += all.getInt(entry);
        }
        all.putLong(entry + all.getInt(entry + 16), 0);
        return file;
    }

    /** Nothing ends in an exception; where the beginning is broken, there is nothing to read. */
    @Test
    void aDamagedFileIsNoneOrReadsNumbers(@TempDir Path folder) throws IOException {
        byte[] whole = Files.readAllBytes(own());
        assumeThat(whole.length).isGreaterThan(64);
        Path file = folder.resolve("1");
        for (int i = 0; i < 600; i++) {
            byte[] damaged = whole.clone();
            damaged[i] ^= (byte) 0xff;
            Files.write(file, damaged);
            PerfData data = PerfData.open(file, START);
            if (i < 4) {
                assertThat(data).isNull();
            }
            if (data != null) {
                assertThat(data.count(PerfData.SAFEPOINT_SYNC)).isGreaterThanOrEqualTo(-1);
                data.close();
            }
        }
        Files.write(file, new byte[0]);
        assertThat(PerfData.open(file, START)).isNull();
        assertThat(PerfData.open(folder.resolve("missing"), START)).isNull();
    }
}
