// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.heapmonitor;

import static io.heapsampler.heapmonitor.Recordings.objectsOf;
import static io.heapsampler.heapmonitor.Recordings.siteOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.heapsampler.HeapFrame;
import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.ThreadTotals;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Virtual threads, on JDK 21 and later; this code is for 17, so they are made by reflection. */
@ExtendWith(CleanSampler.class)
@Tag("J13")
class VirtualThreadTest {

    private static int line;

    private static final class Marker {}

    @BeforeEach
    void needsVirtualThreads() {
        assumeTrue(Runtime.version().feature() >= 21, "virtual threads came with JDK 21");
    }

    private static Thread unstarted(String name, Runnable work) throws Exception {
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        Class<?> type = Class.forName("java.lang.Thread$Builder");
        Method named = type.getMethod("name", String.class);
        return (Thread)
                type.getMethod("unstarted", Runnable.class)
                        .invoke(named.invoke(builder, name), work);
    }

    // Carriers may have run before: their old sample points have to be passed.
    private static void allocate(int count) {
        Work.passOldSamplePoint();
        for (int i = 0; i < count; i++) {
            line = Work.nextLine();
            Work.sink = new Marker();
        }
    }

    @Test
    void samplesTellTheVirtualThreadAndItsOwnStack() throws Exception {
        Thread thread = unstarted("light", () -> allocate(20));
        HeapSnapshot seen;
        try (HeapRecording recording = Recordings.ofAllThreads(0, Marker.class)) {
            Work.retireBuffers();
            thread.start();
            Await.end(thread);
            seen = recording.snapshot();
        }

        assertThat(seen.threads()).hasSize(1);
        assertThat(seen.threads().get(0).threadName()).isEqualTo("light");
        assertThat(seen.threads().get(0).threadId()).hasValue(thread.getId());
        HeapSite site = siteOf(seen, Marker.class);
        assertThat(site.allocated().samples()).isEqualTo(20);
        Recordings.assertFrame(site.stack().get(0), VirtualThreadTest.class, "allocate", line);
        assertThat(site.stack())
                .extracting(HeapFrame::className)
                .contains("java.lang.VirtualThread")
                .noneMatch(n -> n.contains("ForkJoin"));
    }

    @Test
    @Tag("J21")
    void oneVirtualThreadCanBeRecordedAlone() throws Exception {
        Thread mine = unstarted("mine", () -> allocate(10));
        Thread other = unstarted("other", () -> allocate(10));
        try (HeapRecording recording = Recordings.exactOf(mine, Marker.class)) {
            Work.retireBuffers();
            mine.start();
            other.start();
            Await.end(mine);
            Await.end(other);

            assertThat(recording.snapshot().threads())
                    .extracting(ThreadTotals::threadName)
                    .containsExactly("mine");
            assertThat(objectsOf(recording.snapshot(), Marker.class)).isEqualTo(10);
        }
    }

    @Test
    void virtualThreadsThatWereParkedBeforeAreSampled() throws Exception {
        int count = 30;
        CountDownLatch parked = new CountDownLatch(count);
        CountDownLatch go = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            threads.add(
                    unstarted(
                            "parked " + i,
                            () -> {
                                parked.countDown();
                                try {
                                    go.await();
                                } catch (InterruptedException e) {
                                    throw new IllegalStateException(e);
                                }
                                allocate(5);
                            }));
        }
        threads.forEach(Thread::start);
        parked.await();
        try (HeapRecording recording = Recordings.ofAllThreads(0, Marker.class)) {
            Work.retireBuffers();
            go.countDown();
            for (Thread thread : threads) {
                Await.end(thread);
            }
            assertThat(recording.snapshot().threads())
                    .hasSize(count)
                    .allSatisfy(t -> assertThat(t.allocated().samples()).isEqualTo(5));
        }
    }
}
