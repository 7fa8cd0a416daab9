// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.support.Until;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** What tests of a thread that pushes have in common: a receiver, a heap, and patience. */
abstract class PusherCase {

    static final Duration TICK = Duration.ofMillis(20);
    static final Duration NEVER = Duration.ofHours(1);

    final AtomicInteger seconds = new AtomicInteger(100);
    final Warnings warnings = new Warnings();
    FakeReceiver receiver;

    @BeforeEach
    void open() throws Exception {
        receiver = new FakeReceiver();
    }

    @AfterEach
    void close() throws Exception {
        receiver.close();
        // A pusher that must not wait logs that, and the next test reads the log.
        assertThat(Until.within(60, PusherCase::hasNoPusher)).isTrue();
        warnings.close();
    }

    static boolean hasNoPusher() {
        return Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith("heapsampler-push"));
    }

    /** Allocates 1,000 bytes a second, of which 64 live. */
    HeapSnapshot heap() {
        int at = seconds.getAndIncrement();
        return Heaps.at(at, at * 1_000L, 64);
    }

    PyroscopePushBuilder pyroscope(Duration interval) {
        return pyroscope(receiver.address(), interval);
    }

    PyroscopePushBuilder pyroscope(URI address, Duration interval) {
        return patient(ProfilePush.pyroscope(address), interval);
    }

    OtlpPushBuilder otlp(URI address, Duration interval) {
        return patient(ProfilePush.otlp().endpoint(address), interval);
    }

    private <B extends PushBuilder<B>> B patient(B builder, Duration interval) {
        return builder.serviceName("shop")
                .environment(name -> null)
                .source(Heaps.running(this::heap))
                .unboundedInterval(interval)
                .timeout(Duration.ofSeconds(20))
                .closeTimeout(Duration.ofSeconds(20));
    }

    static ProfilePush push(PushBuilder<?> builder, Supplier<HeapSnapshot> heaps) {
        builder.source(Heaps.running(heaps));
        return builder.start();
    }

    static void await(String what, Callable<Boolean> condition) throws Exception {
        assertThat(Until.within(120, condition)).as("%s within 120 s", what).isTrue();
    }

    static long dropped(ProfilePush push, PushDrop cause) {
        return push.status().dropped().getOrDefault(cause, 0L);
    }
}
