// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.DropCause;
import io.heapsampler.agent.OptionReader.Placeholders;
import io.heapsampler.internal.BlockWriter;
import io.heapsampler.internal.Info;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is written of the lives of samples. */
class LifetimeRecorderTest {

    private static final long MS = 1_000;

    @TempDir private Path folder;
    private Path file = Path.of("");
    private LifetimeRecorder recorder;

    @BeforeEach
    void prepare() throws IOException {
        file = folder.resolve("lifetime.txt");
        recorder =
                new LifetimeRecorder(
                        new AgentOptions(
                                OptionReader.read(
                                        "recorder=lifetime,lifetimeMaxMb=1,output.file=" + file,
                                        new Properties(),
                                        Map.of(),
                                        Placeholders.now())));
    }

    private static BlockWriter heap(long collections, long takenAt) {
        BlockWriter block = new BlockWriter();
        block.info(Info.COLLECTIONS, collections).info(Info.TAKEN_AT, takenAt);
        int main = block.frame("com.acme.Shop", "main", 12);
        block.site(block.stack(false, main), "byte[]", 9, 9, 900);
        block.site(block.stack(false, main), "com.acme.Order", 9, 9, 900);
        block.thread(1, "main");
        return block;
    }

    private List<String> lines() throws Exception {
        assertThat(Files.readAllLines(file))
                .filteredOn(line -> line.startsWith("#GC"))
                .allMatch(line -> line.matches("#GC .* causes=\\S+ time=1970-01-01T\\S+"));
        return Files.readAllLines(file).stream()
                .map(line -> line.replaceAll(" causes=.*", ""))
                .toList();
    }

    @Test
    void survivorsAndDeathsEachOnce() throws Exception {
        BlockWriter first = heap(1, 100 * MS);
        first.living(0, 0, 16, 10 * MS, 0, 0, 1, 1);
        first.living(1, 0, 24, 20 * MS, 0, 0, 1, 1);
        first.living(1, 0, 24, 95 * MS, 0, 0, 0, 0);
        recorder.write(Snapshots.of(first), false);
        BlockWriter second = heap(3, 300 * MS);
        second.living(0, 0, 16, 10 * MS, 0, 0, 1, 3);
        second.living(1, 0, 24, 95 * MS, 0, 0, 1, 2);
        second.dead(1, 0, 24, 20 * MS, 1, 100 * MS, 200 * MS);
        recorder.write(Snapshots.of(second), false);
        BlockWriter third = heap(3, 400 * MS);
        third.living(0, 0, 16, 10 * MS, 0, 0, 1, 3);
        third.living(0, 0, 48, 390 * MS, 0, 0, 0, 0);
        third.dead(1, 0, 24, 20 * MS, 1, 100 * MS, 200 * MS);
        recorder.write(Snapshots.of(third), true);

        assertThat(lines())
                .containsExactly(
                        "# stack;class figure collections_survived age_ms"
                                + " survived|died|live|unconfirmed",
                        "#GC epoch=1 collections=1",
                        "com.acme.Shop.main;byte[] 16 1 90 survived",
                        "com.acme.Shop.main;com/acme/Order 24 1 80 survived",
                        "#GC epoch=3 collections=2",
                        "com.acme.Shop.main;com/acme/Order 24 2 205 survived",
                        "com.acme.Shop.main;com/acme/Order 24 1 130 died",
                        "#END time=1970-01-01T00:00:00.400Z",
                        "com.acme.Shop.main;byte[] 16 3 390 live",
                        "com.acme.Shop.main;byte[] 48 0 10 unconfirmed");
    }

    @Test
    void deathsAreWrittenAfterTheClockWasSetBack() throws Exception {
        BlockWriter first = heap(1, 9_000 * MS);
        first.dead(0, 0, 16, 8_000 * MS, 1, 8_100 * MS, 8_200 * MS);
        recorder.write(Snapshots.of(first), false);
        BlockWriter second = heap(2, 4_100 * MS); // by 5 s, after 100 ms
        second.dead(0, 0, 16, 3_000 * MS, 1, 3_100 * MS, 3_200 * MS);
        second.dead(0, 0, 16, 3_500 * MS, 1, 3_600 * MS, 3_800 * MS);
        recorder.write(Snapshots.of(second), false);

        assertThat(lines().stream().filter(line -> line.endsWith(" died")))
                .containsExactly(
                        "com.acme.Shop.main;byte[] 16 1 150 died",
                        "com.acme.Shop.main;byte[] 16 1 200 died");
    }

    @Test
    void theBoundIsInBytes() throws Exception {
        BlockWriter block = heap(1, 100 * MS);
        int main = block.frame("com.acme.\u5e97", "\u958b\u304f".repeat(40), 12);
        block.site(block.stack(false, main), "byte[]", 9, 9, 900);
        for (int i = 0; i < 10_000; i++) {
            block.living(2, 0, 16, i, 0, 0, 1, 1);
        }
        recorder.write(Snapshots.of(block), false);

        assertThat(Files.size(file)).isBetween(1L << 20, (1L << 20) + 1_000);
    }

    @Test
    void figuresAreWhatSamplesStandFor() throws Exception {
        BlockWriter block = heap(1, 100 * MS);
        block.living(0, 0, 1024, 10 * MS, 0, 2, 1, 1); // thinned: one of four is kept
        recorder.write(Snapshots.of(block), false);

        assertThat(lines()).contains("com.acme.Shop.main;byte[] 4096 1 90 survived");
    }

    @Test
    void deathsThatLeftTheRingAreCounted() throws Exception {
        recorder.write(Snapshots.of(heap(1, 100 * MS)), false);
        BlockWriter block = heap(2, 200 * MS);
        block.dead(0, 0, 16, 20 * MS, 1, 100 * MS, 150 * MS);
        block.drop(DropCause.DEAD_FORGOTTEN.ordinal(), 7);
        recorder.write(Snapshots.of(block), false);
        BlockWriter later = heap(3, 300 * MS);
        later.dead(0, 0, 16, 21 * MS, 1, 200 * MS, 250 * MS);
        later.drop(DropCause.DEAD_FORGOTTEN.ordinal(), 8); // the one that was written
        recorder.write(Snapshots.of(later), false);

        assertThat(lines().stream().filter(line -> line.startsWith("#LOST")))
                .containsExactly("#LOST deaths=7 (more than fit between two looks)");
    }

    @Test
    void withoutCollectionThereIsNothingButTheEnd() throws Exception {
        recorder.write(Snapshots.of(heap(0, 100 * MS)), false);
        recorder.write(Snapshots.of(heap(0, 200 * MS)), true);

        assertThat(lines()).hasSize(2).last().isEqualTo("#END time=1970-01-01T00:00:00.200Z");
    }

    /** The sampler looks after the dead a moment after the collection. */
    @Test
    void deathsThatAreFoundAfterTheLastCollectionAreWrittenAtTheEnd() throws Exception {
        BlockWriter first = heap(1, 100 * MS);
        first.living(0, 0, 16, 10 * MS, 0, 0, 1, 1);
        recorder.write(Snapshots.of(first), false);
        BlockWriter last = heap(1, 200 * MS);
        last.dead(0, 0, 16, 10 * MS, 1, 100 * MS, 110 * MS);
        recorder.write(Snapshots.of(last), true);

        assertThat(lines())
                .endsWith(
                        "com.acme.Shop.main;byte[] 16 1 95 died",
                        "#END time=1970-01-01T00:00:00.200Z");
    }

    @Test
    void theFileIsBounded() throws Exception {
        BlockWriter block = heap(1, 100 * MS);
        for (int i = 0; i < 30_000; i++) {
            block.living(0, 0, 16, i, 0, 0, 1, 1);
        }
        recorder.write(Snapshots.of(block), false);
        recorder.write(Snapshots.of(heap(2, 200 * MS)), true);

        assertThat(Files.size(file)).isBetween(1L << 20, (1L << 20) + 1_000);
        assertThat(lines()).last().isEqualTo("#FULL lifetimeMaxMb is reached; nothing follows");
    }
}
