// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.Until.until;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.Random;
import java.util.zip.Deflater;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Threads that run native code, and others. */
class NativeCallsTest {

    private static final List<Finding> CRITICAL =
            List.of(Samples.finding("jni.critical", Severity.WARNING));

    private final History history = new History();
    private final NativeCalls calls = new NativeCalls(history, new VmClock(), 1e6);
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

    /** Other threads load classes, and inflate them. */
    private List<List<String>> deflating() {
        String caller = getClass().getName() + ".deflate:";
        return seen().stream()
                .map(JvmEvent::stack)
                .filter(stack -> stack.stream().anyMatch(frame -> frame.startsWith(caller)))
                .toList();
    }

    /** An array at a time, in a critical section. */
    private void deflate() {
        byte[] random = new byte[2 << 20];
        new Random(1).nextBytes(random);
        byte[] small = new byte[random.length];
        while (!isOver) {
            Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION);
            deflater.setInput(random);
            deflater.finish();
            deflater.deflate(small);
            deflater.end();
        }
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

        assertThat(deflating().get(0).get(0)).startsWith("java.util.zip.Deflater.deflateBytes");
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
        NativeCalls slow = new NativeCalls(history, new VmClock(), 0);
        slow.update(CRITICAL, 1_000);
        slow.look();
        slow.look();
        int before = seen().size();
        for (int i = 2; i < NativeCalls.LOOKS; i++) {
            slow.look();
        }
        assertThat(seen()).hasSize(before);
    }

    @Test
    void withoutProcessorTimesNoThreadCounts() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
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
