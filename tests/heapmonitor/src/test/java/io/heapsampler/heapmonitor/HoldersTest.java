// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.heapmonitor;

import static io.heapsampler.heapmonitor.HeldThings.CHILD;
import static io.heapsampler.heapmonitor.HeldThings.ONE_STOP;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.heapmonitor.HeldThings.Answer;
import io.heapsampler.heapmonitor.HeldThings.Held;
import io.heapsampler.heapmonitor.HeldThings.Thing;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Which references hold an object, by each way that this JVM has. */
@ExtendWith(CleanSampler.class)
class HoldersTest {

    private static final boolean IS_Z =
            ManagementFactory.getGarbageCollectorMXBeans().stream()
                    .anyMatch(bean -> bean.getName().startsWith("ZGC"));

    private static final List<Integer> WAYS = IS_Z ? List.of(ONE_STOP) : List.of(ONE_STOP, CHILD);

    private static final int WALKS = 50;

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
    private static Held heldBy(int way, Supplier<?> code) {
        List<Held> all = allHeldBy(way, code);
        assertThat(all).hasSize(1);
        return all.get(0);
    }

    private static List<Held> allHeldBy(int way, Supplier<?> code) {
        try (HeapRecording recording = Recordings.ofAllThreads(0, Thing.class)) {
            Object kept = code.get();
            Answer answer = HeldThings.ask(recording, way);
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
            Held held = heldBy(way, put(() -> new Thing(1)));
            assertThat(held.text()).isEqualTo("0 1 HoldersTest.holder:.holder HeldThings$Thing");
            assertThat(held.rootClass()).isEqualTo("io.heapsampler.heapmonitor.HoldersTest");
        }
    }

    @Test
    void aMapInAnInstanceChain() {
        for (int way : WAYS) {
            Held held =
                    heldBy(
                            way,
                            put(
                                    () -> {
                                        Map<String, Object> map = new HashMap<>();
                                        map.put("key", new Thing(1));
                                        return new Link(new LongLink(null, map));
                                    }));
            assertThat(held.text())
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
            Held held =
                    heldBy(
                            way,
                            () -> {
                                LOCAL.set(new Thing(1));
                                return null;
                            });
            assertThat(held.outcome()).isZero();
            assertThat(held.root()).as(held.text()).isEqualTo(2);
            assertThat(held.thread()).isEqualTo(Thread.currentThread().getId());
            assertThat(held.text())
                    .contains(".threadLocals ThreadLocal$ThreadLocalMap.table")
                    .endsWith(".value HeldThings$Thing");
        }
    }

    @Test
    void aLocalOfARunningFrame() {
        for (int way : WAYS) {
            Held held = heldBy(way, () -> new Thing(1));
            assertThat(held.outcome()).isZero();
            assertThat(held.root()).as(held.text()).isEqualTo(3);
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
                Held held = HeldThings.ask(recording, way, weak).targets().get(0);
                assertThat(held.isWatched()).isTrue();
                assertThat(held.root()).as(held.text()).isEqualTo(3);
            }
            Reference.reachabilityFence(kept);
            holder = null;
            /* Shenandoah clears it in the collection before. */
            for (Held soft : allHeldBy(way, put(() -> new SoftReference<>(new Thing(1))))) {
                assertThat(soft.text())
                        .isEqualTo(
                                "0 1 HoldersTest.holder:.holder SoftReference.referent"
                                        + " HeldThings$Thing");
                assertThat(soft.steps().get(1).flags() & 2).isEqualTo(2);
            }
        }
    }

    @Test
    void manyWalksLeaveNothing() {
        for (int way : WAYS) {
            holder = new Link(null);
            try (HeapRecording recording = Recordings.ofAllThreads(0, Thing.class)) {
                ((Link) holder).next = new Thing(1);
                HeldThings.ask(recording, way);
                long memory = HeapSampler.status().memoryUsed();
                for (int i = 0; i < WALKS; i++) {
                    Answer answer = HeldThings.ask(recording, way);
                    assertThat(answer.targets().get(0).outcome()).isZero();
                }
                assertThat(HeapSampler.status().memoryUsed())
                        .isLessThanOrEqualTo(memory + 16 * 1024);
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
            Answer answer = HeldThings.ask(recording, CHILD);
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
