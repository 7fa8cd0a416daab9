// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SnapshotDecoderTest {

    private static BlockWriter small() {
        BlockWriter writer = new BlockWriter();
        int stack =
                writer.stack(true, writer.frame("a.A", "leaf", 7), writer.frame("a.B", "root", -1));
        int lives = writer.lifetimes(3, new double[48]);
        int site = writer.site(stack, writer.name("byte[]"), 2, 4, 1, 64, 9, 32, lives);
        int thread = writer.thread(5, "worker");
        return writer.living(site, thread, 16, 1_000, 512, 1, 1, 3)
                .dead(site, -1, 24, 10, 2, 20, 30);
    }

    private static void refused(byte[] block, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SnapshotDecoder.decode(block))
                .withMessageContaining(message);
    }

    private static byte[] patched(byte[] block, int at, int value) {
        ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN).putInt(at, value);
        return block;
    }

    @Test
    void readsEveryTable() {
        SnapshotData data =
                SnapshotDecoder.decode(small().info(Info.COLLECTIONS, 11).drop(4, 9).write());

        assertThat(data.info(Info.COLLECTIONS)).isEqualTo(11);
        assertThat(data.dropped(4)).isEqualTo(9);
        assertThat(data.dropped(99)).isZero();
        assertThat(data.siteCount()).isEqualTo(1);
        assertThat(data.siteClassName(0)).isEqualTo("byte[]");
        assertThat(data.siteDepth(0)).isEqualTo(2);
        assertThat(data.siteTruncated(0)).isTrue();
        assertThat(data.siteIsOther(0)).isFalse();
        assertThat(data.deaths(data.rows().ofSite(0))).isEqualTo(3);
        assertThat(data.frameText(data.siteFrame(0, 0), 2)).isEqualTo("leaf");
        assertThat(data.frameLine(data.siteFrame(0, 1))).isEqualTo(-1);
        assertThat(data.threadName(0)).isEqualTo("worker");
        assertThat(data.threadId(0)).isEqualTo(5);
    }

    @Test
    void readsSamples() {
        SampleColumns samples = SnapshotDecoder.decode(small().write()).samples;

        assertThat(samples.count).isEqualTo(2);
        assertThat(samples.living).isEqualTo(1);
        assertThat(samples.size(0)).isEqualTo(16);
        assertThat(samples.allocatedMicros(0)).isEqualTo(1_000);
        assertThat(samples.survived(0)).isEqualTo(3);
        assertThat(samples.chance(0)).isEqualTo(-Math.expm1(-16.0 / 512) / 2);
        assertThat(samples.thread(1)).isEqualTo(SampleColumns.NO_THREAD);
        assertThat(samples.liveness(1)).isEqualTo(2);
        assertThat(samples.lastSeenMicros(1)).isEqualTo(20);
        assertThat(samples.foundDeadMicros(1)).isEqualTo(30);
    }

    @Test
    void readsModifiedUtf8() {
        BlockWriter writer = new BlockWriter();
        byte[] bytes = {'a', (byte) 0xC0, (byte) 0x80, (byte) 0xC3, (byte) 0xA9};
        int name = writer.name("key", bytes);
        byte[] pair = {
            (byte) 0xED, (byte) 0xA0, (byte) 0xBD, (byte) 0xED, (byte) 0xB8, (byte) 0x80
        };
        int smile = writer.name("smile", pair);

        SnapshotData data = SnapshotDecoder.decode(writer.write());

        assertThat(data.names[name]).isEqualTo("a\0\u00e9");
        assertThat(data.names[smile]).isEqualTo("\ud83d\ude00");
    }

    @Test
    void skipsUnknownSectionsAndAcceptsEmptyOnes() {
        byte[] block = new BlockWriter().section(77, 5, new byte[] {1, 2, 3}).write();

        assertThat(SnapshotDecoder.decode(block).siteCount()).isZero();
    }

    @Test
    void foldsClassesAndCountsLivenessApart() {
        BlockWriter writer = new BlockWriter();
        int one = writer.site(writer.stack(false, writer.frame("a.A", "x", 1)), "a.T", 1, 1, 16);
        int two = writer.site(writer.stack(false, writer.frame("a.A", "y", 2)), "a.T", 1, 1, 16);
        int thread = writer.thread(1, "t");
        writer.living(one, thread, 100, 0, 0, 0, 1, 1).living(two, thread, 100, 0, 0, 2, 0, 0);

        Aggregates sums = SnapshotDecoder.decode(writer.write()).aggregates();

        assertThat(sums.classNames).containsExactly("a.T");
        assertThat(sums.byClass(Aggregates.Kind.LIVE).amount(0).bytes().value()).isEqualTo(100);
        assertThat(sums.byClass(Aggregates.Kind.UNCONFIRMED).amount(0).bytes().value())
                .isEqualTo(400);
        assertThat(sums.byThread(Aggregates.Kind.UNCONFIRMED).amount(0).objects().value())
                .isEqualTo(4);
        assertThat(sums.total(Aggregates.Kind.ALLOCATED).amount(0).samples()).isEqualTo(2);
    }

    @Test
    void refusesOtherVersions() {
        refused(
                new BlockWriter().version(2).write(),
                "is of version 2, this library reads version 1");
    }

    @Test
    void refusesWhatIsNoBlock() {
        refused(new byte[3], "3 bytes are less than its header of 32");
        refused(patched(small().write(), 0, 0), "does not begin with HSNP");
        refused(patched(small().write(), 4, 1 | 33 << 16), "a header of 33 bytes");
        refused(patched(small().write(), 16, 5), "it says that it has 5 bytes");
        refused(patched(small().write(), 8, -1), "within section");
    }

    @Test
    void refusesIndexesThatLeadOutside() {
        BlockWriter writer = new BlockWriter();
        int stack = writer.stack(false, writer.frame("a.A", "x", 1));
        refused(
                small().living(9, 0, 16, 0, 0, 0, 0, 0).write(),
                "entry 1 of LIVE names site 9 of 1");
        refused(small().living(-1, 0, 16, 0, 0, 0, 0, 0).write(), "names site 4294967295 of 1");
        refused(small().living(0, 7, 16, 0, 0, 0, 0, 0).write(), "names thread 7 of 1");
        writer.site(stack, 999, 1, 1, 0, 1, 0, 1, -1);
        refused(writer.write(), "entry 0 of SITES names name 999");
        refused(
                new BlockWriter().section(5, 1, new byte[] {1, 0, 0, 0, 9, 0, 0, 0}).write(),
                "frame 9 of 0");
    }

    private static int chance(float chance) {
        return Float.floatToIntBits(chance) | 1 << 31;
    }

    @Test
    void aChanceTakesThePlaceOfAnInterval() {
        SnapshotData data =
                SnapshotDecoder.decode(
                        small().living(0, 0, 1 << 20, 0, chance(0.125f), 1, 0, 0).write());
        int last = data.samples.living - 1;

        assertThat(data.samples.chanceToBeTaken(last)).isEqualTo(0.125);
        assertThat(data.samples.chance(last)).isEqualTo(0.0625);
    }

    @Test
    void refusesFiguresThatCannotBe() {
        refused(small().living(0, 0, 0, 0, 0, 0, 0, 0).write(), "entry 1 of LIVE has size 0");
        refused(small().living(0, 0, 16, 0, -5, 0, 0, 0).write(), "interval -5");
        refused(small().living(0, 0, 16, 0, 1 << 31, 0, 0, 0).write(), "interval -2147483648");
        refused(small().living(0, 0, 16, 0, chance(1.01f), 0, 0, 0).write(), "interval -");
        refused(small().living(0, 0, 16, 0, 0, 99, 0, 0).write(), "thinning 99");
        refused(small().living(0, 0, 16, 0, 0, 0, 2, 0).write(), "liveness 2");
        BlockWriter writer = small();
        writer.site(-1, 0, 1, Double.NaN, 0, 1, 0, 1, -1);
        refused(writer.write(), "entry 1 of SITES has the figure NaN");
    }

    @Test
    void refusesSectionsOfTheWrongSize() {
        refused(
                new BlockWriter().section(1, 1, new byte[8]).write(),
                "section INFO has 1 entries in 8 bytes, not 1 in 184 or more");
        refused(
                new BlockWriter().section(1, 1, new byte[23 * 8 + 4]).write(),
                "section INFO has 1 entries in 188 bytes");
        refused(
                new BlockWriter().section(8, 2, new byte[40]).write(),
                "section LIVE has 2 entries of 40 bytes");
        refused(
                new BlockWriter().section(3, 1 << 30, new byte[8]).write(),
                "cannot hold 1073741824 entries");
        refused(
                new BlockWriter().section(3, 1, new byte[] {9, 0, 0, 0, 'a'}).write(),
                "name 0 leaves its section");
        refused(
                new BlockWriter().section(3, 1, new byte[] {1, 0, 0, 0, 0}).write(),
                "is not modified UTF-8");
        refused(
                new BlockWriter().section(5, 1, new byte[] {2, 0, 0, 0}).write(),
                "stack 0 leaves its section");
    }

    @Test
    void refusesEveryTruncation() {
        byte[] block = small().write();
        for (int length = 0; length < block.length; length++) {
            refused(Arrays.copyOf(block, length), "damaged");
            byte[] short_ = Arrays.copyOf(block, length);
            if (length >= 32) {
                ByteBuffer.wrap(short_).order(ByteOrder.LITTLE_ENDIAN).putLong(16, length);
                assertRefusedOrRead(short_);
            }
        }
    }

    /**
     * 20,000 blocks with one to four random bytes changed, seed 1: read or refused, never another
     * exception.
     */
    @Test
    void refusesOrReadsWhateverIsDamaged() {
        byte[] block = small().write();
        Random random = new Random(1);
        for (int i = 0; i < 20_000; i++) {
            byte[] damaged = block.clone();
            for (int k = random.nextInt(4); k >= 0; k--) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            }
            assertRefusedOrRead(damaged);
        }
    }

    private static void assertRefusedOrRead(byte[] block) {
        assertThatCode(
                        () -> {
                            try {
                                SnapshotDecoder.decode(block);
                            } catch (IllegalArgumentException e) {
                                assertThat(e).hasMessageStartingWith("The snapshot block is ");
                            }
                        })
                .doesNotThrowAnyException();
    }

    /**
     * 100,000 live samples over 10,000 stacks of 32 frames; the best of 10 decodings, by the time
     * of the processor, with much room for a busy machine.
     */
    @Test
    void decodesManySamplesQuickly() {
        byte[] block = large();
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long best = Long.MAX_VALUE;
        for (int i = 0; i < 10; i++) {
            long start = threads.getCurrentThreadCpuTime();
            SnapshotData data = SnapshotDecoder.decode(block);
            long nanos = threads.getCurrentThreadCpuTime() - start;
            if (Boolean.getBoolean("heapsampler.test.print")) {
                System.out.println("decode.micros=" + nanos / 1000);
            }
            best = Math.min(best, nanos);
            assertThat(data.samples.living).isEqualTo(100_000);
        }
        assertThat(best).isLessThan(200_000_000L);
    }

    private static byte[] large() {
        BlockWriter writer = new BlockWriter();
        Random random = new Random(2);
        int[] frames = new int[20_000];
        for (int i = 0; i < frames.length; i++) {
            frames[i] = writer.frame("com.acme.Class" + i / 4, "method" + i % 100, i % 500);
        }
        int thread = writer.thread(1, "main");
        for (int i = 0; i < 10_000; i++) {
            int[] stack = random.ints(32, 0, frames.length).map(f -> frames[f]).toArray();
            writer.site(writer.stack(false, stack), "com.acme.Type" + i % 300, 10, 1_000, 1e6);
        }
        for (int i = 0; i < 100_000; i++) {
            writer.living(
                    i % 10_000, thread, 16 + 8 * random.nextInt(1000), i, 524_288, 0, i & 1, 2);
        }
        return writer.write();
    }
}
