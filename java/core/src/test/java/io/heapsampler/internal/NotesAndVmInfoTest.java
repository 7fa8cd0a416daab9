// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.DropCause;
import io.heapsampler.GarbageCollector;
import java.util.List;
import org.junit.jupiter.api.Test;

class NotesAndVmInfoTest {

    private static List<String> notes(BlockWriter writer) {
        return Notes.of(SnapshotDecoder.decode(writer.write()));
    }

    @Test
    void aCleanSnapshotNeedsNoNote() {
        assertThat(notes(new BlockWriter())).isEmpty();
    }

    @Test
    void saysWhatTheVmDoes() {
        assertThat(notes(new BlockWriter().info(Info.FEATURE, 21)))
                .containsExactly(Notes.OUTSIDE_TLAB);
        assertThat(
                        notes(
                                new BlockWriter()
                                        .info(
                                                Info.COLLECTOR,
                                                GarbageCollector.Z_GENERATIONAL.ordinal())))
                .containsExactly(Notes.Z_MAJOR);
        assertThat(
                        notes(
                                new BlockWriter()
                                        .info(Info.COLLECTOR, GarbageCollector.EPSILON.ordinal())))
                .containsExactly(Notes.EPSILON);
        BlockWriter threads = new BlockWriter();
        for (int i = 0; i < 64; i++) {
            threads.thread(i, "t" + i);
        }
        assertThat(notes(threads)).containsExactly(Notes.SHARED_RANDOM);
    }

    private static BlockWriter measured(long counted, long estimated, long variance) {
        return new BlockWriter()
                .info(Info.FEATURE, 17)
                .info(Info.COUNTED_BYTES, counted)
                .info(Info.ESTIMATED_BYTES, estimated)
                .info(Info.ESTIMATE_VARIANCE, variance);
    }

    @Test
    void saysHowMuchTooOftenTheVmSamplesOnceThatIsKnown() {
        // A deviation of 20 MiB of 1,024: 1.96 of them are 3.8 %.
        long kibi = 20 * 1024;
        assertThat(notes(measured(1L << 30, 9L << 27, kibi * kibi)))
                .containsExactly(
                        "JDK 17 to 24 sample too often or too seldom where objects are allocated"
                                + " outside thread-local buffers (JDK-8356372): so far, what"
                                + " samples stand for is +12.5 % (± 3.8) against the bytes that the"
                                + " JVM itself counted; single sites may be off by more, and to"
                                + " either side.");
        assertThat(notes(measured(1L << 30, 1L << 29, 1))).first().asString().contains("-50.0 %");
        assertThat(notes(measured(1L << 30, 1L << 30, 60 * kibi * kibi)))
                .containsExactly(Notes.OUTSIDE_TLAB);
        assertThat(notes(measured(1L << 30, 1L << 30, 1).info(Info.FEATURE, 25))).isEmpty();
    }

    @Test
    void saysThatUnusedBuffersMayCount() {
        assertThat(notes(new BlockWriter().info(Info.FLAGS, Info.FLAG_UNUSED_COUNTED)))
                .containsExactly(Notes.UNUSED_COUNTED);
    }

    @Test
    void saysThatAFullHeapLeavesNewObjectsUnconfirmed() {
        assertThat(notes(new BlockWriter().info(Info.FLAGS, Info.FLAG_NO_CANARY)))
                .containsExactly(Notes.NO_CANARY);
        long confirmed = Info.FLAG_NO_CANARY | Info.FLAG_GC_ASKED | Info.FLAG_GC_DONE;
        assertThat(notes(new BlockWriter().info(Info.FLAGS, confirmed))).isEmpty();
    }

    @Test
    void saysThatThereWasNoMemoryForNewTables() {
        assertThat(notes(new BlockWriter().info(Info.FLAGS, Info.FLAG_NO_TABLES)))
                .containsExactly(Notes.NO_TABLES);
    }

    @Test
    void saysThatAThreadDoesNotReturnFromASample() {
        assertThat(notes(new BlockWriter().info(Info.FLAGS, Info.FLAG_STUCK)))
                .containsExactly(Notes.STUCK);
    }

    @Test
    void saysWhatIsMissingBeforeTheFirstSamplesOfThreads() {
        assertThat(notes(phantoms(9, 900))).as("0.99 %").isEmpty();
        assertThat(notes(phantoms(100, 900)))
                .containsExactly(
                        "100 first samples of threads were dropped, since they may stem from"
                                + " before sampling began (JDK 25 and later) or from another agent;"
                                + " what each of these threads had allocated by then, about one"
                                + " interval, is missing: about 10.0 % of all.");
        assertThat(notes(phantoms(100, 900).info(Info.STRATEGY, 1).info(Info.STRATEGY_AMOUNT, 5)))
                .as("what a sample stands for is no interval there")
                .containsExactly(Notes.SIZE_BLIND + "5 on average.");
    }

    private static BlockWriter phantoms(long phantoms, long samples) {
        return new BlockWriter()
                .info(Info.SAMPLES, samples)
                .drop(DropCause.PHANTOM.ordinal(), phantoms);
    }

    @Test
    void saysWhatIsUncertain() {
        assertThat(notes(new BlockWriter().info(Info.SAMPLES, 9)))
                .containsExactly(Notes.FEW_SAMPLES);
        assertThat(notes(new BlockWriter().info(Info.FLAGS, Info.FLAG_GC_ASKED)))
                .containsExactly(Notes.GC_NOT_DONE);
        assertThat(
                        notes(
                                new BlockWriter()
                                        .info(Info.FLAGS, Info.FLAG_GC_ASKED | Info.FLAG_GC_DONE)))
                .isEmpty();
        assertThat(notes(new BlockWriter().info(Info.THINNING, 2))).containsExactly(Notes.THINNED);
    }

    @Test
    void saysByWhatSamplesWereChosenUnlessByBytes() {
        assertThat(notes(new BlockWriter().info(Info.STRATEGY, 1).info(Info.STRATEGY_AMOUNT, 500)))
                .containsExactly(Notes.SIZE_BLIND + "500 on average.");
        assertThat(
                        notes(
                                new BlockWriter()
                                        .info(Info.STRATEGY, 2)
                                        .info(Info.STRATEGY_AMOUNT, 2_500)))
                .containsExactly(Notes.RATE_CAPPED + "2.5" + Notes.RATE_CAPPED_REST);
        assertThat(notes(new BlockWriter().info(Info.STRATEGY, 3)))
                .containsExactly(Notes.UNKNOWN_STRATEGY);
    }

    @Test
    void saysHowMuchOfWhatWasCappedCameInBursts() {
        assertThat(notes(capped(99, 9_000, 91)).get(0)).as("0.99 %").doesNotContain("bursts");
        assertThat(notes(capped(100, 800, 100)))
                .containsExactly(
                        Notes.RATE_CAPPED + "2.0" + Notes.RATE_CAPPED_REST + " 10.0" + Notes.BURST);
    }

    @Test
    void saysThatTheBudgetMadeTheIntervalLarger() {
        BlockWriter writer =
                new BlockWriter().info(Info.INTERVAL, 65_536).info(Info.INTERVAL_IN_FORCE, 524_288);
        assertThat(notes(writer)).as("the JVM's own while nothing is sampled").isEmpty();
        writer.info(Info.FLAGS, Info.FLAG_SAMPLING);
        assertThat(notes(writer))
                .containsExactly(Notes.GOVERNED + "524288 instead of 65536 bytes.");
        assertThat(notes(writer.info(Info.INTERVAL_IN_FORCE, 65_536))).isEmpty();
        assertThat(notes(writer.info(Info.INTERVAL_IN_FORCE, 1))).as("of another").isEmpty();
    }

    @Test
    void saysThatValueObjectsAreNotAmongTheLiving() {
        assertThat(notes(new BlockWriter().drop(DropCause.VALUE_OBJECT.ordinal(), 1)))
                .containsExactly(Notes.VALUE_OBJECTS);
    }

    private static BlockWriter capped(long samples, long capped, long inBursts) {
        return new BlockWriter()
                .info(Info.SAMPLES, samples)
                .info(Info.STRATEGY, 2)
                .info(Info.STRATEGY_AMOUNT, 2_000)
                .drop(DropCause.CAPPED.ordinal(), capped)
                .drop(DropCause.BURST.ordinal(), inBursts);
    }

    @Test
    void saysThatFewerAreTrackedWhereTheyWouldHoldTooMuch() {
        BlockWriter held = new BlockWriter().info(Info.FLAGS, Info.FLAG_HELD);
        assertThat(notes(held)).as("not while nothing is thinned").isEmpty();
        assertThat(notes(held.drop(DropCause.THINNED.ordinal(), 1))).containsExactly(Notes.HELD);
    }

    @Test
    void saysUnderG1WhetherLargeObjectsAreThinnedOrAll() {
        BlockWriter writer =
                new BlockWriter()
                        .info(Info.COLLECTOR, GarbageCollector.G1.ordinal())
                        .drop(DropCause.THINNED.ordinal(), 1);
        assertThat(notes(writer)).containsExactly(Notes.THINNED);

        writer.info(Info.FLAGS, Info.FLAG_HELD);
        assertThat(notes(writer)).containsExactly(Notes.HELD_BY_G1);

        writer.info(Info.THINNING, 1);
        assertThat(notes(writer)).containsExactly(Notes.HELD_BY_G1, Notes.THINNED);
    }

    @Test
    void onlyGenerationalZgcAndG1HoldWhatIsTracked() {
        long heap = 1L << 30;
        assertThat(VmInfo.heldBytes(GarbageCollector.Z_GENERATIONAL, heap)).isEqualTo(heap / 200);
        assertThat(VmInfo.heldBytes(GarbageCollector.G1, heap)).isEqualTo(heap / 16);
        for (GarbageCollector collector : GarbageCollector.values()) {
            if (collector != GarbageCollector.Z_GENERATIONAL && collector != GarbageCollector.G1) {
                assertThat(VmInfo.heldBytes(collector, heap)).isZero();
            }
        }
    }

    @Test
    void saysThatStacksMayBeWrongOnceOneWas() {
        assertThat(notes(new BlockWriter().info(Info.MISMATCHES, 1)))
                .containsExactly(Notes.MISMATCHES);
    }

    @Test
    void saysThatLargeObjectsAreBornOldOnlyWhereThereAreSome() {
        BlockWriter writer = new BlockWriter().info(Info.BORN_OLD_BYTES, 1_000);
        writer.info(Info.COLLECTOR, GarbageCollector.UNKNOWN.ordinal());
        int site = writer.site(-1, "byte[]", 1, 1, 16);
        writer.living(site, -1, 999, 0, 0, 0, 0, 0).living(site, -1, 5_000, 0, 0, 0, 1, 1);
        assertThat(notes(writer)).isEmpty();

        writer.living(site, -1, 1_000, 0, 0, 0, 0, 0);
        assertThat(notes(writer)).containsExactly(Notes.BORN_OLD);

        writer.info(Info.COLLECTOR, GarbageCollector.PARALLEL.ordinal());
        assertThat(notes(writer)).containsExactly(Notes.BORN_OLD, Notes.SMALL_BORN_OLD);

        writer.info(Info.COLLECTOR, GarbageCollector.G1.ordinal());
        assertThat(notes(writer)).containsExactly(Notes.BORN_OLD, Notes.KEPT_BY_G1);
    }

    @Test
    void warnsOfSmallObjectsBornOldUntilACollectionWasForced() {
        BlockWriter writer =
                new BlockWriter().info(Info.COLLECTOR, GarbageCollector.PARALLEL.ordinal());
        int site = writer.site(-1, "byte[]", 1, 1, 16);
        writer.living(site, -1, 16, 0, 0, 0, 0, 0);
        assertThat(notes(writer)).as("nothing is said to be live").isEmpty();

        writer.living(site, -1, 16, 0, 0, 0, 1, 1);
        assertThat(notes(writer)).containsExactly(Notes.SMALL_BORN_OLD);
        writer.info(Info.COLLECTOR, GarbageCollector.SERIAL.ordinal());
        assertThat(notes(writer)).containsExactly(Notes.SMALL_BORN_OLD);

        writer.info(Info.FLAGS, Info.FLAG_GC_ASKED | Info.FLAG_GC_DONE);
        assertThat(notes(writer)).isEmpty();
        writer.info(Info.FLAGS, 0).info(Info.COLLECTOR, GarbageCollector.Z.ordinal());
        assertThat(notes(writer)).isEmpty();
    }

    @Test
    void saysWhichTableWasFull() {
        assertThat(notes(new BlockWriter().drop(DropCause.NAMES_FULL.ordinal(), 1)))
                .containsExactly(Notes.OTHER_SITES);
        assertThat(notes(new BlockWriter().drop(DropCause.THREADS_FULL.ordinal(), 1)))
                .containsExactly(Notes.OTHER_THREADS);
        assertThat(notes(new BlockWriter().drop(DropCause.OWN.ordinal(), 1))).isEmpty();
    }

    @Test
    void collectorsAreKnownByTheirBeans() {
        assertThat(VmInfo.collector(List.of("Copy", "MarkSweepCompact")))
                .isEqualTo(GarbageCollector.SERIAL);
        assertThat(VmInfo.collector(List.of("PS MarkSweep", "PS Scavenge")))
                .isEqualTo(GarbageCollector.PARALLEL);
        assertThat(VmInfo.collector(List.of("G1 Young Generation", "G1 Concurrent GC")))
                .isEqualTo(GarbageCollector.G1);
        assertThat(VmInfo.collector(List.of("ZGC Cycles", "ZGC Pauses")))
                .isEqualTo(GarbageCollector.Z);
        assertThat(VmInfo.collector(List.of("ZGC Minor Cycles", "ZGC Major Pauses")))
                .isEqualTo(GarbageCollector.Z_GENERATIONAL);
        assertThat(VmInfo.collector(List.of("Epsilon Heap"))).isEqualTo(GarbageCollector.EPSILON);
        assertThat(VmInfo.collector(List.of("Something"))).isEqualTo(GarbageCollector.UNKNOWN);
        assertThat(VmInfo.collector()).isNotEqualTo(GarbageCollector.UNKNOWN);
    }

    @Test
    void hotSpotIsKnownByItsName() {
        assertThat(VmInfo.isHotSpot("OpenJDK 64-Bit Server VM")).isTrue();
        assertThat(VmInfo.isHotSpot("Java HotSpot(TM) 64-Bit Server VM")).isTrue();
        assertThat(VmInfo.isHotSpot("Eclipse OpenJ9 VM")).isFalse();
        assertThat(VmInfo.isHotSpot("Substrate VM")).isFalse();
    }
}
