// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.Until.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.heapsampler.HeapSampler;
import io.heapsampler.SamplerState;
import io.heapsampler.doctor.GcDoctor.Subscription;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The doctor runs in this JVM, without the sampler. */
class GcDoctorTest {

    private static final DoctorOptions PLAIN = DoctorOptions.builder().sampling(false).build();
    private static final DoctorOptions OTHER =
            DoctorOptions.builder().sampling(false).jvmLog(false).build();

    private final List<GcDoctor> started = new ArrayList<>();

    private GcDoctor start(DoctorOptions options) {
        GcDoctor doctor = GcDoctor.start(options);
        started.add(doctor);
        return doctor;
    }

    @AfterEach
    void close() {
        started.forEach(GcDoctor::close);
        HeapSampler.stop();
        HeapSampler.reset();
        assertThat(GcDoctor.running()).isNull();
    }

    private static List<GcEvent> explicit(GcDoctor doctor) {
        return doctor.timeline().collections().stream()
                .filter(it -> it.cause().equals("System.gc()"))
                .toList();
    }

    /** Parallel reports a young collection first; ZGC and Shenandoah report pauses first. */
    private static boolean isOfHeap(GcEvent it) {
        return it.kind().isOld() && it.heapAfter() > 0;
    }

    private static boolean epsilon(GcDoctor doctor) {
        return doctor.timeline().settings().collector() == io.heapsampler.GarbageCollector.EPSILON;
    }

    private static long watchingThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("heapsampler-doctor"))
                .count();
    }

    @Test
    void doctorsShareAWatchThatEndsWithTheLastOfThem() throws InterruptedException {
        assertThat(GcDoctor.running()).isNull();
        GcDoctor doctor = start(PLAIN);
        GcDoctor same = start(PLAIN);
        GcDoctor any = GcDoctor.start();
        started.add(any);

        assertThat(any.options()).isEqualTo(PLAIN);
        assertThat(watchingThreads()).isOne();
        doctor.close();
        doctor.close();
        same.close();
        assertThat(GcDoctor.running()).isNotNull();
        assertThat(watchingThreads()).isOne();
        any.close();
        assertThat(GcDoctor.running()).isNull();
        until("the end of the thread", () -> watchingThreads() == 0);
    }

    @Test
    void otherOptionsThanThoseInForceAreRefused() {
        start(PLAIN);
        assertThatThrownBy(() -> GcDoctor.start(OTHER))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "A doctor is running in this JVM with other options: "
                                + PLAIN
                                + ". Call GcDoctor.start() without options to share it, or close"
                                + " it first.");
    }

    @Test
    void closingAViewDoesNotStopTheRunningDoctor() {
        GcDoctor doctor = start(PLAIN);
        GcDoctor view = GcDoctor.running();
        view.close();
        assertThat(view.options()).isEqualTo(doctor.options());
        assertThat(watchingThreads()).isOne();
    }

    @Test
    void aSecondUserEndsNeitherTheFirstNorItsSampling() throws InterruptedException {
        GcDoctor mine = start(DoctorOptions.builder().build());
        try (GcDoctor theirs = GcDoctor.start()) {
            assertThat(theirs.options()).isEqualTo(mine.options());
            assertThat(HeapSampler.status().holders()).containsExactly("doctor");
        }
        int seen = mine.timeline().ticks().size();
        until("one more tick", () -> mine.timeline().ticks().size() > seen);
        HeapSampler.start();
        mine.close();

        assertThat(HeapSampler.status().holders()).containsExactly("application");
        assertThat(HeapSampler.status().state()).isEqualTo(SamplerState.RUNNING);
    }

    @Test
    void itsSamplesGoWithItWhereTheApplicationHasNotStarted() {
        GcDoctor doctor = start(DoctorOptions.builder().build());
        assertThat(HeapSampler.status().recordings()).isPositive();
        doctor.close();

        assertThat(HeapSampler.status().recordings()).isZero();
        assertThat(HeapSampler.status().holders()).isEmpty();
    }

    @Test
    void timePassesSecondBySecond() throws InterruptedException {
        GcDoctor doctor = start(PLAIN);
        until("three ticks", () -> doctor.timeline().ticks().size() >= 3);
        List<Tick> ticks = doctor.timeline().ticks();

        for (int i = 1; i < ticks.size(); i++) {
            assertThat(ticks.get(i).atMillis()).isGreaterThanOrEqualTo(ticks.get(i - 1).atMillis());
        }
        assertThat(ticks.get(2).atMillis() - ticks.get(0).atMillis()).isGreaterThan(500);
    }

    @Test
    void aCollectionIsHeard() throws InterruptedException {
        GcDoctor doctor = start(PLAIN);
        assumeThat(epsilon(doctor)).isFalse();
        System.gc();
        until("a collection", () -> explicit(doctor).stream().anyMatch(GcDoctorTest::isOfHeap));
        GcEvent collection =
                explicit(doctor).stream().filter(GcDoctorTest::isOfHeap).findFirst().get();

        assertThat(collection.heapCommitted()).isGreaterThanOrEqualTo(collection.heapAfter());
        assertThat(collection.metaspaceAfter()).isPositive();
        assertThat(Math.abs(collection.atMillis() - System.currentTimeMillis()))
                .isLessThan(600_000);
    }

    @Test
    void whatWasSeenCanBeJudgedAfterClosing() throws InterruptedException {
        GcDoctor doctor = start(PLAIN);
        until("a tick", () -> !doctor.timeline().ticks().isEmpty());
        doctor.close();
        int seen = doctor.timeline().ticks().size();
        Diagnosis diagnosis = doctor.diagnosis();

        assertThat(diagnosis.checks()).isNotEmpty();
        assertThat(doctor.timeline().ticks()).hasSize(seen);
    }

    @Test
    void closingLeavesNoThreadAndNoListener() throws InterruptedException {
        start(PLAIN).close();
        GcDoctor doctor = start(PLAIN);
        doctor.close();
        int heard = doctor.timeline().collections().size();
        System.gc();

        until("the end of the thread", () -> watchingThreads() == 0);
        assertThat(doctor.timeline().collections()).hasSize(heard);
    }

    @Test
    void aListenerOfAClosedDoctorIsNotKept() throws InterruptedException {
        GcDoctor doctor = start(PLAIN);
        assumeThat(epsilon(doctor)).isFalse();
        GcDoctor view = GcDoctor.running();
        view.close();
        assertThatListenersAreNotKept(view);
        GcDoctor other = GcDoctor.running();
        doctor.close();
        assertThatListenersAreNotKept(doctor);
        assertThatListenersAreNotKept(other);
    }

    private static Subscription listen(GcDoctor doctor, List<WeakReference<Object>> kept) {
        List<Finding> told = new ArrayList<>();
        kept.add(new WeakReference<>(told));
        return doctor.addListener(told::add);
    }

    private static void assertThatListenersAreNotKept(GcDoctor doctor) throws InterruptedException {
        List<WeakReference<Object>> kept = new ArrayList<>();
        Subscription subscription = listen(doctor, kept);
        until(
                "the end of the listener",
                () -> {
                    System.gc();
                    return kept.get(0).get() == null;
                });
        subscription.close();
    }

    @Test
    void anInterruptOfItsThreadDoesNotEndIt() throws InterruptedException {
        GcDoctor doctor = start(PLAIN);
        Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("heapsampler-doctor"))
                .forEach(Thread::interrupt);
        int before = doctor.timeline().ticks().size();
        until("more ticks", () -> doctor.timeline().ticks().size() > before + 1);
    }
}
