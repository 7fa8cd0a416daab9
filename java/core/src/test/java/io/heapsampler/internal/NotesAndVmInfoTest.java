// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.DropCause;
import io.heapsampler.GarbageCollector;
import io.heapsampler.Note;
import java.util.List;
import org.junit.jupiter.api.Test;

class NotesAndVmInfoTest {

    private static List<Note> notes(BlockWriter writer) {
        return Notes.of(SnapshotDecoder.decode(writer.write()));
    }

    /** Programs compare ids: a change here breaks them. */
    @Test
    void eachNoteHasAStableId() {
        assertThat(NoteText.values())
                .extracting(note -> note.with(new Object[note.figures()]).id())
                .containsExactly(
                        "few-samples",
                        "size-blind",
                        "rate-capped",
                        "bursts",
                        "unknown-strategy",
                        "overhead-limit",
                        "jdk-8356372",
                        "jdk-8356372",
                        "jdk-8356372-sites",
                        "unused-buffers",
                        "shared-random",
                        "zgc-major-only",
                        "epsilon",
                        "gc-not-observed",
                        "heap-nearly-full",
                        "born-old",
                        "born-old-small",
                        "kept-by-g1",
                        "stack-mismatch",
                        "first-samples-dropped",
                        "thinned-large",
                        "thinned",
                        "thinned-held",
                        "tables-full",
                        "tables-not-renewed",
                        "thread-stuck",
                        "threads-full",
                        "labels-full",
                        "filtered",
                        "no-stack",
                        "no-reference",
                        "value-objects",
                        "native-memory",
                        "truncated",
                        "unknown-drop-cause",
                        "holders-unread",
                        "smallest-growth",
                        "smallest-growth",
                        "not-after-gc");
    }

    @Test
    void figuresStandWhereTheTextHasPlacesForThem() {
        assertThat(NoteText.GOVERNED.with(2, 1).text()).endsWith(": 2 instead of 1 bytes.");
        assertThat(NoteText.FIRST_DROPPED.with("{}", "5").text())
                .startsWith("{} first samples")
                .endsWith("about 5 % of all.");
    }

    @Test
    void aCleanSnapshotNeedsNoNote() {
        assertThat(notes(new BlockWriter())).isEmpty();
    }

    @Test
    void notesNameTheLimitsOfTheVm() {
        assertThat(notes(new BlockWriter().info(Info.FEATURE, 21)))
                .containsExactly(NoteText.OUTSIDE_TLAB.with());
        assertThat(
                        notes(
                                new BlockWriter()
                                        .info(
                                                Info.COLLECTOR,
                                                GarbageCollector.Z_GENERATIONAL.ordinal())))
                .containsExactly(NoteText.Z_MAJOR.with());
        assertThat(
                        notes(
                                new BlockWriter()
                                        .info(Info.COLLECTOR, GarbageCollector.EPSILON.ordinal())))
                .containsExactly(NoteText.EPSILON.with());
        BlockWriter threads = new BlockWriter();
        for (int i = 0; i < 64; i++) {
            threads.thread(i, "t" + i);
        }
        assertThat(notes(threads)).containsExactly(NoteText.SHARED_RANDOM.with());
    }

    private static BlockWriter measured(long counted, long estimated, long variance) {
        return new BlockWriter()
                .info(Info.FEATURE, 17)
                .info(Info.COUNTED_BYTES, counted)
                .info(Info.ESTIMATED_BYTES, estimated)
                .info(Info.ESTIMATE_VARIANCE, variance);
    }

    @Test
    void aNoteHasTheExcessOfSamplesOnceThatIsKnown() {
        // A deviation of 20 MiB of 1,024: 1.96 of them are 3.8 %.
        long kibi = 20 * 1024;
        assertThat(notes(measured(1L << 30, 9L << 27, kibi * kibi)))
                .extracting(Note::text)
                .containsExactly(
                        "JDK 17 to 24 sample too often or too seldom where objects are allocated"
                                + " outside thread-local buffers (JDK-8356372): so far, what"
                                + " samples stand for is +12.5 % (± 3.8) against the bytes that the"
                                + " JVM itself counted; single sites may be off by more, and to"
                                + " either side.");
        assertThat(notes(measured(1L << 30, 1L << 29, 1))).first().asString().contains("-50.0 %");
        assertThat(notes(measured(1L << 30, 1L << 30, 60 * kibi * kibi)))
                .containsExactly(NoteText.OUTSIDE_TLAB.with());
        assertThat(notes(measured(1L << 30, 1L << 30, 1).info(Info.FEATURE, 25))).isEmpty();
    }

    @Test
    void saysThatUnusedBuffersMayCount() {
        assertThat(notes(new BlockWriter().info(Info.FLAGS, Info.FLAG_UNUSED_COUNTED)))
                .containsExactly(NoteText.UNUSED_COUNTED.with());
    }

    @Test
    void saysThatAFullHeapLeavesNewObjectsUnconfirmed() {
        assertThat(notes(new BlockWriter().info(Info.FLAGS, Info.FLAG_NO_CANARY)))
                .containsExactly(NoteText.NO_CANARY.with());
        long confirmed = Info.FLAG_NO_CANARY | Info.FLAG_GC_ASKED | Info.FLAG_GC_DONE;
        assertThat(notes(new BlockWriter().info(Info.FLAGS, confirmed))).isEmpty();
    }

    @Test
    void saysThatThereWasNoMemoryForNewTables() {
        assertThat(notes(new BlockWriter().info(Info.FLAGS, Info.FLAG_NO_TABLES)))
                .containsExactly(NoteText.NO_TABLES.with());
    }

    @Test
    void saysThatAThreadDoesNotReturnFromASample() {
        assertThat(notes(new BlockWriter().info(Info.FLAGS, Info.FLAG_STUCK)))
                .containsExactly(NoteText.STUCK.with());
    }

    @Test
    void aNoteCoversBytesBeforeTheFirstSamplesOfThreads() {
        assertThat(notes(phantoms(9, 900))).as("0.99 %").isEmpty();
        assertThat(notes(phantoms(100, 900)))
                .extracting(Note::text)
                .containsExactly(
                        "100 first samples of threads were dropped, since they may stem from"
                                + " before sampling began (JDK 25 and later) or from another agent;"
                                + " what each of these threads had allocated by then, about one"
                                + " interval, is missing: about 10.0 % of all.");
        assertThat(notes(phantoms(100, 900).info(Info.STRATEGY, 1).info(Info.STRATEGY_AMOUNT, 5)))
                .as("what a sample stands for is no interval there")
                .containsExactly(NoteText.SIZE_BLIND.with(5));
    }

    private static BlockWriter phantoms(long phantoms, long samples) {
        return new BlockWriter()
                .info(Info.SAMPLES, samples)
                .drop(DropCause.PHANTOM.ordinal(), phantoms);
    }

    @Test
    void notesNameUncertainFigures() {
        assertThat(notes(new BlockWriter().info(Info.SAMPLES, 9)))
                .containsExactly(NoteText.FEW_SAMPLES.with());
        assertThat(notes(new BlockWriter().info(Info.FLAGS, Info.FLAG_GC_ASKED)))
                .containsExactly(NoteText.GC_NOT_DONE.with());
        assertThat(
                        notes(
                                new BlockWriter()
                                        .info(Info.FLAGS, Info.FLAG_GC_ASKED | Info.FLAG_GC_DONE)))
                .isEmpty();
        assertThat(notes(new BlockWriter().info(Info.THINNING, 2)))
                .containsExactly(NoteText.THINNED.with());
    }

    @Test
    void aNoteNamesAStrategyOtherThanBytes() {
        assertThat(notes(new BlockWriter().info(Info.STRATEGY, 1).info(Info.STRATEGY_AMOUNT, 500)))
                .containsExactly(NoteText.SIZE_BLIND.with(500));
        assertThat(
                        notes(
                                new BlockWriter()
                                        .info(Info.STRATEGY, 2)
                                        .info(Info.STRATEGY_AMOUNT, 2_500)))
                .containsExactly(NoteText.RATE_CAPPED.with(2.5));
        assertThat(notes(new BlockWriter().info(Info.STRATEGY, 3)))
                .containsExactly(NoteText.UNKNOWN_STRATEGY.with());
    }

    @Test
    void aNoteHasTheShareOfCappedSamplesThatCameInBursts() {
        assertThat(notes(capped(99, 9_000, 91)))
                .as("0.99 %")
                .containsExactly(NoteText.RATE_CAPPED.with(2.0));
        assertThat(notes(capped(100, 800, 100)))
                .containsExactly(NoteText.RATE_CAPPED.with(2.0), NoteText.BURSTS.with("10.0"));
    }

    @Test
    void saysThatTheBudgetMadeTheIntervalLarger() {
        BlockWriter writer =
                new BlockWriter().info(Info.INTERVAL, 65_536).info(Info.INTERVAL_IN_FORCE, 524_288);
        assertThat(notes(writer)).as("the JVM's own while nothing is sampled").isEmpty();
        writer.info(Info.FLAGS, Info.FLAG_SAMPLING);
        assertThat(notes(writer)).containsExactly(NoteText.GOVERNED.with(524_288, 65_536));
        assertThat(notes(writer.info(Info.INTERVAL_IN_FORCE, 65_536))).isEmpty();
        assertThat(notes(writer.info(Info.INTERVAL_IN_FORCE, 1))).as("of another").isEmpty();
    }

    @Test
    void saysThatValueObjectsAreNotAmongTheLiving() {
        assertThat(notes(new BlockWriter().drop(DropCause.VALUE_OBJECT.ordinal(), 1)))
                .containsExactly(NoteText.VALUE_OBJECTS.with());
    }

    @Test
    void samplesWithoutRoomForTheirLabelsAreCountedInANote() {
        assertThat(notes(new BlockWriter().drop(DropCause.LABELS_FULL.ordinal(), 1_234)))
                .extracting(Note::text)
                .containsExactly(
                        "There was no room for labels 1234 times. Samples without room are counted"
                            + " at the labels \"(other)\". If more than about a million virtual"
                            + " threads have open scopes, some lose their labels. Each of these"
                            + " scopes counts as well. Use labels with few different values: ids do"
                            + " not belong in labels.");
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
        assertThat(notes(held.drop(DropCause.THINNED.ordinal(), 1)))
                .containsExactly(NoteText.HELD.with());
    }

    @Test
    void saysUnderG1WhetherLargeObjectsAreThinnedOrAll() {
        BlockWriter writer =
                new BlockWriter()
                        .info(Info.COLLECTOR, GarbageCollector.G1.ordinal())
                        .drop(DropCause.THINNED.ordinal(), 1);
        assertThat(notes(writer)).containsExactly(NoteText.THINNED.with());

        writer.info(Info.FLAGS, Info.FLAG_HELD);
        assertThat(notes(writer)).containsExactly(NoteText.HELD_BY_G1.with());

        writer.info(Info.THINNING, 1);
        assertThat(notes(writer))
                .containsExactly(NoteText.HELD_BY_G1.with(), NoteText.THINNED.with());
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
                .containsExactly(NoteText.MISMATCHES.with());
    }

    @Test
    void saysThatLargeObjectsAreBornOldOnlyWhereThereAreSome() {
        BlockWriter writer = new BlockWriter().info(Info.BORN_OLD_BYTES, 1_000);
        writer.info(Info.COLLECTOR, GarbageCollector.UNKNOWN.ordinal());
        int site = writer.site(-1, "byte[]", 1, 1, 16);
        writer.living(site, -1, 999, 0, 0, 0, 0, 0).living(site, -1, 5_000, 0, 0, 0, 1, 1);
        assertThat(notes(writer)).isEmpty();

        writer.living(site, -1, 1_000, 0, 0, 0, 0, 0);
        assertThat(notes(writer)).containsExactly(NoteText.BORN_OLD.with());

        writer.info(Info.COLLECTOR, GarbageCollector.PARALLEL.ordinal());
        assertThat(notes(writer))
                .containsExactly(NoteText.BORN_OLD.with(), NoteText.SMALL_BORN_OLD.with());

        writer.info(Info.COLLECTOR, GarbageCollector.G1.ordinal());
        assertThat(notes(writer))
                .containsExactly(NoteText.BORN_OLD.with(), NoteText.KEPT_BY_G1.with());
    }

    @Test
    void warnsOfSmallObjectsBornOldUntilACollectionWasForced() {
        BlockWriter writer =
                new BlockWriter().info(Info.COLLECTOR, GarbageCollector.PARALLEL.ordinal());
        int site = writer.site(-1, "byte[]", 1, 1, 16);
        writer.living(site, -1, 16, 0, 0, 0, 0, 0);
        assertThat(notes(writer)).as("nothing is said to be live").isEmpty();

        writer.living(site, -1, 16, 0, 0, 0, 1, 1);
        assertThat(notes(writer)).containsExactly(NoteText.SMALL_BORN_OLD.with());
        writer.info(Info.COLLECTOR, GarbageCollector.SERIAL.ordinal());
        assertThat(notes(writer)).containsExactly(NoteText.SMALL_BORN_OLD.with());

        writer.info(Info.FLAGS, Info.FLAG_GC_ASKED | Info.FLAG_GC_DONE);
        assertThat(notes(writer)).isEmpty();
        writer.info(Info.FLAGS, 0).info(Info.COLLECTOR, GarbageCollector.Z.ordinal());
        assertThat(notes(writer)).isEmpty();
    }

    @Test
    void aNoteNamesTheFullTable() {
        assertThat(notes(new BlockWriter().drop(DropCause.NAMES_FULL.ordinal(), 1)))
                .containsExactly(NoteText.OTHER_SITES.with());
        assertThat(notes(new BlockWriter().drop(DropCause.THREADS_FULL.ordinal(), 1)))
                .containsExactly(NoteText.OTHER_THREADS.with());
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
