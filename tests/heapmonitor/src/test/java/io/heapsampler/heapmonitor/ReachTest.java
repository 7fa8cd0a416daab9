// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.heapmonitor;

import static io.heapsampler.heapmonitor.Reached.LONG;
import static io.heapsampler.heapmonitor.Reached.OPTIONS;
import static io.heapsampler.heapmonitor.Reached.hold;
import static io.heapsampler.heapmonitor.Reached.last;
import static io.heapsampler.heapmonitor.Reached.reachIn;
import static io.heapsampler.heapmonitor.Reached.reachOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.heapmonitor.Reached.Thing;
import io.heapsampler.internal.shared.HeapReach;
import io.heapsampler.support.VirtualThreads;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.SoftReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** How live objects are reachable: each test holds one, or some, in its own way. */
@ExtendWith(CleanSampler.class)
class ReachTest {

    /** Numbers of fields begin with those of interfaces. */
    private interface Coded {
        int CODE = 1;
        String NAME = "coded";
    }

    private interface Named extends Coded {
        int LENGTH = 5;
    }

    private static class SoftEntry extends SoftReference<Object> implements Named {
        static int made;
        final Object value;

        SoftEntry(Object key, Object value) {
            super(key);
            this.value = value;
            made++;
        }
    }

    /** An interface of both classes counts once. */
    private static final class SoftestEntry extends SoftEntry implements Coded, Comparable<Object> {
        Object other;

        SoftestEntry(Object key, Object value) {
            super(key, value);
        }

        @Override
        public int compareTo(Object object) {
            return CODE;
        }
    }

    private static Object alsoHolder;

    @Test
    void aStaticFieldAnArrayAFieldAndAMapHoldStrongly() {
        assertThat(reachOf(Thing::new)).containsExactly(HeapReach.STRONG);
        assertThat(reachOf(() -> new Object[] {null, new Thing()}))
                .containsExactly(HeapReach.STRONG);
        assertThat(reachOf(() -> Map.of("key", List.of(new Thing()))))
                .containsExactly(HeapReach.STRONG);
    }

    @Test
    void aSoftReferenceHoldsSoftly() {
        assertThat(reachOf(() -> new SoftReference<>(new Thing()))).containsExactly(HeapReach.SOFT);
    }

    @Test
    void whatASoftlyReachableObjectHoldsIsSoftlyReachable() {
        assertThat(reachOf(() -> new SoftReference<>(List.of(new Thing(), new Thing()))))
                .containsExactly(HeapReach.SOFT, HeapReach.SOFT);
        assertThat(reachOf(() -> new SoftReference<>(new SoftReference<>(new Thing()))))
                .containsExactly(HeapReach.SOFT);
    }

    @Test
    void anObjectThatIsHeldStronglyTooIsStronglyReachable() {
        Supplier<Object> both =
                () -> {
                    Thing thing = new Thing();
                    alsoHolder = Map.of(1, thing);
                    return new SoftReference<>(thing);
                };
        assertThat(reachOf(both)).containsExactly(HeapReach.STRONG);
    }

    @Test
    void aCacheOfSoftReferencesIsSoftlyReachableWhileItsMapIsNot() {
        Supplier<Object> cache =
                () -> {
                    Map<Integer, SoftReference<Thing>> map = new HashMap<>();
                    IntStream.range(0, 1000)
                            .forEach(i -> map.put(i, new SoftReference<>(new Thing())));
                    return map;
                };
        assertThat(reachOf(cache)).hasSize(1000).containsOnly(HeapReach.SOFT);
    }

    @Test
    void anObjectIsDistinguishedFromItsNeighbours() {
        Supplier<Object> mixed =
                () -> {
                    List<Object> list = new ArrayList<>();
                    for (int i = 0; i < 100; i++) {
                        Thing thing = new Thing();
                        list.add(i % 2 == 0 ? thing : new SoftReference<>(thing));
                    }
                    return list;
                };
        assertThat(reachOf(mixed)).hasSize(100);
        assertThat(reachIn(last()).stream().filter(HeapReach.STRONG::equals)).hasSize(50);
        assertThat(reachIn(last()).stream().filter(HeapReach.SOFT::equals)).hasSize(50);
    }

    @Test
    void otherFieldsOfAReferenceHoldStrongly() {
        assertThat(reachOf(() -> new SoftEntry("key", new Thing())))
                .containsExactly(HeapReach.STRONG);
        assertThat(reachOf(() -> new SoftestEntry("key", new Thing())))
                .containsExactly(HeapReach.STRONG);
        assertThat(reachOf(() -> other(new SoftestEntry("key", null))))
                .containsExactly(HeapReach.STRONG);
        assertThat(reachOf(() -> new WeakHashMap<>(Map.of("literal", new Thing()))))
                .containsExactly(HeapReach.STRONG);
    }

    private static Object other(SoftestEntry entry) {
        entry.other = new Thing();
        return entry;
    }

    @Test
    void theReferentOfASubclassIsSoftlyReachable() {
        assertThat(reachOf(() -> new SoftEntry(new Thing(), "value")))
                .containsExactly(HeapReach.SOFT);
        assertThat(reachOf(() -> new SoftestEntry(new Thing(), "value")))
                .containsExactly(HeapReach.SOFT);
    }

    @Test
    void aReferenceWithAQueueHoldsSoftlyToo() {
        ReferenceQueue<Object> queue = new ReferenceQueue<>();
        assertThat(reachOf(() -> new SoftReference<>(new Thing(), queue)))
                .containsExactly(HeapReach.SOFT);
    }

    @Test
    void aThreadLocalAndALocalVariableHoldStrongly() {
        HeapSnapshot snapshot;
        ThreadLocal<Thing> local = new ThreadLocal<>();
        Supplier<Object> inThread =
                () -> {
                    Thing thing = new Thing();
                    local.set(thing);
                    return new SoftReference<>(thing);
                };
        assertThat(reachOf(inThread)).containsExactly(HeapReach.STRONG);
        local.remove();
        try (HeapRecording recording = Recordings.exact(Thing.class)) {
            Thing thing = new Thing();
            snapshot = HeapReach.snapshot(recording, OPTIONS, LONG);
            Reference.reachabilityFence(thing);
        }
        assertThat(reachIn(snapshot)).containsExactly(HeapReach.STRONG);
    }

    /** In a class loader of its own. */
    private static Class<?> copyOf(Class<?> type) {
        try {
            return ClassBytes.of(type).load();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Loaded twice. */
    public static final class Shelf {
        public static Object content;
    }

    private static Class<?> shelf() {
        try {
            Class<?> shelf = copyOf(Shelf.class);
            shelf.getField("content").set(null, new Thing());
            return shelf;
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aStaticFieldHoldsAsItsClassLoaderIsHeld() {
        assertThat(reachOf(ReachTest::shelf)).containsExactly(HeapReach.STRONG);
        assertThat(reachOf(() -> new SoftReference<>(shelf()))).containsExactly(HeapReach.SOFT);
    }

    @Test
    void theStackOfAVirtualThreadHoldsStrongly() throws Exception {
        assumeTrue(Runtime.version().feature() >= 21, "virtual threads came with JDK 21");
        VirtualThreads threads = new VirtualThreads();
        CountDownLatch isParked = new CountDownLatch(2);
        List<Thread> started = new ArrayList<>();
        boolean[] mayEnd = new boolean[1];
        Supplier<Object> onStacks =
                () -> {
                    List<Object> softly = new ArrayList<>();
                    for (boolean spins : new boolean[] {false, true}) {
                        Thing thing = new Thing();
                        softly.add(new SoftReference<>(thing));
                        started.add(threads.start(() -> keep(thing, isParked, mayEnd, spins)));
                    }
                    return softly;
                };
        try {
            assertThat(
                            reachOf(
                                    () -> {
                                        Object result = onStacks.get();
                                        await(isParked);
                                        return result;
                                    }))
                    .containsExactly(HeapReach.STRONG, HeapReach.STRONG);
        } finally {
            synchronized (mayEnd) {
                mayEnd[0] = true;
            }
            started.forEach(LockSupport::unpark);
            for (Thread thread : started) {
                thread.join();
            }
        }
    }

    /** Mounted if it spins. */
    private static void keep(
            Object thing, CountDownLatch isParked, boolean[] mayEnd, boolean spins) {
        isParked.countDown();
        while (!isSet(mayEnd)) {
            if (spins) {
                Thread.onSpinWait();
            } else {
                LockSupport.park();
            }
        }
        Reference.reachabilityFence(thing);
    }

    private static boolean isSet(boolean[] flag) {
        synchronized (flag) {
            return flag[0];
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aReferenceCanItselfBeQueried() {
        HeapSnapshot snapshot;
        try (HeapRecording recording = Recordings.exact(SoftEntry.class)) {
            hold(() -> new SoftReference<>(new SoftEntry("key", "value")));
            snapshot = HeapReach.snapshot(recording, OPTIONS, LONG);
        }
        assertThat(Recordings.samplesOf(snapshot, SoftEntry.class))
                .extracting(HeapReach::of)
                .containsExactly(HeapReach.SOFT);
    }

    @Test
    void aClassOfReferencesCanItselfBeQueried() {
        HeapSnapshot snapshot;
        Work.sink = loadedEntry(); // so that the recording sees no class of ClassBytes itself
        try (HeapRecording recording = Recordings.exact(Class.class)) {
            hold(ReachTest::loadedEntry);
            snapshot = HeapReach.snapshot(recording, OPTIONS, LONG);
        }
        assertThat(Recordings.samplesOf(snapshot, Class.class))
                .filteredOn(sample -> sample.stack().toString().contains("ClassBytes.load"))
                .extracting(HeapReach::of)
                .containsExactly(HeapReach.STRONG);
    }

    private static Object loadedEntry() {
        try {
            return copyOf(PlainEntry.class).getConstructor(Object.class).newInstance("key");
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** Loaded twice. */
    public static final class PlainEntry extends SoftReference<Object> {
        public PlainEntry(Object key) {
            super(key);
        }
    }

    @Test
    void softReferencesThatLookUnusedAreCleared() {
        List<SoftReference<Object>> references = new ArrayList<>();
        IntStream.range(0, 100).forEach(i -> references.add(new SoftReference<>(new Thing())));
        references.add(new SoftEntry(new Thing(), null));
        Object held = new Thing();
        SoftReference<Object> other = new SoftReference<>(held);
        assertThat(HeapReach.ageSoftReferences()).isTrue();
        System.gc();
        assertThat(references).allMatch(reference -> reference.refersTo(null));
        assertThat(other.refersTo(held)).isTrue();
        Reference.reachabilityFence(held);
    }
}
