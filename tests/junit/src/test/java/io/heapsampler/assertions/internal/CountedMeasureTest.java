// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.assertions.ThreadScope;
import io.heapsampler.assertions.ThrowingRunnable;
import io.heapsampler.tests.junit.GuestThread;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** What other threads allocate around a run is recorded with it, but not counted. */
class CountedMeasureTest {

    private static final Scope ALL =
            new Scope(ThreadScope.ALL, List.of(), List.of(), List.of(), List.of());
    private static final Scope OWN =
            new Scope(ThreadScope.TEST, List.of(), List.of(), List.of(), List.of());
    private static final long LIMIT = 1_000;

    /** Counts of other threads: before the recording, before the run, after it, and at the end. */
    private static Measured measure(long... others) throws Throwable {
        LongSupplier counter = Counters.ofThread();
        Assumptions.assumeTrue(counter != null, "the JVM does not count");
        Iterator<Long> counts = java.util.Arrays.stream(others).iterator();
        ThrowingRunnable code = GuestThread.loading();
        Subject subject = new Subject("It", code, code, () -> {}, () -> {});
        return new CountedMeasure(counter, counts::next, ALL, LIMIT, 0).once(subject);
    }

    @Test
    void classesOfOtherThreadsAreSetAside() throws Throwable {
        long loaded = GuestThread.LEAST;
        try (Measured figure = measure(0, 0, 10 * loaded, 10 * loaded)) {
            assertThat(figure.isExact()).isTrue();
            assertThat(figure.bytes()).isBetween(loaded * 1.0, 9.0 * loaded);
        }
    }

    @Test
    void bytesAroundTheRunMakeThemUncertain() throws Throwable {
        long loaded = GuestThread.LEAST;
        try (Measured figure = measure(0, 300, 10 * loaded, 10 * loaded + 700)) {
            assertThat(figure.high() - figure.low()).isEqualTo(1_000);
            assertThat(figure.how()).endsWith("; " + CountedMeasure.AROUND);
        }
        try (Measured figure = measure(0, 0, 10 * loaded, 30 * loaded)) {
            assertThat(figure.high() - figure.low()).isBetween(loaded * 1.0, 2.0 * loaded);
        }
    }

    /** Of a sample that was not counted, or where the JVM gave up compiled code of the harness. */
    @Test
    void bytesOfTheHarnessWithoutASampleMakeItUncertain() throws Throwable {
        try (Measured figure = withUnseen(16, 16)) {
            assertThat(figure.high() - figure.low()).isEqualTo(16);
            assertThat(figure.how())
                    .endsWith("; no sample shows some of these bytes, which may be the harness's");
            assertThat(figure.isUndecided((long) figure.high() - 8)).isTrue();
        }
    }

    @Test
    void noMoreThanTheHarnessMayCost() throws Throwable {
        try (Measured figure = withUnseen(0, 16)) {
            assertThat(figure.isExact()).isTrue();
        }
        try (Measured figure = withUnseen(16, 500)) {
            assertThat(figure.high() - figure.low()).isEqualTo(16);
        }
    }

    /** Code that allocates more than the limit, and bytes that are counted but never sampled. */
    private static Measured withUnseen(long ofHarness, long ofRun) throws Throwable {
        LongSupplier exact = Counters.ofThread();
        Assumptions.assumeTrue(exact != null, "the JVM does not count");
        AtomicLong unseen = new AtomicLong();
        ThrowingRunnable code = GuestThread.here(2_000, () -> unseen.addAndGet(ofRun));
        ThrowingRunnable empty = () -> unseen.addAndGet(ofHarness);
        LongSupplier counter = () -> exact.getAsLong() + unseen.get();
        Subject subject = new Subject("It", code, code, empty, empty);
        return new CountedMeasure(counter, null, OWN, LIMIT, 0).once(subject);
    }

    /** The JVM's count misses a thread that is just ending, and the samples do not. */
    @Test
    void samplesProveMoreThanTheJvmCounted() throws Throwable {
        LongSupplier counter = Counters.ofThread();
        Assumptions.assumeTrue(counter != null, "the JVM does not count");
        ThrowingRunnable code = GuestThread.allocating(100);
        Subject subject = new Subject("It", code, code, () -> {}, () -> {});

        try (Measured figure = new CountedMeasure(counter, () -> 0, ALL, LIMIT, 0).once(subject)) {
            assertThat(figure.how())
                    .isEqualTo(
                            "the least that samples prove, which is more than the JVM counted, in"
                                    + " all threads");
        }
    }
}
