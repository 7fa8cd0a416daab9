// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.Until.until;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.ServerSocket;
import java.util.List;
import java.util.Random;
import java.util.zip.Deflater;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Threads that run native code, and others. */
class NativeCallsTest {

    private static final List<Finding> CRITICAL =
            List.of(Samples.finding("jni.critical", Severity.INFO));

    private final History history = new History();
    private final NativeCalls calls = new NativeCalls(history, new VmClock());
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
    }

    /** It waits in native code of the JDK, as most threads of a service do. */
    @Test
    void aThreadThatWaitsDoesNotCount() throws Exception {
        try (ServerSocket socket = new ServerSocket(0)) {
            Thread waiting =
                    new Thread(
                            () -> {
                                try {
                                    socket.accept();
                                } catch (java.io.IOException e) {
                                    return; // It was closed.
                                }
                            });
            waiting.setDaemon(true);
            waiting.start();
            until("accept", () -> waiting.getStackTrace().length > 2);
            calls.update(CRITICAL, 1_000);
            calls.look();
        }
        assertThat(seen()).noneMatch(event -> event.stack().toString().contains("accept"));
    }
}
