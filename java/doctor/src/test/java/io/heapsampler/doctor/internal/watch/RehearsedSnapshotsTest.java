// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.DropCause;
import io.heapsampler.doctor.Story;
import io.heapsampler.doctor.internal.timeline.Tick;
import io.heapsampler.internal.shared.BlockBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Makes the snapshots that are rehearsed with: something for each rule that looks at sites. With
 * {@code -Dheapsampler.rehearsal.update} it writes them anew.
 */
class RehearsedSnapshotsTest {

    private static final Path FOLDER =
            Path.of("src/main/resources/io/heapsampler/doctor/internal/watch");

    private static final long MB = 1 << 20;
    private static final long BEGIN = Rehearsal.BEGIN;

    /** The last old collection ended a second before the last tick. */
    private static long last() {
        List<Tick> ticks = new Rehearsal(Story.serial().timeline().settings()).timeline().ticks();
        return ticks.get(ticks.size() - 1).atMillis() - 1_000;
    }

    @Test
    void theFilesAreThoseOfTheMadeUpJvm() throws IOException {
        for (int i = 1; i <= Rehearsal.SNAPSHOTS; i++) {
            Path file = FOLDER.resolve(Rehearsal.resource(i));
            byte[] block = new Block(last(), i).block();
            if (System.getProperty("heapsampler.rehearsal.update") != null) {
                Files.createDirectories(FOLDER);
                Files.write(file, block);
            }
            assertThat(file)
                    .as("made by -Dtest=RehearsedSnapshotsTest -Dheapsampler.rehearsal.update")
                    .hasBinaryContent(block);
        }
    }

    /** A snapshot; see {@code native/doc/snapshot-format.md} for the tags and the entries. */
    private static final class Block extends BlockBuilder {

        private static final int INFO = 26;

        Block(long last, int number) {
            long now = last + 1_000L * number;
            long[] info = {BEGIN * 1_000, now * 1_000, (now - BEGIN) * 1_000, 512 * 1024};
            numbers(1, 1, Arrays.copyOf(info, INFO));
            numbers(2, DropCause.values().length, new long[DropCause.values().length]);
            for (int tag = 4; tag <= 10; tag++) {
                section(tag, 0, new byte[0]);
            }
            ByteBuffer thread = entry(64).putLong(1).putInt(name("main")).putInt(0).putLong(1);
            add(7, thread.putDouble(1).putDouble(0).putDouble(16).putDouble(0).putLong(16));
            int vain = site("byte[]", 480);
            dead(vain, last - 100, 1, last - 20, last + 50);
            living(vain, 4, MB, last - 90, 1, 2);
            int leak = site("shop.Item", 100);
            for (int i = 0; i < 10 * number; i++) {
                living(leak, 2, MB, BEGIN + 50L * i, 1, 1 + i % 4);
            }
            living(site("shop.PluginLoader", 20), 8, MB, BEGIN + 500, 1, 3);
            living(site("java.util.zip.Inflater", 20), 8, MB, BEGIN + 500, 1, 3);
            dead(site("java.lang.ref.WeakReference", 200), last - 500, 0, last - 500, last - 400);
            living(site("int[]", 80), 4, 4 * MB, last - 500, 1, 1);
            living(site("long[]", 40), 8, MB, now - 100, 0, 0);
        }

        private int site(String type, double megabytes) {
            int frame = frame("shop.Cart", "shop.Cart", "of" + type, "()V", "Source.java", 12, 0);
            double bytes = megabytes * MB;
            return site(stack(false, frame), name(type), 100, 100, 1, bytes, 100, (long) bytes, -1);
        }

        private void living(int site, int count, long size, long born, int state, int survived) {
            for (int i = 0; i < count; i++) {
                sample(site, size, born, state, survived);
            }
        }

        private void dead(int site, long born, int survived, long seen, long found) {
            for (int i = 0; i < 12; i++) {
                sample(site, MB, born, 2, survived, seen, found);
            }
        }

        private void sample(
                int site, long size, long born, int state, int survived, long... death) {
            ByteBuffer entry = entry(56).putInt(site).putInt(0).putLong(size);
            entry.putLong(born * 1_000).putInt(0).put((byte) 0).put((byte) state);
            entry.putShort((short) 0).putInt(survived).putInt(0);
            for (long at : death) {
                entry.putLong(at * 1_000);
            }
            add(death.length == 0 ? 8 : 9, entry);
        }
    }
}
