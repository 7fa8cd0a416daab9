// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.heapsampler.internal.BlockWriter;
import io.heapsampler.internal.Info;
import io.heapsampler.internal.SnapshotData;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Saved snapshots: what is written is read, today and by later versions. */
class SnapshotFileTest {

    @TempDir private Path folder;

    private static HeapSnapshot snapshot() {
        BlockWriter writer = new BlockWriter().info(Info.COLLECTIONS, 7);
        int frame = writer.frame("a.A", "a.A", "make", "A.java", 12, 10 << 16);
        writer.site(writer.stack(false, frame), "byte[]", 3, 3, 300);
        return HeapSnapshot.decode(writer.write());
    }

    /** What a reader sees of a snapshot, as text. */
    private static String summary(HeapSnapshot snapshot) {
        String sites =
                snapshot.topByAllocated(5).stream()
                        .map(site -> site + "\n" + site.stack() + "\n")
                        .collect(Collectors.joining());
        return snapshot
                + "\n"
                + sites
                + snapshot.threads()
                + "\n"
                + snapshot.samples().size()
                + " samples, interval "
                + snapshot.interval()
                + ", collections "
                + snapshot.collections()
                + ", "
                + snapshot.collector()
                + ", "
                + snapshot.duration()
                + "\n"
                + snapshot.dropped()
                + "\n"
                + snapshot.notes().stream().map(Note::text).collect(Collectors.joining("\n"))
                + "\n"
                + (snapshot.labelKeys().isEmpty() ? "" : labels(snapshot));
    }

    /** Returns the sets of the snapshot, then those of each site with the traces of the site. */
    private static String labels(HeapSnapshot snapshot) {
        String sites =
                snapshot.sites().stream()
                        .map(site -> site + "\n" + site.labels() + "\n" + examples(site) + "\n")
                        .collect(Collectors.joining());
        return snapshot.labelKeys() + "\n" + snapshot.labels() + "\n" + sites;
    }

    private static List<String> examples(HeapSite site) {
        return site.examples().stream()
                .map(example -> example + " " + new TreeMap<>(example.labels()))
                .toList();
    }

    private static HeapSnapshot read(byte[] block) throws IOException {
        return HeapSnapshot.read(new ByteArrayInputStream(block));
    }

    @Test
    void readsWhatItWrote() throws IOException {
        Path file = folder.resolve("a.hsnap");

        snapshot().writeTo(file);
        HeapSnapshot read = HeapSnapshot.read(file);

        assertThat(summary(read)).isEqualTo(summary(snapshot()));
        assertThat(read.sites().get(0).stack().get(0).firstLineNumber()).hasValue(10);
        ByteArrayOutputStream again = new ByteArrayOutputStream();
        read.writeTo(again);
        assertThat(again.toByteArray()).isEqualTo(Files.readAllBytes(file));
    }

    @Test
    void replacesAFileAndLeavesNothingElse() throws IOException {
        Path file = Files.write(folder.resolve("a.hsnap"), new byte[100_000]);

        snapshot().writeTo(file);

        assertThat(summary(HeapSnapshot.read(file))).isEqualTo(summary(snapshot()));
        assertThat(folder.toFile().list()).containsExactly("a.hsnap");
        Path full = Files.createDirectories(folder.resolve("b.hsnap/full"));
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> snapshot().writeTo(full.getParent()));
        assertThat(folder.toFile().list()).containsExactlyInAnyOrder("a.hsnap", "b.hsnap");
    }

    /** Writes the number of sites, and optionally fails after it. */
    private record Count(boolean isFailing) implements SnapshotFormat {

        @Override
        public void write(HeapSnapshot snapshot, OutputStream out) throws IOException {
            out.write(Integer.toString(snapshot.sites().size()).getBytes("UTF-8"));
            if (isFailing) {
                throw new IOException("no room");
            }
        }

        @Override
        public String suffix() {
            return ".count";
        }

        @Override
        public String mediaType() {
            return "text/plain";
        }
    }

    @Test
    void writesAnyFormatAsAWholeOrNotAtAll() throws IOException {
        Path file = folder.resolve("a.count");
        HeapSnapshot snapshot = snapshot();
        String count = Integer.toString(snapshot.sites().size());

        snapshot.writeTo(file, new Count(false));
        assertThat(file).hasContent(count);

        Files.writeString(file, "old");
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> snapshot.writeTo(file, new Count(true)))
                .withMessage("no room");
        assertThat(file).hasContent("old");
        assertThat(folder.toFile().list()).containsExactly("a.count");

        ByteArrayOutputStream out = new ByteArrayOutputStream();
        snapshot.writeTo(out, new Count(false));
        assertThat(out.toString("UTF-8")).isEqualTo(count);
    }

    @Test
    void writesASnapshotOfNothing() throws IOException {
        HeapSnapshot empty =
                new HeapSnapshot(
                        SnapshotData.empty(5_000_000, 4096, GarbageCollector.G1.ordinal(), 17));
        ByteArrayOutputStream out = new ByteArrayOutputStream();

        empty.writeTo(out);

        HeapSnapshot read = read(out.toByteArray());
        assertThat(summary(read)).isEqualTo(summary(empty));
        assertThat(read.interval()).isEqualTo(4096);
        assertThat(read.collector()).isEqualTo(GarbageCollector.G1);
    }

    /** Files that versions before this one wrote, with what was in them. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "small-17-g1",
                "wide-17-serial",
                "wide-25-zgc",
                "lines-17-g1",
                "labels-25-g1"
            })
    void readsGoldenFiles(String name) throws IOException {
        HeapSnapshot snapshot = read(BlockReading.written(name + ".block"));

        assertThat(summary(snapshot))
                .isEqualTo(new String(BlockReading.written(name + ".txt"), "UTF-8"));
    }

    /** More entries in INFO, more causes and an unknown section. */
    @Test
    void readsWhatALaterVersionAdds() throws IOException {
        BlockWriter later = new BlockWriter().laterInfo(4).laterDrops(3);
        later.site(later.stack(false, later.frame("a.A", "make", 12)), "byte[]", 3, 3, 300);

        HeapSnapshot read = read(later.section(4242, 9, new byte[] {1, 2, 3, 4, 5}).write());

        assertThat(read.topByAllocated(1).get(0).allocated().bytes().value()).isEqualTo(300);
        assertThat(read.dropped()).hasSize(DropCause.values().length);
        assertThat(read.notes())
                .extracting(Note::text)
                .contains(
                        "Some samples were dropped for causes that this version of HeapSampler does"
                                + " not know; read the snapshot with the version that wrote it.");
        ByteArrayOutputStream again = new ByteArrayOutputStream();
        read.writeTo(again);
        assertThat(again.toByteArray()).isEqualTo(later.write());
    }

    @Test
    void aFaultyFileIsRefusedWithTheReason() throws IOException {
        Path file = folder.resolve("bad.hsnap");
        byte[] block = new BlockWriter().write();

        Files.write(file, Arrays.copyOf(block, 40));
        assertRefused(file, "it says that it has " + block.length + " bytes, but has 40.");
        Files.writeString(file, "{\"what\": \"this is JSON and no snapshot at all\"}");
        assertRefused(file, "it does not begin with HSNP.");
        Files.write(file, new BlockWriter().version(2).write());
        assertRefused(
                file,
                "The snapshot block is of version 2, this library reads version 1. Read it with the"
                        + " HeapSampler version that wrote it, or a later one.");
        assertThatExceptionOfType(NoSuchFileException.class)
                .isThrownBy(() -> HeapSnapshot.read(folder.resolve("none")));
    }

    private static void assertRefused(Path file, String reason) {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> HeapSnapshot.read(file))
                .withMessageStartingWith("Cannot read " + file + ": The snapshot block is ")
                .withMessageEndingWith(reason);
    }

    /** Java's own replacing deletes what is there first. */
    @Test
    void aFileIsThereAndWholeWhileItIsReplaced() throws Exception {
        Path file = folder.resolve("heap.hsnap");
        HeapSnapshot snapshot = snapshot();
        snapshot.writeTo(file);
        AtomicBoolean isOver = new AtomicBoolean();
        Future<Integer> reads =
                CompletableFuture.supplyAsync(() -> readUntil(isOver, file), reader());
        for (int i = 0; i < 1_000; i++) {
            snapshot.writeTo(file);
        }
        isOver.set(true);

        assertThat(reads.get()).isPositive();
    }

    private static Executor reader() {
        return work -> new Thread(work, "reader").start();
    }

    private static int readUntil(AtomicBoolean isOver, Path file) {
        int reads = 0;
        do {
            try {
                HeapSnapshot.read(file);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            reads++;
        } while (!isOver.get());
        return reads;
    }
}
