// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static io.heapsampler.assertions.AllocationAssertions.assertAllocations;
import static io.heapsampler.assertj.HeapSamplerAssertions.assertThat;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.RecordingOptions;
import io.heapsampler.SnapshotOptions;
import io.heapsampler.assertions.AllocationAssert;
import io.heapsampler.assertions.ThreadScope;
import io.heapsampler.assertions.ThrowingRunnable;
import io.heapsampler.junit.AllocationTest;
import io.heapsampler.junit.MaxAllocation;
import io.heapsampler.junit.NoLeaks;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each kind of assertion, with code that is within its limit and code that is beyond it. */
final class AssertionKinds {

    private static final String KILOBYTES = "io.heapsampler.tests.junit.Sink.kilobytes";

    private static Path directory;

    /** Two threads that are older than each recording. */
    private static ExecutorService pool;

    private AssertionKinds() {}

    /**
     * A kind of assertion.
     *
     * @param prepare runs once, before all others
     * @param passing throws nothing
     * @param failing throws an assertion's error
     */
    record Kind(
            String name,
            ThrowingRunnable prepare,
            ThrowingRunnable passing,
            ThrowingRunnable failing) {

        Kind(String name, ThrowingRunnable passing, ThrowingRunnable failing) {
            this(name, () -> {}, passing, failing);
        }

        /** Beside a load that does not allocate. */
        Kind quiet() {
            return new Kind(name, prepare, Load.quietly(passing), Load.quietly(failing));
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private static Kind kind(
            String name,
            ThrowingRunnable passing,
            ThrowingRunnable failing,
            Consumer<AllocationAssert> assertion) {
        return new Kind(
                name,
                () -> assertion.accept(assertAllocations(passing).as(name)),
                () -> assertion.accept(assertAllocations(failing).as(name)));
    }

    /** Makes the baseline, of 100 KB, in a directory, and starts the pool. */
    static void setUp(Path baselines) {
        directory = baselines;
        BaselineTest.kilobytes = 100;
        Kit.runWithBaselines(directory, true, BaselineTest.Rendering.class);
        pool = Executors.newFixedThreadPool(2);
        for (int i = 0; i < 2; i++) {
            pool.execute(() -> Sink.last = new byte[100]);
        }
    }

    static void tearDown() {
        pool.shutdown();
    }

    /**
     * Returns all kinds, in the order of the table.
     *
     * @param withSlow those included that take seconds each time
     */
    static Stream<Kind> all(boolean withSlow) {
        Stream<Kind> allocated = Stream.of(counted(), recorded(), template()).flatMap(s -> s);
        if (Collections.isEpsilon()) {
            return allocated;
        }
        Stream<Kind> slow = withSlow ? annotatedLeaks() : Stream.of();
        return Stream.of(allocated, live(), slow).flatMap(s -> s);
    }

    private static Stream<Kind> counted() {
        return Stream.of(
                kind("none", () -> {}, () -> Sink.last = new Object(), a -> a.allocatesNothing()),
                kind(
                        "none, once compiled",
                        () -> Sink.number = sumOf(1, 2, 3),
                        () -> Sink.last = new Object(),
                        a -> a.warmup(100_000).allocatesNothing()),
                kind(
                        "at most",
                        () -> Sink.kilobytes(100),
                        () -> Sink.kilobytes(101),
                        a -> a.allocatesAtMost("101600 B")),
                kind( // beside a load, the JVM's share of a first run is uncertain
                        "inherited",
                        () -> join(100),
                        () -> join(150),
                        a -> a.threads(ThreadScope.INHERITED).warmup(1).allocatesAtMost("128 KB")),
                kind(
                                "all threads",
                                () -> join(100),
                                () -> join(2_000),
                                a -> a.threads(ThreadScope.ALL).allocatesAtMost("1 MB"))
                        .quiet(),
                new Kind("baseline", () -> compare(100), () -> compare(150)));
    }

    /** An array that the compiler does away with. */
    private static int sumOf(int... numbers) {
        return numbers[0] + numbers[1] + numbers[2];
    }

    private static Stream<Kind> recorded() {
        return Stream.of(
                kind(
                        "of a type",
                        () -> Sink.kilobytes(1_000),
                        () -> Sink.kilobytes(1_300),
                        a -> a.ofType(byte[].class).allocatesAtMost("1150 KB")),
                kind(
                        "of a type, exact",
                        () -> Sink.kilobytes(100),
                        () -> Sink.kilobytes(101),
                        a -> a.ofType(byte[].class).allocatesAtMost("101600 B")),
                kind( // the JVM's share counts there, so not a first run
                        "of a type, inherited",
                        () -> join(1_000),
                        () -> join(1_300),
                        a ->
                                a.threads(ThreadScope.INHERITED)
                                        .ofType(byte[].class)
                                        .warmup(1)
                                        .allocatesAtMost("1150 KB")),
                kind(
                        "of a type, all threads",
                        () -> longs(1_000),
                        () -> longs(50_000),
                        a ->
                                a.threads(ThreadScope.ALL)
                                        .ofType(long[].class)
                                        .allocatesAtMost("32 MB")),
                kind(
                        "in a package",
                        () -> Sink.last = new Object(),
                        () -> Sink.last = new Random(1),
                        a -> a.inPackage("java.util").allocatesNothing()),
                kind(
                        "at a site",
                        () -> Sink.last = new byte[2_000],
                        () -> Sink.kilobytes(2),
                        a -> a.at(KILOBYTES).allocatesAtMost("1 KB")),
                kind(
                        "without a site",
                        () -> Sink.kilobytes(2),
                        () -> Sink.last = new byte[2_000],
                        a -> a.excluding(KILOBYTES).allocatesAtMost("1 KB")),
                new Kind(
                        "AssertJ, allocated",
                        () -> hasAllocated(() -> Sink.kilobytes(100)),
                        () -> hasAllocated(() -> Sink.kilobytes(101))));
    }

    private static Stream<Kind> template() {
        return Stream.of(
                new Kind(
                        "template, at most",
                        () -> run(InTemplate.class, false),
                        () -> run(InTemplate.class, true)));
    }

    private static Stream<Kind> live() {
        return Stream.of(
                kind(
                        "retains",
                        () -> Sink.kilobytes(10),
                        () -> Sink.LEAK.add(new byte[5_000]),
                        a -> a.leavesBehindAtMost("4 KB")),
                new Kind(
                        "AssertJ, live",
                        () -> hasLive(() -> Sink.kilobytes(10)),
                        () -> hasLive(() -> Sink.LEAK.add(new byte[5_000]))),
                kind(
                        "leaks",
                        () -> Sink.kilobytes(10),
                        () -> Sink.LEAK.add(new byte[2_000]),
                        a -> a.iterations(6).leaksAtMost("1 KB")));
    }

    private static Stream<Kind> annotatedLeaks() {
        return Stream.of(
                new Kind("@NoLeaks", () -> run(Keeps.class, false), () -> run(Keeps.class, true)),
                new Kind(
                        "template, @NoLeaks",
                        () -> run(KeepsInTemplate.class, false),
                        () -> run(KeepsInTemplate.class, true)),
                new Kind(
                                "@NoLeaks, all threads",
                                () -> run(KeepsInPool.class, false),
                                () -> run(KeepsInPool.class, true))
                        .quiet());
    }

    private static void compare(int kilobytes) throws Throwable {
        BaselineTest.kilobytes = kilobytes;
        throwProblem(
                Map.of(
                        "heapsampler.junit.baseline.directory",
                        directory.toString(),
                        "heapsampler.junit.artifacts",
                        "never"),
                BaselineTest.Rendering.class);
    }

    /** Whether the tests below exceed their limit. */
    private static boolean exceeds;

    private static void run(Class<?> test, boolean exceedsLimit) throws Throwable {
        exceeds = exceedsLimit;
        throwProblem(Map.of("heapsampler.junit.artifacts", "never"), test);
    }

    private static void throwProblem(Map<String, String> parameters, Class<?> test)
            throws Throwable {
        for (Throwable problem : Kit.problems(Kit.run(parameters, test))) {
            throw problem;
        }
    }

    static class InTemplate {

        private int kilobytes;

        @BeforeEach
        void setUp() {
            kilobytes = exceeds ? 101 : 100;
        }

        @AllocationTest(warmup = 2, minOf = 3)
        @MaxAllocation("101600 B")
        void test() {
            Sink.kilobytes(kilobytes);
        }
    }

    private static void keepLongs() {
        Object longs = new long[250];
        if (exceeds) {
            Sink.LEAK.add(longs);
        }
    }

    /** Of the class that the load allocates and frees all the time. */
    private static void keepBytes() {
        Object bytes = new byte[2_000];
        if (exceeds) {
            Sink.LEAK.add(bytes);
        }
    }

    static class Keeps {
        @Test
        @NoLeaks
        void test() {
            keepBytes();
        }
    }

    static class KeepsInTemplate {
        @AllocationTest
        @NoLeaks
        void test() {
            keepLongs();
        }
    }

    static class KeepsInPool {
        @Test
        @NoLeaks(threads = ThreadScope.ALL)
        void test() throws Exception {
            pool.submit(AssertionKinds::keepLongs).get();
        }
    }

    private static void hasAllocated(ThrowingRunnable code) throws Throwable {
        assertThat(record(code)).classTotals(byte[].class).allocatesAtMost(101_600);
    }

    private static void hasLive(ThrowingRunnable code) throws Throwable {
        assertThat(record(code)).isAfterGc().classTotals(byte[].class).leavesBehindAtMost("4 KB");
    }

    /** Records every allocation of this thread. */
    private static HeapSnapshot record(ThrowingRunnable code) throws Throwable {
        RecordingOptions options =
                RecordingOptions.builder().interval(0).thread(Thread.currentThread()).build();
        try (HeapRecording recording = HeapSampler.record(options)) {
            code.run();
            recording.stop();
            return recording.snapshot(SnapshotOptions.afterGc());
        }
    }

    private static void join(int kilobytes) throws InterruptedException {
        join(() -> Sink.kilobytes(kilobytes));
    }

    /** Allocates objects of a type that the load does not allocate. */
    private static void longs(int kilobytes) throws InterruptedException {
        join(
                () -> {
                    for (int i = 0; i < kilobytes; i++) {
                        Sink.last = new long[126]; // 1,024 bytes
                    }
                });
    }

    private static void join(Runnable code) throws InterruptedException {
        Thread thread = new Thread(code);
        thread.start();
        thread.join();
    }
}
