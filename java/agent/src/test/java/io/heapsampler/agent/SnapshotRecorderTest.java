// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.internal.BlockWriter;
import io.heapsampler.internal.Info;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The ring of snapshots. */
class SnapshotRecorderTest {

    private static final String PID = Long.toString(ProcessHandle.current().pid());

    @TempDir private Path folder;

    private static HeapSnapshot taken(long seconds) {
        BlockWriter block = new BlockWriter();
        return Snapshots.of(block.info(Info.TAKEN_AT, seconds * 1_000_000));
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("dumps"))) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private SnapshotRecorder recorder(int files, long bytes) {
        return new SnapshotRecorder(folder.resolve("dumps/heap.hsnap"), files, bytes, "here");
    }

    @Test
    void keepsTheNewestFiles() throws Exception {
        SnapshotRecorder recorder = recorder(2, 1 << 20);
        for (int i = 1; i <= 4; i++) {
            recorder.write(taken(i), i == 4);
        }

        assertThat(names())
                .containsExactly(
                        "heap-19700101-000003-here-" + PID + "-000003.hsnap",
                        "heap-19700101-000004-here-" + PID + "-000004.hsnap");
        HeapSnapshot last = HeapSnapshot.read(folder.resolve("dumps").resolve(names().get(1)));
        assertThat(last.takenAt().getEpochSecond()).isEqualTo(4);
    }

    @Test
    void keepsToItsShareOfTheDiskExceptForTheLastFile() throws Exception {
        SnapshotRecorder small = recorder(100, 1);
        small.write(taken(1), false);
        small.write(taken(2), false);
        assertThat(names()).hasSize(1).first().asString().contains("000002.hsnap");

        long size = Files.size(folder.resolve("dumps").resolve(names().get(0)));
        SnapshotRecorder other = recorder(100, 3 * size);
        for (int i = 3; i <= 9; i++) {
            other.write(taken(i), false);
        }
        assertThat(names()).hasSize(3);
    }

    /** No process of Linux has such a number. */
    private static final String GONE = "4194305";

    private Path file(String name, Duration age) throws IOException {
        Path file = Files.createDirectories(folder.resolve("dumps")).resolve(name);
        Files.writeString(file, "old");
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(age)));
        return file;
    }

    @Test
    void whatEarlierRunsLeftCountsAndTheirHalfWrittenFilesGo() throws Exception {
        file("heap-19690101-000000-here-" + GONE + "-000001.hsnap", Duration.ofDays(1));
        file("heap-19690101-000000-here-" + GONE + "-000002.hsnap.1a2b.part", Duration.ofDays(1));
        file("heap-of-mine.hsnap", Duration.ofDays(1));
        file("other-19690101-000000-" + GONE + "-000001.hsnap", Duration.ofDays(1));

        recorder(1, 1 << 20).write(taken(5), false);

        assertThat(names())
                .containsExactly(
                        "heap-19700101-000005-here-" + PID + "-000001.hsnap",
                        "heap-of-mine.hsnap",
                        "other-19690101-000000-" + GONE + "-000001.hsnap");
    }

    /** The first process lives, whatever the test runs in. */
    @Test
    void theNewestOfAnotherProcessAndWhatItWritesStay() throws Exception {
        file("heap-19690101-000000-here-1-000001.hsnap", Duration.ZERO);
        file("heap-19690101-000000-here-1-000002.hsnap", Duration.ZERO);
        file("heap-19690101-000001-here-1-000003.hsnap.1a2b.part", Duration.ZERO);

        recorder(1, 1).write(taken(5), false);

        assertThat(names())
                .containsExactly(
                        "heap-19690101-000000-here-1-000002.hsnap",
                        "heap-19690101-000001-here-1-000003.hsnap.1a2b.part",
                        "heap-19700101-000005-here-" + PID + "-000001.hsnap");
    }

    @Test
    void aClockThatWasSetBackDoesNotCostTheNewest() throws Exception {
        SnapshotRecorder recorder = recorder(2, 1 << 20);
        recorder.write(taken(100), false);
        recorder.write(taken(200), false);
        recorder.write(taken(5), false);

        assertThat(names())
                .containsExactly(
                        "heap-19700101-000005-here-" + PID + "-000003.hsnap",
                        "heap-19700101-000320-here-" + PID + "-000002.hsnap");
    }

    @Test
    void theMillionthIsOfTheRing() throws Exception {
        file("heap-19690101-000000-here-" + GONE + "-999999.hsnap", Duration.ZERO);
        file("heap-19690101-000000-here-" + GONE + "-1000000.hsnap", Duration.ZERO);

        recorder(2, 1 << 20).write(taken(5), false);

        assertThat(names())
                .containsExactly(
                        "heap-19690101-000000-here-" + GONE + "-1000000.hsnap",
                        "heap-19700101-000005-here-" + PID + "-000001.hsnap");
    }

    /** As containers have it that share a volume: the same process number, another name. */
    @Test
    void filesOfAnotherHostAreNeitherCountedNorDeleted() throws Exception {
        file("heap-19690101-000000-there-" + PID + "-000001.hsnap", Duration.ofDays(1));
        file("heap-19690101-000000-there-" + PID + "-000002.hsnap.1a2b.part", Duration.ofDays(1));
        SnapshotRecorder here = recorder(2, 1 << 20);
        here.write(taken(5), false);
        here.write(taken(6), false);

        assertThat(names())
                .containsExactly(
                        "heap-19690101-000000-there-" + PID + "-000001.hsnap",
                        "heap-19690101-000000-there-" + PID + "-000002.hsnap.1a2b.part",
                        "heap-19700101-000005-here-" + PID + "-000001.hsnap",
                        "heap-19700101-000006-here-" + PID + "-000002.hsnap");
    }

    /** Another process of this number, on a host of this name, in the same second. */
    @Test
    void aNameThatIsTakenIsNotUsed() throws Exception {
        Path taken = file("heap-19700101-000005-here-" + PID + "-000001.hsnap", Duration.ZERO);

        recorder(2, 1 << 20).write(taken(5), false);

        assertThat(taken).hasContent("old");
        assertThat(names()).hasSize(2).last().asString().contains(PID + "-000002.hsnap");
    }

    @Test
    void theNameOfTheHostIsAPartOfAFileName() {
        assertThat(SnapshotRecorder.hostName()).matches("[A-Za-z0-9._-]+");
    }
}
