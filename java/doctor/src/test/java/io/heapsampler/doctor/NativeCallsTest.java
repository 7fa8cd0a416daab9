// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.Until.until;
import static java.lang.Thread.State.WAITING;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.zip.Deflater;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Threads that run native code, and others. */
class NativeCallsTest {

    private static final List<Finding> CRITICAL =
            List.of(Samples.finding("jni.critical", Severity.WARNING));

    private static final ThreadMXBean THREADS =
            ManagementFactory.getPlatformMXBean(ThreadMXBean.class);

    private static final byte[] RANDOM = new byte[2 << 20];

    static {
        new Random(1).nextBytes(RANDOM);
    }

    private final History history = new History();
    private final NativeCalls calls =
            new NativeCalls(history, new VmClock(), 1e6, NativeCalls::collections, THREADS);
    private volatile boolean isOver;

    private final Thread packing = new Thread(this::deflate, "packing");

    @AfterEach
    void end() throws InterruptedException {
        isOver = true;
        packing.join();
    }

    private List<JvmEvent> seen() {
        return history.timeline(Samples.settings(), 0).events();
    }

    /**
     * Other threads load classes, and inflate them; the beginning of a stream is native as well.
     */
    private List<List<String>> deflating() {
        String caller = getClass().getName() + ".deflate:";
        return seen().stream()
                .map(JvmEvent::stack)
                .filter(stack -> stack.stream().anyMatch(frame -> frame.startsWith(caller)))
                .filter(stack -> stack.get(0).startsWith("java.util.zip.Deflater.deflateBytes"))
                .toList();
    }

    /** An array at a time, in a critical section. */
    private void deflate() {
        byte[] small = new byte[2 << 20];
        while (!isOver) {
            deflateOnce(small);
        }
    }

    private static void deflateOnce(byte[] to) {
        Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION);
        deflater.setInput(RANDOM);
        deflater.finish();
        deflater.deflate(to);
        deflater.end();
    }

    @Test
    void theCallerOfAThreadThatRunsNativeCodeIsSeen() throws Exception {
        packing.start();
        calls.look();
        assertThat(seen()).as("without a finding").isEmpty();
        long[] now = {1_000};
        until(
                "a look",
                () -> {
                    now[0] += NativeCalls.APART_MILLIS;
                    calls.update(CRITICAL, now[0]);
                    calls.look();
                    return !deflating().isEmpty();
                });

        assertThat(deflating()).isNotEmpty();
    }

    @Test
    void theLooksEndAndBeginAgainAfterTenMinutes() throws Exception {
        packing.start();
        calls.update(CRITICAL, 1_000);
        for (int i = 0; i < NativeCalls.LOOKS; i++) {
            calls.look();
        }
        int before = seen().size();
        calls.update(CRITICAL, 1_000 + NativeCalls.APART_MILLIS - 1);
        calls.look();
        assertThat(seen()).hasSize(before);
        calls.update(CRITICAL, 1_000 + NativeCalls.APART_MILLIS);
        for (int i = 0; i < NativeCalls.LOOKS; i++) {
            calls.look();
        }
        assertThat(seen()).hasSizeGreaterThan(before);
    }

    @Test
    void onlyAWarningIsWorthThem() {
        packing.start();
        calls.update(List.of(Samples.finding("jni.critical", Severity.INFO)), 1_000);
        for (int i = 0; i < NativeCalls.LOOKS; i++) {
            calls.look();
        }
        assertThat(seen()).isEmpty();
    }

    @Test
    void theyEndWithTheWarning() {
        packing.start();
        calls.update(CRITICAL, 1_000);
        calls.update(List.of(), 2_000);
        for (int i = 0; i < NativeCalls.LOOKS; i++) {
            calls.look();
        }
        assertThat(seen()).isEmpty();
    }

    /** A look stops the application for as long as it takes to walk all stacks. */
    @Test
    void theSecondThatTakesLongerThanAPauseMayIsTheLast() {
        packing.start();
        NativeCalls slow = new NativeCalls(history, new VmClock(), 0, () -> 7, THREADS);
        slow.update(CRITICAL, 1_000);
        slow.look();
        slow.look();
        int before = seen().size();
        for (int i = 2; i < NativeCalls.LOOKS; i++) {
            slow.look();
        }
        assertThat(seen()).hasSize(before);
    }

    /** A look that waits for a collection, or for a critical section to end, is not slow itself. */
    @Test
    void looksThatMeetACollectionGoOn() {
        packing.start();
        AtomicLong count = new AtomicLong();
        LongSupplier collecting = count::incrementAndGet;
        NativeCalls waiting = new NativeCalls(history, new VmClock(), 0, collecting, THREADS);
        waiting.update(CRITICAL, 1_000);
        for (int i = 0; i < 4; i++) {
            waiting.look();
        }
        int before = seen().size();
        for (int i = 4; i < NativeCalls.LOOKS; i++) {
            waiting.look();
        }
        assertThat(seen()).hasSizeGreaterThan(before);
    }

    /** The stacks are those of the section, and the thread rests when the look goes on. */
    @Test
    void aSectionThatEndsWhileTheLookWaitsForMemoryIsSeen() throws Exception {
        for (int i = 0; i < 10 && packed().isEmpty(); i++) { // It may end right after the stacks.
            lookUntilTheSectionEnds();
        }
        assertThat(packed()).isNotEmpty();
    }

    private List<JvmEvent> packed() {
        return seen().stream().filter(it -> it.stack().toString().contains("deflateOnce")).toList();
    }

    private void lookUntilTheSectionEnds() throws InterruptedException {
        CountDownLatch looked = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Thread one = new Thread(() -> deflateUntil(looked, end));
        InvocationHandler blocking =
                (proxy, method, args) -> {
                    Object result = method.invoke(THREADS, args);
                    if (method.getName().equals("getThreadInfo")) {
                        looked.countDown();
                        until("the end of the section", () -> one.getState() == WAITING);
                    }
                    return result;
                };
        Class<?>[] type = {ThreadMXBean.class};
        Object threads = Proxy.newProxyInstance(type[0].getClassLoader(), type, blocking);
        NativeCalls looking =
                new NativeCalls(
                        history, new VmClock(), 1e6, () -> 7, ThreadMXBean.class.cast(threads));
        looking.update(CRITICAL, 1_000);
        one.start();
        try {
            until("the section", () -> isInNativeCode(one));
            looking.look();
        } finally {
            looked.countDown();
            end.countDown();
            one.join();
        }
    }

    private static boolean isInNativeCode(Thread thread) {
        StackTraceElement[] stack = thread.getStackTrace();
        return stack.length > 0
                && stack[0].isNativeMethod()
                && stack[0].getClassName().equals("java.util.zip.Deflater");
    }

    private static void deflateUntil(CountDownLatch looked, CountDownLatch end) {
        byte[] to = new byte[2 << 20];
        while (looked.getCount() > 0) {
            deflateOnce(to);
        }
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void withoutProcessorTimesNoThreadCounts() {
        ThreadMXBean threads = THREADS;
        packing.start();
        threads.setThreadCpuTimeEnabled(false);
        try {
            calls.update(CRITICAL, 1_000);
            for (int i = 0; i < NativeCalls.LOOKS; i++) {
                calls.look();
            }
        } finally {
            threads.setThreadCpuTimeEnabled(true);
        }
        assertThat(seen()).isEmpty();
    }

    /** A service names the same lines all day. */
    @Test
    void theTextsOfFramesAreShared() throws Exception {
        packing.start();
        calls.update(CRITICAL, 1_000);
        until(
                "a look",
                () -> {
                    calls.look();
                    return !deflating().isEmpty();
                });
        String first = deflating().get(0).get(0);
        assertThat(first).isSameAs(String.valueOf(first.toCharArray()).intern());
    }

    /** It waits for its monitor with this method as the top frame; there is no library. */
    private static synchronized native void waitInNativeCode();

    @Test
    void aThreadThatWaitsDoesNotCount() throws Exception {
        Thread waiting =
                new Thread(
                        () -> {
                            try {
                                waitInNativeCode();
                            } catch (UnsatisfiedLinkError e) {
                                return; // The monitor was free.
                            }
                        });
        synchronized (NativeCallsTest.class) {
            waiting.start();
            until("the wait", () -> waiting.getState() == Thread.State.BLOCKED);
            assertThat(waiting.getStackTrace()[0].getMethodName()).isEqualTo("waitInNativeCode");
            calls.update(CRITICAL, 1_000);
            calls.look();
        }
        waiting.join();
        assertThat(seen()).noneMatch(event -> event.stack().toString().contains("waitIn"));
    }
}
