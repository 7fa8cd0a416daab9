// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.heapsampler.internal.BlockSections;
import io.heapsampler.internal.BlockWriter;
import io.heapsampler.internal.SnapshotDecoder;
import io.heapsampler.internal.holders.HeldAddition;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Blocks that the library wrote, damaged in every simple way. No test takes long, so a hang shows.
 */
@Timeout(120)
class BlockDamageTest {

    private static final int LENGTH_AT = 16;
    private static final int FIRST_SECTION = 32;
    private static final int SECTION_HEADER = 16;

    /** Numbers that arithmetic gets wrong. */
    private static final int[] ODD = {
        -1, Integer.MIN_VALUE, Integer.MAX_VALUE, 1 << 30, 1 << 16, 0x1999_999A, 0
    };

    private static byte[] small() {
        return BlockReading.written(BlockReading.WRITTEN.get(0));
    }

    private static ByteBuffer buffer(byte[] block) {
        return ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** A block with holders, which the library does not write by itself. */
    private static byte[] withHolders() {
        HeldShot shot = new HeldShot();
        shot.live(shot.site("byte[]", "fill", 12), 4);
        String map = "static com.acme.Shop.open -> " + HeldShot.MAP;
        shot.held
                .dominators()
                .path(0, map, HeldShot.TABLE, HeldShot.NODE, HeldShot.value("byte[] !"))
                .path(1, map, HeldShot.TABLE, HeldShot.NODE + " ~", HeldShot.value("byte[]"))
                .path(2, "local com.acme.Shop.run 7 -> byte[]")
                .unresolved(3, 5);
        HeldAddition addition = new HeldAddition(9, "class byte[]", Map.of(7L, "main"));
        return withHolders(shot, addition.after(shot.held.write()));
    }

    private static byte[] withHolders(HeldShot shot, byte[] holders) {
        return BlockSections.with(shot.block(), SnapshotDecoder.TAG_HELD, 1, holders);
    }

    @Test
    void holdersOfAnotherVersionAreSkippedWithANote() throws IOException {
        HeldShot shot = new HeldShot();
        shot.live(shot.site("byte[]", "fill", 12), 4);
        byte[] later = {'H', 'H', 'L', 'D', 2, 0, 0, 0, 1, 2, 3};
        byte[] block = withHolders(shot, later);

        HeapSnapshot snapshot = HeapSnapshot.decode(block);

        assertThat(snapshot.heldBy()).isEmpty();
        assertThat(snapshot.totals().live().samples()).isEqualTo(4);
        assertThat(snapshot.notes())
                .contains(
                        Note.of(
                                "holders-unread",
                                "The snapshot has an answer about holders of version 2, which this"
                                        + " version of HeapSampler does not read; read the snapshot"
                                        + " with the version that wrote it."));
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        snapshot.writeTo(written);
        assertThat(written.toByteArray()).isEqualTo(block);
        assertThat(HeapSnapshot.decode(shot.block()).notes())
                .extracting(Note::id)
                .doesNotContain("holders-unread");
    }

    @Test
    void holdersThatDoNotBeginLikeSomeAreDamaged() {
        HeldShot shot = new HeldShot();

        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> HeapSnapshot.decode(withHolders(shot, new byte[] {'H', 'H', 'L'})))
                .withMessage("The snapshot block is damaged: section HELD ends within header 1.");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HeapSnapshot.decode(withHolders(shot, new byte[80])))
                .withMessage(
                        "The snapshot block is damaged: section HELD does not begin with HHLD.");
    }

    @Test
    void readsOrRefusesDamagedHolders() {
        byte[] block = withHolders();
        assertThat(BlockReading.isRead(block)).isTrue();
        int start = sections(block).get(sections(block).size() - 1);
        for (int at = start; at < block.length; at++) {
            for (int mask : new int[] {0x01, 0x80, 0xFF}) {
                block[at] ^= (byte) mask;
                BlockReading.isRead(block);
                block[at] ^= (byte) mask;
            }
        }
        for (int at = start; at + 4 <= block.length; at++) {
            int before = buffer(block).getInt(at);
            for (int odd : ODD) {
                buffer(block).putInt(at, odd);
                BlockReading.isRead(block);
            }
            buffer(block).putInt(at, before);
        }
    }

    @Test
    void readsOrRefusesDamagedLabelsAndExamples() {
        byte[] block = new LabelledBlock(1).writer.write();
        assertThat(BlockReading.isRead(block)).isTrue();
        List<Integer> sections = sections(block);
        int start = sections.get(sections.size() - 3);
        assertThat(buffer(block).getInt(start)).isEqualTo(SnapshotDecoder.TAG_LABELS);
        for (int at = start; at < block.length; at++) {
            for (int mask : new int[] {0x01, 0x80, 0xFF}) {
                block[at] ^= (byte) mask;
                BlockReading.isRead(block);
                block[at] ^= (byte) mask;
            }
        }
    }

    /** Where the headers of the sections lie. */
    private static List<Integer> sections(byte[] block) {
        List<Integer> places = new ArrayList<>();
        for (int at = FIRST_SECTION; at < block.length; ) {
            places.add(at);
            at += (int) (SECTION_HEADER + (buffer(block).getLong(at + 8) + 7) / 8 * 8);
        }
        return places;
    }

    @Test
    void readsWhatTheLibraryWrote() {
        for (String name : BlockReading.WRITTEN) {
            assertThat(BlockReading.isRead(BlockReading.written(name))).as(name).isTrue();
        }
    }

    /** As no JVM tells them: each may be, and then so may what they add up to. */
    @Test
    void readsTheLargestFigures() {
        BlockWriter writer = new BlockWriter();
        int stack = writer.stack(false, writer.frame("a.A", "make", 1));
        int thread = writer.thread(1, "main");
        for (int i = 0; i < 3; i++) {
            int name = writer.name("a.Large" + i);
            long most = Long.MAX_VALUE;
            int site = writer.site(stack, name, most, 1e200, 1e200, 1e200, 1e200, most, -1);
            writer.living(site, thread, most, 1_000, 0, 0, 1, 1);
        }
        byte[] block = writer.write();

        assertThat(BlockReading.isRead(block)).isTrue();
        HeapSnapshot snapshot = HeapSnapshot.decode(block);
        assertThat(snapshot.totals().allocated().samples()).isEqualTo(Long.MAX_VALUE);
        assertThat(snapshot.totals().allocated().sampledBytes()).isEqualTo(Long.MAX_VALUE);
        assertThat(snapshot.totals().allocated().bytes().value()).isEqualTo(3e200);
        assertThat(snapshot.totals().live().sampledBytes()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void refusesFiguresThatAddUpToNoNumber() {
        BlockWriter writer = new BlockWriter();
        int stack = writer.stack(false, writer.frame("a.A", "make", 1));
        for (int i = 0; i < 2; i++) {
            writer.site(stack, "a.Large" + i, 1, 1, Double.MAX_VALUE);
        }
        assertThat(BlockReading.isRead(writer.write())).isFalse();
    }

    /** Its lowest bit, its highest, all of them. */
    @Test
    void readsOrRefusesEveryFlippedByte() {
        byte[] block = small();
        for (int at = 0; at < block.length; at++) {
            for (int mask : new int[] {0x01, 0x80, 0xFF}) {
                block[at] ^= (byte) mask;
                BlockReading.isRead(block);
                block[at] ^= (byte) mask;
            }
        }
    }

    /** As it is, and with a header that knows of it. */
    @Test
    void refusesEveryTruncation() {
        for (String name : BlockReading.WRITTEN) {
            byte[] block = BlockReading.written(name);
            for (int length = 0; length < block.length; length++) {
                byte[] cut = Arrays.copyOf(block, length);
                assertThat(BlockReading.isRead(cut)).isFalse();
                if (length >= FIRST_SECTION) {
                    buffer(cut).putLong(LENGTH_AT, length);
                    assertThat(BlockReading.isRead(cut)).isFalse();
                }
            }
        }
    }

    @Test
    void readsOrRefusesOddNumbersInEveryWord() {
        byte[] block = small();
        for (int at = 0; at + 4 <= block.length; at += 4) {
            int before = buffer(block).getInt(at);
            for (int odd : ODD) {
                buffer(block).putInt(at, odd);
                BlockReading.isRead(block);
            }
            buffer(block).putInt(at, before);
        }
    }

    /** Every section says that it has more than it has, in entries and in bytes. */
    @Test
    void refusesSectionsThatSayTooMuch() {
        for (String name : BlockReading.WRITTEN) {
            byte[] block = BlockReading.written(name);
            for (int at : sections(block)) {
                for (int more : new int[] {1, 1 << 10, 1 << 20, 1 << 26, Integer.MAX_VALUE}) {
                    byte[] damaged = block.clone();
                    long bytes = buffer(block).getLong(at + 8);
                    buffer(damaged).putInt(at + 4, more);
                    buffer(damaged).putLong(at + 8, bytes + more * 64L);
                    assertThat(BlockReading.isRead(damaged)).isFalse();
                    buffer(damaged).putLong(at + 8, bytes);
                    BlockReading.isRead(damaged);
                }
            }
        }
    }

    @Test
    void refusesWhatIsLongerThanItSays() {
        for (String name : BlockReading.WRITTEN) {
            byte[] block = BlockReading.written(name);
            assertThat(BlockReading.isRead(Arrays.copyOf(block, block.length + 8))).isFalse();
            assertThat(BlockReading.isRead(Arrays.copyOf(block, 2 * block.length))).isFalse();
        }
    }

    /** 5,000 blocks with parts of one put into another, seed 1. */
    @Test
    void readsOrRefusesMixtures() {
        Random random = new Random(1);
        List<byte[]> blocks = BlockReading.WRITTEN.stream().map(BlockReading::written).toList();
        for (int i = 0; i < 5_000; i++) {
            byte[] mixed = blocks.get(random.nextInt(blocks.size())).clone();
            byte[] other = blocks.get(random.nextInt(blocks.size()));
            int length = 1 + random.nextInt(256);
            System.arraycopy(
                    other,
                    random.nextInt(other.length - length),
                    mixed,
                    FIRST_SECTION + random.nextInt(mixed.length - length - FIRST_SECTION),
                    length);
            BlockReading.isRead(mixed);
        }
    }
}
