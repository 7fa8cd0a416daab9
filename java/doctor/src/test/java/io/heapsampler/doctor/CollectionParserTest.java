// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.MemoryUsage;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the collectors of the JDKs 17, 21 and 25 were heard to say, and what it means. */
class CollectionParserTest {

    private static final List<String> G1 =
            List.of("G1 Eden Space", "G1 Survivor Space", "G1 Old Gen");
    private static final List<String> ZHEAP = List.of("ZHeap");
    private static final List<String> ZGC = List.of("ZGC Young Generation", "ZGC Old Generation");
    private static final List<String> SHENANDOAH = List.of("Shenandoah");
    private static final List<String> GENERATIONS =
            List.of("Shenandoah Young Gen", "Shenandoah Old Gen");

    private static MemoryUsage use(long used) {
        return new MemoryUsage(0, used, used + 100, -1);
    }

    private static GcEvent parse(List<String> pools, String bean, String action, String cause) {
        return new CollectionParser(pools).parse(bean, action, cause, 1_000, 5, Map.of(), Map.of());
    }

    @ParameterizedTest
    @CsvSource({
        "Copy, end of minor GC, YOUNG_PAUSE",
        "MarkSweepCompact, end of major GC, FULL_PAUSE",
        "PS Scavenge, end of minor GC, YOUNG_PAUSE",
        "PS MarkSweep, end of major GC, FULL_PAUSE",
        "G1 Young Generation, end of minor GC, YOUNG_PAUSE",
        "G1 Old Generation, end of major GC, FULL_PAUSE",
        "G1 Concurrent GC, end of concurrent GC pause, PHASE_PAUSE",
        "ZGC Cycles, end of GC cycle, OLD_CYCLE",
        "ZGC Pauses, end of GC pause, PHASE_PAUSE",
        "ZGC Minor Cycles, end of GC cycle, YOUNG_CYCLE",
        "ZGC Minor Pauses, end of GC pause, PHASE_PAUSE",
        "ZGC Major Cycles, end of GC cycle, OLD_CYCLE",
        "ZGC Major Pauses, end of GC pause, PHASE_PAUSE",
        "Shenandoah Cycles, end of GC cycle, OLD_CYCLE",
        "Shenandoah Pauses, Init Mark, PHASE_PAUSE",
        "Shenandoah Pauses, Final Mark, PHASE_PAUSE",
        "Shenandoah Pauses, Init Update Refs, PHASE_PAUSE",
        "Shenandoah Pauses, Final Update Refs, PHASE_PAUSE",
        "Shenandoah Pauses, Final Roots, PHASE_PAUSE",
        "Shenandoah Pauses, Degenerated GC, DEGENERATED_PAUSE",
        "Shenandoah Pauses, Full GC, FULL_PAUSE",
    })
    void eachBeanAndActionHasItsMeaning(String bean, String action, CollectionKind kind) {
        assertThat(parse(SHENANDOAH, bean, action, "any").kind()).isEqualTo(kind);
    }

    /** T1. */
    @ParameterizedTest
    @CsvSource({
        "ZGC Cycles",
        "ZGC Minor Cycles",
        "ZGC Major Cycles",
        "Shenandoah Cycles",
    })
    void aCycleIsNoPause(String bean) {
        assertThat(parse(ZGC, bean, "end of GC cycle", "Warmup").kind().isPause()).isFalse();
    }

    /** T2. */
    @Test
    void sizesThatAPauseDoesNotTellAreUnknownAndNotNothing() {
        Map<String, MemoryUsage> nothing = Map.of("ZHeap", new MemoryUsage(0, 0, 0, -1));
        GcEvent pause =
                new CollectionParser(ZHEAP)
                        .parse("ZGC Pauses", "end of GC pause", "Warmup", 1, 0, nothing, nothing);

        assertThat(pause.heapBefore()).isEqualTo(-1);
        assertThat(pause.heapAfter()).isEqualTo(-1);
        assertThat(pause.heapCommitted()).isEqualTo(-1);
        assertThat(pause.oldAfter()).isEqualTo(-1);
        assertThat(pause.metaspaceAfter()).isEqualTo(-1);
    }

    @Test
    void whatIsUnknownKeepsItsNamesAndIsNeitherPauseNorOld() {
        GcEvent odd = parse(G1, "Balanced", "end of something", "Full moon");

        assertThat(odd.kind()).isEqualTo(CollectionKind.UNKNOWN);
        assertThat(odd.kind().isPause()).isFalse();
        assertThat(odd.bean()).isEqualTo("Balanced");
        assertThat(odd.action()).isEqualTo("end of something");
        assertThat(odd.cause()).isEqualTo("Full moon");
    }

    /** G1 with ExplicitGCInvokesConcurrent: no full pause, and the cause tells who wanted it. */
    @Test
    void anExplicitCollectionThatRunsConcurrentlyBeginsWithAYoungPause() {
        GcEvent it = parse(G1, "G1 Young Generation", "end of minor GC", "System.gc()");

        assertThat(it.kind()).isEqualTo(CollectionKind.YOUNG_PAUSE);
        assertThat(it.cause()).isEqualTo("System.gc()");
    }

    @Test
    void sizesAreThoseOfTheGenerations() {
        Map<String, MemoryUsage> before =
                Map.of(
                        "G1 Eden Space", use(50),
                        "G1 Survivor Space", use(5),
                        "G1 Old Gen", use(30),
                        "Metaspace", use(9),
                        "Compressed Class Space", use(1));
        Map<String, MemoryUsage> after =
                Map.of(
                        "G1 Eden Space", use(0),
                        "G1 Survivor Space", use(7),
                        "G1 Old Gen", use(34),
                        "Metaspace", use(8),
                        "Compressed Class Space", use(1));
        GcEvent it =
                new CollectionParser(G1)
                        .parse(
                                "G1 Young Generation",
                                "end of minor GC",
                                "G1 Evacuation Pause",
                                77,
                                3,
                                before,
                                after);

        assertThat(it.atMillis()).isEqualTo(77);
        assertThat(it.durationMillis()).isEqualTo(3);
        assertThat(it.heapBefore()).isEqualTo(85);
        assertThat(it.heapAfter()).isEqualTo(41);
        assertThat(it.heapCommitted()).isEqualTo(341);
        assertThat(it.youngAfter()).isEqualTo(7);
        assertThat(it.oldBefore()).isEqualTo(30);
        assertThat(it.oldAfter()).isEqualTo(34);
        // The class space is a part of metaspace.
        assertThat(it.metaspaceAfter()).isEqualTo(8);
    }

    @Test
    void aHeapWithoutGenerationsIsOld() {
        GcEvent it =
                new CollectionParser(ZHEAP)
                        .parse(
                                "ZGC Cycles",
                                "end of GC cycle",
                                "Warmup",
                                1,
                                2,
                                Map.of("ZHeap", use(90)),
                                Map.of("ZHeap", use(40)));

        assertThat(it.oldBefore()).isEqualTo(90);
        assertThat(it.oldAfter()).isEqualTo(40);
        assertThat(it.youngAfter()).isEqualTo(-1);
    }

    /** With generations, Shenandoah has one bean for young and old cycles. */
    @Test
    void aCycleOfShenandoahIsOldIfItTookFromTheOldGeneration() {
        assertThat(shenandoah("Concurrent GC", 30, 35).kind())
                .isEqualTo(CollectionKind.YOUNG_CYCLE);
        assertThat(shenandoah("Concurrent GC", 30, 20).kind()).isEqualTo(CollectionKind.OLD_CYCLE);
        assertThat(shenandoah("System.gc()", 0, 0).kind()).isEqualTo(CollectionKind.OLD_CYCLE);
    }

    private static GcEvent shenandoah(String cause, long oldBefore, long oldAfter) {
        return new CollectionParser(GENERATIONS)
                .parse(
                        "Shenandoah Cycles",
                        "end of GC cycle",
                        cause,
                        1,
                        2,
                        Map.of(
                                "Shenandoah Young Gen",
                                use(50),
                                "Shenandoah Old Gen",
                                use(oldBefore)),
                        Map.of(
                                "Shenandoah Young Gen",
                                use(9),
                                "Shenandoah Old Gen",
                                use(oldAfter)));
    }
}
