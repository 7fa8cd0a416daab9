// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.holders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reading the block about holders, whole and damaged. */
class HeldDecoderTest {

    private static final int LIVING = 5;
    private static final int REASON_AT = 72;

    private static byte[] block() {
        byte[] block =
                new HeldBlockWriter()
                        .dominators()
                        .reason("ZGC shares its heap")
                        .failure("the child process gave no answer")
                        .path(3, "static com.acme.Shop.open -> com.acme.A", "com.acme.A.b -> X !")
                        .unresolved(0, 5)
                        .path(1, "thread 7 -> java.lang.Thread", "com.acme.J.x -> X", "[] -> Y ~")
                        .write();
        return new HeldAddition(12, "class X", Map.of(7L, "main", 8L, "")).after(block);
    }

    private static HeldPaths decode(byte[] block) {
        return HeldDecoder.decode(block, 0, block.length, LIVING);
    }

    private static ByteBuffer buffer(byte[] block) {
        return ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Test
    void readsWhatWasWritten() {
        HeldPaths paths = decode(block());

        assertThat(paths.way()).isEqualTo(2);
        assertThat(paths.hasDominators()).isTrue();
        assertThat(paths.longestPauseMicros()).isEqualTo(42_000);
        assertThat(paths.timeMicros()).isEqualTo(1_200_000);
        assertThat(paths.reason()).isEqualTo("ZGC shares its heap");
        assertThat(paths.failure()).isEqualTo("the child process gave no answer");
        assertThat(paths.place).containsExactly(3, 0, 1);
        assertThat(paths.outcome).containsExactly(0, 5, 0);
        assertThat(paths.root).containsExactly(1, 0, 2);
        assertThat(paths.thread).containsExactly(0, 0, 7);
        assertThat(paths.start).containsExactly(0, 2, 2, 5);
        assertThat(paths.kind).containsExactly(2, 1, 0, 1, 3);
        assertThat(paths.flags).containsExactly(0, 1, 0, 0, 2);
        assertThat(paths.names[paths.field[1]]).isEqualTo("b");
        assertThat(paths.names[paths.to[4]]).isEqualTo("Y");
        assertThat(paths.samples()).isEqualTo(3);
        assertThat(paths.matching()).isEqualTo(12);
        assertThat(paths.question()).isEqualTo("class X");
        assertThat(paths.threadNames()).containsOnly(Map.entry(7L, "main"), Map.entry(8L, ""));
    }

    /** The library may end its block where the facade adds nothing. */
    @Test
    void readsABlockWithoutAnAddition() {
        HeldPaths paths = decode(new HeldBlockWriter().unresolved(4, 1).write());

        assertThat(paths.matching()).isEqualTo(1);
        assertThat(paths.question()).isEmpty();
        assertThat(decode(HeldAddition.nothing()).samples()).isZero();
        assertThat(decode(HeldAddition.nothing()).way()).isZero();
    }

    @Test
    void watchedObjectsAreNoSamples() {
        byte[] block =
                new HeldBlockWriter()
                        .path(1 << 31, "root 5 0 -> com.acme.Loader")
                        .unresolved((1 << 31) + 1, 6)
                        .unresolved(2, 6)
                        .write();

        assertThat(decode(block).samples()).isEqualTo(1);
    }

    @Test
    void readsABlockThatLiesWithinALargerOne() {
        byte[] block = block();
        byte[] larger = new byte[block.length + 30];
        Arrays.fill(larger, (byte) -1);
        System.arraycopy(block, 0, larger, 16, block.length);

        assertThat(HeldDecoder.decode(larger, 16, block.length, LIVING).samples()).isEqualTo(3);
    }

    private static void assertRefused(byte[] block, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> decode(block))
                .withMessage("The snapshot block is damaged: " + message);
    }

    private static byte[] with(int at, int value) {
        byte[] block = block();
        buffer(block).putInt(at, value);
        return block;
    }

    @Test
    void aDamagedBlockIsRefusedWithThePlace() {
        assertRefused(new byte[5], "section HELD ends within header 1.");
        assertRefused(with(0, 7), "section HELD does not begin with HHLD.");
        assertRefused(with(4, 2), "section HELD is of version 2.");
        assertRefused(with(8, 4), "section HELD has the way 4 of 4.");
        assertRefused(with(20, -1), "figure 0 of section HELD is -4294925296.");
        assertRefused(
                with(REASON_AT, -1),
                "reason 1 of section HELD has a length of 4294967295, where "
                        + (block().length - REASON_AT - 4)
                        + " bytes are left.");
        byte[] longer = Arrays.copyOf(block(), block().length + 3);
        assertRefused(longer, "3 bytes are left at the end of section HELD.");
        assertRefused(
                new HeldBlockWriter().unresolved(5, 1).write(),
                "target 0 of HELD names sample 5 of 5.");
        assertRefused(
                new HeldBlockWriter().unresolved(4, 1).unresolved(4, 1).write(),
                "target 1 of HELD names sample 4 once more.");
        assertRefused(
                new HeldBlockWriter().unresolved(4, 8).write(),
                "section HELD has the outcome 8 of 8.");
        assertRefused(
                new HeldBlockWriter().unresolved(4, 0).write(),
                "target 0 of HELD has outcome 0 and 0 steps.");
        assertRefused(
                new HeldBlockWriter().path(0, "root 10 0 -> X").write(),
                "section HELD has the kind of root 10 of 10.");
        assertRefused(
                new HeldBlockWriter().path(0, "root 8 0 -> X", "kind 12 X -> Y").write(),
                "section HELD has the kind of step 12 of 12.");
        String[] steps = new String[HeldPaths.MAX_STEPS];
        Arrays.fill(steps, "a.B.c -> a.B");
        assertRefused(
                new HeldBlockWriter().path(0, "root 8 0 -> X", steps).write(),
                "target 0 of HELD has outcome 0 and 129 steps.");
    }

    @Test
    void refusesEveryTruncation() {
        byte[] block = block();
        int whole = 0;
        for (int length = 0; length < block.length; length++) {
            whole += isRead(Arrays.copyOf(block, length)) ? 1 : 0;
        }
        assertThat(whole).as("the block without the addition").isEqualTo(1);
    }

    /** Each number, with values that arithmetic gets wrong; and 20,000 mixtures, seed 1. */
    @Test
    @Timeout(60)
    void readsOrRefusesEveryDamage() {
        byte[] block = block();
        for (int at = 0; at + 4 <= block.length; at++) {
            for (int odd : new int[] {-1, 1 << 31, Integer.MAX_VALUE, 1 << 30, 1 << 16, 0, 129}) {
                byte[] damaged = block.clone();
                buffer(damaged).putInt(at, odd);
                isRead(damaged);
            }
        }
        Random random = new Random(1);
        for (int i = 0; i < 20_000; i++) {
            byte[] damaged = block.clone();
            for (int k = random.nextInt(6); k >= 0; k--) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            }
            isRead(damaged);
        }
    }

    /** Folds all paths as well. */
    private static boolean isRead(byte[] block) {
        try {
            HeldPaths paths = decode(block);
            ThreadNames names = new ThreadNames(paths.threadNames(), paths.thread);
            Links links = new Links(paths);
            PathFolder folder = new PathFolder(paths, names, links);
            for (int i = 0; i < paths.place.length; i++) {
                if (paths.outcome[i] == HeldPaths.HELD) {
                    folder.fold(i).forEach(each -> links.all().get(each.link).text().length());
                }
            }
            return true;
        } catch (IllegalArgumentException e) {
            assertThat(e).hasMessageStartingWith("The snapshot block is damaged: ");
            return false;
        }
    }
}
