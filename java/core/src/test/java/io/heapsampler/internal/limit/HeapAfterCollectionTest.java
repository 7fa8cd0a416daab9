// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.lang.ref.Reference;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Figures as the beans of each collector give them. */
class HeapAfterCollectionTest {

    private static final double SHARE = 0.9;
    private static final long MAX = 1_000;

    private final Map<String, Pool> pools = new LinkedHashMap<>();
    private final Map<String, Long> collections = new LinkedHashMap<>();
    private long inUse = MAX;
    private HeapAfterCollection heap;

    /**
     * What a pool says.
     *
     * @param own its limit; −1 for none
     * @param now in use at this moment
     * @param after in use after a collection; −1: the pool does not say
     */
    private record Pool(MemoryType type, boolean isOld, long own, long now, long after) {}

    private void pool(String name, boolean isOld, long own, long now, long after) {
        pools.put(name, new Pool(MemoryType.HEAP, isOld, own, now, after));
    }

    private static MemoryUsage usage(long used, long max) {
        return used < 0 ? null : new MemoryUsage(0, used, Math.max(used, 0), max);
    }

    private MemoryPoolMXBean poolBean(String name) {
        return proxy(
                MemoryPoolMXBean.class,
                method -> {
                    Pool pool = pools.get(name);
                    return switch (method) {
                        case "getName" -> name;
                        case "getType" -> pool.type();
                        case "isUsageThresholdSupported" -> pool.isOld();
                        case "getUsage" -> usage(pool.now(), pool.own());
                        case "getCollectionUsage" -> usage(pool.after(), pool.own());
                        default -> throw new AssertionError(method + " is not for us");
                    };
                });
    }

    private GarbageCollectorMXBean collectorBean(String name) {
        return proxy(
                GarbageCollectorMXBean.class,
                method ->
                        switch (method) {
                            case "getName" -> name;
                            case "getCollectionCount" -> collections.get(name);
                            default -> throw new AssertionError(method + " is not for us");
                        });
    }

    private interface Answers {
        Object to(String method);
    }

    private static <T> T proxy(Class<T> type, Answers answers) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (proxy, method, arguments) -> answers.to(method.getName())));
    }

    private MemoryUse read() {
        if (heap == null) {
            List<MemoryPoolMXBean> beans = new ArrayList<>();
            pools.keySet().forEach(name -> beans.add(poolBean(name)));
            List<GarbageCollectorMXBean> collectors = new ArrayList<>();
            collections.keySet().forEach(name -> collectors.add(collectorBean(name)));
            heap = new HeapAfterCollection(beans, collectors, () -> MAX, () -> inUse);
        }
        return heap.read(SHARE);
    }

    private void assertUse(String what, long used, long limit, boolean isCertain) {
        MemoryUse use = read();
        assertThat(use.what()).isEqualTo(what);
        assertThat(use.used()).isEqualTo(used);
        assertThat(use.limit()).isEqualTo(limit);
        assertThat(use.isCertain()).isEqualTo(isCertain);
    }

    private void serial(long eden, long edenAfter, long old, long oldAfter) {
        pool("Tenured Gen", true, 700, old, oldAfter);
        pool("Eden Space", false, 250, eden, edenAfter);
        pool("Survivor Space", false, 50, 10, 10);
        pools.put("Metaspace", new Pool(MemoryType.NON_HEAP, true, 100, 99, 99));
    }

    @Test
    void garbageSinceTheLastCollectionDoesNotCount() {
        serial(250, 210, 690, 100);
        assertUse("the heap", 320, 1_000, true);
        assertThat(read().left()).isEqualTo(680);
        inUse = 200;
        assertThat(read().left()).as("at this moment").isEqualTo(800);
    }

    /** Each collection is a full one then, though a quarter of the heap is empty. */
    @Test
    void aFullOldGenerationIsNearItsLimit() {
        serial(0, 0, 695, 693);
        assertUse("the old generation", 693, 700, true);
        assertThat(read().left()).as("of the whole heap").isEqualTo(297);
    }

    @Test
    void aSmallOldGenerationMayLeaveTheRestAlone() {
        serial(0, 240, 700, 690);
        assertUse("the old generation", 690, 700, true);
        serial(0, 250, 700, 630);
        assertUse("the old generation", 630, 700, true);
        serial(0, 250, 500, 500);
        assertUse("the heap", 760, 1_000, true);
    }

    /** A survivor space is often full. */
    @Test
    void fullYoungPoolsAreUsual() {
        serial(0, 0, 0, 0);
        pool("Survivor Space", false, 50, 50, 50);
        assertUse("the heap", 50, 1_000, true);
    }

    @Test
    void poolsThatNoteNothingAreLeftOut() {
        pool("Epsilon Heap", false, 1_000, 990, -1);
        assertUse("the heap", 0, 1_000, true);
    }

    @Test
    void aHeapWithoutALimitHasNoUse() {
        for (long none : new long[] {-1, 0, Long.MAX_VALUE}) {
            heap = new HeapAfterCollection(List.of(), List.of(), () -> none, () -> 0);
            assertThat(read()).isNull();
        }
    }

    private void g1(long old, long oldAfter) {
        pool("G1 Eden Space", false, -1, 100, 0);
        pool("G1 Old Gen", true, 1_000, old, oldAfter);
        pool("G1 Survivor Space", false, -1, 5, 5);
    }

    private void counts(String name, long count) {
        collections.put(name, count);
    }

    private void isG1(boolean notesMarking) {
        counts("G1 Young Generation", 40);
        counts("G1 Old Generation", 3);
        if (notesMarking) {
            counts("G1 Concurrent GC", 10);
        }
    }

    /** After it has marked, G1 frees garbage over eight collections. */
    @Test
    void ofG1AFigureCountsThatHasLastedForEightCollections() {
        isG1(true);
        g1(999, 500);
        assertUse("the heap", 505, 1_000, true);
        g1(999, 950);
        assertUse("the heap", 955, 1_000, false);
        counts("G1 Young Generation", 47);
        assertUse("the heap", 955, 1_000, false);
        g1(999, 500);
        assertUse("the heap", 505, 1_000, true);
        g1(999, 950);
        counts("G1 Young Generation", 55);
        assertUse("the heap", 955, 1_000, false);
        counts("G1 Young Generation", 63);
        assertUse("the heap", 955, 1_000, true);
    }

    @Test
    void orThatAFullCollectionHasLeft() {
        isG1(true);
        g1(900, 500);
        read();
        g1(950, 950);
        counts("G1 Old Generation", 4);
        assertUse("the heap", 955, 1_000, true);
    }

    /** JDK 17: the old generation's collections are full ones and mixed ones, never a marking. */
    @Test
    void whereG1DoesNotNoteItsMarkingTheFigureOfTheMomentCounts() {
        isG1(false);
        g1(950, 0);
        assertUse("the heap", 955, 1_000, false);
        counts("G1 Young Generation", 48);
        assertUse("the heap", 955, 1_000, true);
    }

    /** Minor collections note an old generation that is full of garbage. */
    @Test
    void ofGenerationalZgcAFigureCountsThatAMajorCollectionHasLeft() {
        counts("ZGC Minor Cycles", 100);
        counts("ZGC Major Cycles", 5);
        pool("ZGC Young Generation", false, 1_000, 200, 30);
        pool("ZGC Old Generation", true, 1_000, 910, 910);
        assertUse("the heap", 940, 1_000, false);
        counts("ZGC Minor Cycles", 200);
        assertUse("the heap", 940, 1_000, false);
        counts("ZGC Major Cycles", 6);
        assertUse("the heap", 940, 1_000, true);
    }

    @Test
    void ofGenerationalShenandoahAFigureCountsThatHasLasted() {
        counts("Shenandoah Cycles", 5);
        pool("Shenandoah Young Gen", true, 1_000, 200, 30);
        pool("Shenandoah Old Gen", true, 1_000, 910, 910);
        assertUse("the heap", 940, 1_000, false);
        counts("Shenandoah Cycles", 13);
        assertUse("the heap", 940, 1_000, true);
    }

    /**
     * Whichever collector runs: what lives is found after a collection, and no threshold is set.
     */
    @Test
    void thisJvmCanBeRead() {
        byte[] live = new byte[4 << 20];
        System.gc();
        MemoryUse use = HeapAfterCollection.ofThisJvm().read(0.999);
        assertThat(use.used()).isBetween((long) live.length, use.limit());
        Reference.reachabilityFence(live);
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            if (pool.isCollectionUsageThresholdSupported()) {
                assertThat(pool.getCollectionUsageThreshold()).isZero();
            }
        }
    }
}
