// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.heapmonitor;

import static io.heapsampler.heapmonitor.HeldThings.CHILD;
import static io.heapsampler.heapmonitor.HeldThings.ONE_STOP;
import static io.heapsampler.heapmonitor.HeldThings.PASSES;
import static io.heapsampler.heapmonitor.HeldThings.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SnapshotOptions;
import io.heapsampler.heapmonitor.HeldThings.Thing;
import io.heapsampler.support.HeldBlock;
import io.heapsampler.support.HeldBlock.Target;
import io.heapsampler.support.VirtualThreads;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Which references hold an object, by each way that this JVM has. */
@ExtendWith(CleanSampler.class)
class HoldersTest {

    private static final boolean IS_Z =
            ManagementFactory.getGarbageCollectorMXBeans().stream()
                    .anyMatch(bean -> bean.getName().startsWith("ZGC"));

    private static final List<Integer> WAYS =
            IS_Z ? List.of(ONE_STOP, PASSES) : List.of(ONE_STOP, CHILD, PASSES);

    /** A graph that stayed would show after one. Each cell of the matrix walks so often. */
    private static final int WALKS =
            Boolean.parseBoolean(System.getenv("HEAPSAMPLER_LONG")) ? 50 : 5;

    /** In short passes, which sleep as long as they take. */
    private static final int SLOW_WALKS = WALKS / 5;

    /** Before this JDK the VM looks through the heap at the end of each pass. */
    private static final boolean IS_SLOW = Runtime.version().feature() < 19;

    /**
     * Of the pauses of passes, in microseconds. On JDK 17 the VM takes less than half of it in a
     * heap of 45 MB.
     */
    private static final long SHORT_PAUSE = IS_SLOW ? 18_000 : 10_000;

    private interface Coded {
        Object CODE = new Object();
    }

    private static class Link implements Coded {
        static Object unrelated;
        final int number = 1;
        Object next;

        Link(Object next) {
            this.next = next;
        }
    }

    private static final class LongLink extends Link {
        String label = "long";
        Object further;

        LongLink(Object next, Object further) {
            super(next);
            this.further = further;
        }
    }

    private static Object holder;

    private static final ThreadLocal<Object> LOCAL = new ThreadLocal<>();

    /** The only target, held as the code says. */
    private static Target heldBy(int way, Supplier<?> code) {
        List<Target> all = allHeldBy(way, code);
        assertThat(all).hasSize(1);
        return all.get(0);
    }

    private static List<Target> allHeldBy(int way, Supplier<?> code) {
        try (HeapRecording recording = Recordings.ofAllThreads(0, Thing.class)) {
            Object kept = code.get();
            HeldBlock answer = HeldThings.ask(recording, way);
            Reference.reachabilityFence(kept);
            assertThat(answer.way()).as(answer.reason()).isEqualTo(way);
            return answer.targets();
        } finally {
            holder = null;
            LOCAL.remove();
        }
    }

    private static Supplier<Object> put(Supplier<Object> value) {
        return () -> {
            holder = value.get();
            return null;
        };
    }

    @Test
    void aStaticField() {
        for (int way : WAYS) {
            Target held = heldBy(way, put(() -> new Thing(1)));
            assertThat(text(held)).isEqualTo("0 1 HoldersTest.holder:.holder HeldThings$Thing");
            assertThat(held.rootClass()).isEqualTo("io.heapsampler.heapmonitor.HoldersTest");
        }
    }

    @Test
    void aMapInAnInstanceChain() {
        for (int way : WAYS) {
            Target held =
                    heldBy(
                            way,
                            put(
                                    () -> {
                                        Map<String, Object> map = new HashMap<>();
                                        map.put("key", new Thing(1));
                                        return new Link(new LongLink(null, map));
                                    }));
            assertThat(text(held))
                    .isEqualTo(
                            "0 1 HoldersTest.holder:.holder HoldersTest$Link.next"
                                    + " HoldersTest$LongLink.further HashMap.table"
                                    + " HashMap$Node[][] HashMap$Node.value HeldThings$Thing");
            assertThat(held.steps().get(1).declaring()).endsWith("HoldersTest$Link");
            assertThat(held.steps().get(2).declaring()).endsWith("HoldersTest$LongLink");
        }
    }

    @Test
    void aThreadLocal() {
        for (int way : WAYS) {
            Target held =
                    heldBy(
                            way,
                            () -> {
                                LOCAL.set(new Thing(1));
                                return null;
                            });
            assertThat(held.outcome()).isZero();
            assertThat(held.root()).as(text(held)).isEqualTo(2);
            assertThat(held.thread()).isEqualTo(Thread.currentThread().getId());
            assertThat(text(held))
                    .contains(".threadLocals ThreadLocal$ThreadLocalMap.table")
                    .endsWith(".value HeldThings$Thing");
        }
    }

    @Test
    void aLocalOfARunningFrame() {
        for (int way : WAYS) {
            Target held = heldBy(way, () -> new Thing(1));
            assertThat(held.outcome()).isZero();
            assertThat(held.root()).as(text(held)).isEqualTo(3);
            assertThat(held.thread()).isEqualTo(Thread.currentThread().getId());
            assertThat(held.rootClass()).isEqualTo("io.heapsampler.heapmonitor.HoldersTest");
            assertThat(held.rootName()).isEqualTo("allHeldBy");
        }
    }

    @Test
    void aSoftReferenceIsSaidAndAWeakOneDoesNotHold() {
        for (int way : WAYS) {
            Thing[] kept = {new Thing(1)};
            WeakReference<Object> weak = new WeakReference<>(kept);
            holder = weak;
            try (HeapRecording recording = Recordings.ofAllThreads(0, Thing.class)) {
                Target held = HeldThings.ask(recording, way, weak).targets().get(0);
                assertThat(held.isWatched()).isTrue();
                assertThat(held.root()).as(text(held)).isEqualTo(3);
            }
            Reference.reachabilityFence(kept);
            holder = null;
            /* Shenandoah clears it in the collection before. */
            for (Target soft : allHeldBy(way, put(() -> new SoftReference<>(new Thing(1))))) {
                assertThat(text(soft))
                        .isEqualTo(
                                "0 1 HoldersTest.holder:.holder SoftReference.referent"
                                        + " HeldThings$Thing");
                assertThat(soft.steps().get(1).flags() & 2).isEqualTo(2);
            }
        }
    }

    /** A virtual thread that is parked, with the object in a local alone. */
    @Test
    void aLocalOfAParkedVirtualThread() throws Exception {
        assumeTrue(Runtime.version().feature() >= 21);
        VirtualThreads threads = new VirtualThreads();
        for (int way : WAYS) {
            CountDownLatch isParked = new CountDownLatch(1);
            boolean[] mayEnd = new boolean[1];
            Thread[] started = new Thread[1];
            Target held =
                    heldBy(
                            way,
                            put(
                                    () -> {
                                        Thing[] box = {new Thing(1)};
                                        started[0] =
                                                threads.start(() -> keep(box, isParked, mayEnd));
                                        await(isParked);
                                        return started[0];
                                    }));
            synchronized (mayEnd) {
                mayEnd[0] = true;
            }
            LockSupport.unpark(started[0]);
            started[0].join();
            if (way == PASSES) {
                assertThat(held.outcome()).as("the JVM does not show the stack").isEqualTo(7);
                continue;
            }
            assertThat(held.outcome()).as(text(held)).isZero();
            assertThat(held.root()).as(text(held)).isEqualTo(3);
            assertThat(held.thread()).isEqualTo(started[0].getId());
        }
    }

    private static void keep(Thing[] box, CountDownLatch isParked, boolean[] mayEnd) {
        Thing thing = box[0];
        box[0] = null;
        isParked.countDown();
        while (!isSet(mayEnd)) {
            LockSupport.park();
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
            throw new IllegalStateException(e);
        }
    }

    /** Defines a class of its own, an instance of which holds it. */
    private static final class OneLoader extends ClassLoader {
        OneLoader() {
            super(HoldersTest.class.getClassLoader());
        }

        Object newInstance() throws ReflectiveOperationException, IOException {
            String name = Defined.class.getName();
            try (InputStream in =
                    Defined.class.getResourceAsStream(
                            name.substring(name.lastIndexOf('.') + 1) + ".class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length)
                        .getDeclaredConstructor()
                        .newInstance();
            }
        }
    }

    /** Has no field, so only its class leads on. */
    public static final class Defined {}

    @Test
    void aClassLoaderIsHeldByAnObjectWithoutFields() throws Exception {
        for (int way : WAYS) {
            OneLoader loader = new OneLoader();
            holder = new Link(loader.newInstance());
            WeakReference<Object> weak = new WeakReference<>(loader);
            loader = null;
            try (HeapRecording recording = Recordings.ofAllThreads(0, Thing.class)) {
                Target held = HeldThings.ask(recording, way, weak).targets().get(0);
                assertThat(text(held))
                        .isEqualTo(
                                "0 1 HoldersTest.holder:.holder HoldersTest$Link.next"
                                        + " HoldersTest$Defined#4 HoldersTest$Defined#5"
                                        + " HoldersTest$OneLoader");
                holder = null;
                System.gc();
                assertThat(HeldThings.ask(recording, way, weak).targets().get(0).outcome())
                        .as("died, or only weakly reachable")
                        .isIn(5, 6);
            } finally {
                holder = null;
            }
        }
    }

    @Test
    void passesAreOfSeveralMoments() {
        holder = new Link(null);
        try (HeapRecording recording = Recordings.ofAllThreads(0, Thing.class)) {
            ((Link) holder).next = new Thing(1);
            HeldBlock answer = HeldThings.ask(recording, PASSES);
            assertThat(answer.flags()).as("and dominators are not known").isEqualTo(2);
        } finally {
            holder = null;
        }
    }

    @Test
    void passesFollowArraysOfAnyLength() {
        assumeTrue(!(IS_Z && IS_SLOW)); // No pass of ZGC is short there.
        for (int length : new int[] {5_000, 50_000, 2_000_000}) {
            Object[] array = new Object[length];
            holder = array;
            try (HeapRecording recording = Recordings.ofAllThreads(0, Thing.class)) {
                array[7] = new Thing(1);
                HeapSnapshot snapshot = recording.snapshot(SnapshotOptions.afterGc());
                array = null;
                long[] limits = {SHORT_PAUSE, 120_000_000, 1L << 30, 1L << PASSES};
                HeldBlock answer = HeldThings.ask(snapshot, limits);
                assertThat(answer.targets().get(0).outcome())
                        .as("with %s elements", length)
                        .isZero();
            } finally {
                holder = null;
            }
        }
    }

    @Test
    void manyWalksLeaveNothing() {
        for (int way : WAYS) {
            holder = new Link(null);
            try (HeapRecording recording = Recordings.ofAllThreads(0, Thing.class)) {
                ((Link) holder).next = new Thing(1);
                HeapSnapshot snapshot = recording.snapshot(SnapshotOptions.afterGc());
                HeldThings.ask(snapshot, way);
                long memory = HeapSampler.status().memoryUsed();
                for (int i = 0; i < (way == PASSES ? SLOW_WALKS : WALKS); i++) {
                    HeldBlock answer = HeldThings.ask(snapshot, way);
                    assertThat(answer.targets().get(0).outcome()).isZero();
                }
                // Tables grow by chunks of 16 KiB meanwhile. A graph that stayed would be more.
                assertThat(HeapSampler.status().memoryUsed())
                        .isLessThanOrEqualTo(memory + 64 * 1024);
            } finally {
                holder = null;
            }
            assertThat(ProcessHandle.current().children()).isEmpty();
        }
    }

    @Test
    void aChildIsRefusedWhereTheHeapIsShared() {
        holder = new Thing(1);
        try (HeapRecording recording = Recordings.ofAllThreads(0, Thing.class)) {
            holder = new Thing(2);
            HeldBlock answer = HeldThings.ask(recording, CHILD);
            if (IS_Z) {
                assertThat(answer.way()).isZero();
                assertThat(answer.reason()).isEqualTo("child: it would share the heap");
                assertThat(answer.targets().get(0).outcome()).isEqualTo(7);
            } else {
                assertThat(answer.way()).isEqualTo(CHILD);
            }
        } finally {
            holder = null;
        }
    }
}
