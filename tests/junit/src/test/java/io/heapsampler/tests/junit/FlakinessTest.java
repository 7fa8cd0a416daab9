// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static io.heapsampler.assertions.AllocationAssertions.assertAllocations;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heapsampler.assertions.AllocationAssert;
import io.heapsampler.assertions.Code;
import io.heapsampler.assertions.ThreadScope;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.opentest4j.AssertionFailedError;

/**
 * Every assertion again and again, beside four threads that keep the processors, the allocator and
 * the compilers busy: no false failure, no false pass. Once by default; {@code
 * -Dheapsampler.tests.times=400} sets how often.
 *
 * <p>Where the bytes of all threads count, the load keeps the processors busy only. Where a type of
 * all threads counts, what is left of the load's buffers might be of it: some MB that nobody knows.
 *
 * <p>Exact figures are not left to chance. An estimate is beyond its bounds once in 15,000 figures;
 * here none is near its limit.
 */
class FlakinessTest {

    private static final int TIMES = Integer.getInteger("heapsampler.tests.times", Tier.of(1, 25));

    private static final List<Thread> LOAD = new ArrayList<>();

    private static final String KILOBYTES = "io.heapsampler.tests.junit.Sink.kilobytes";

    @TempDir static Path directory;

    private static final byte[] NOTHING = {};

    private static volatile boolean isOver;
    private static volatile boolean isAllocating;

    /** An assertion, of code that is within its limit and of code that is beyond it. */
    private record Kind(String name, Code passing, Code failing) {

        @Override
        public String toString() {
            return name;
        }
    }

    private static Kind kind(
            String name, Code passing, Code failing, Consumer<AllocationAssert> assertion) {
        return new Kind(
                name,
                () -> assertion.accept(assertAllocations(passing).as(name)),
                () -> assertion.accept(assertAllocations(failing).as(name)));
    }

    @BeforeAll
    static void load() {
        Collections.assumeCollections(); // for what the load leaves behind
        BaselineTest.kilobytes = 100;
        Kit.run(
                Map.of(
                        "heapsampler.baseline.directory",
                        directory.toString(),
                        "heapsampler.update",
                        "true"),
                BaselineTest.Rendering.class);
        isOver = false;
        isAllocating = true;
        for (int i = 0; i < 4; i++) {
            Thread thread = new Thread(FlakinessTest::churn, "load " + i);
            thread.setDaemon(true);
            thread.start();
            LOAD.add(thread);
        }
    }

    private static void churn() {
        double sum = 0;
        while (!isOver) {
            byte[] garbage =
                    isAllocating ? new byte[ThreadLocalRandom.current().nextInt(4_000)] : NOTHING;
            for (int i = 0; i < 2_000; i++) {
                sum += Math.sqrt(i + garbage.length);
            }
            if (sum < 0) {
                Thread.yield();
            }
        }
    }

    @AfterAll
    static void unload() throws InterruptedException {
        isOver = true;
        for (Thread thread : LOAD) {
            thread.join();
        }
        LOAD.clear();
    }

    @AfterEach
    void forget() {
        Sink.forget();
    }

    static Stream<Kind> kinds() {
        Stream<Kind> allocated = Stream.concat(counted(), recorded());
        return Collections.isEpsilon() ? allocated : Stream.concat(allocated, alive());
    }

    private static Stream<Kind> counted() {
        return Stream.of(
                kind("none", () -> {}, () -> Sink.last = new Object(), a -> a.none()),
                kind(
                        "at most",
                        () -> Sink.kilobytes(100),
                        () -> Sink.kilobytes(101),
                        a -> a.atMost("101600 B")),
                kind(
                        "inherited",
                        () -> join(100),
                        () -> join(150),
                        a -> a.threads(ThreadScope.INHERITED).atMost("128 KB")),
                besideNoGarbage(
                        kind(
                                "all threads",
                                () -> join(100),
                                () -> join(2_000),
                                a -> a.threads(ThreadScope.ALL).atMost("1 MB"))),
                new Kind("baseline", () -> compare(100), () -> compare(150)));
    }

    private static Stream<Kind> recorded() {
        return Stream.of(
                kind(
                        "of a type",
                        () -> Sink.kilobytes(1_000),
                        () -> Sink.kilobytes(1_300),
                        a -> a.ofType(byte[].class).atMost("1150 KB")),
                kind(
                        "of a type, exact",
                        () -> Sink.kilobytes(100),
                        () -> Sink.kilobytes(101),
                        a -> a.ofType(byte[].class).atMost("101600 B")),
                kind(
                        "of a type, inherited",
                        () -> join(1_000),
                        () -> join(1_300),
                        a ->
                                a.threads(ThreadScope.INHERITED)
                                        .ofType(byte[].class)
                                        .atMost("1150 KB")),
                kind(
                        "of a type, all threads",
                        () -> longs(1_000),
                        () -> longs(50_000),
                        a -> a.threads(ThreadScope.ALL).ofType(long[].class).atMost("32 MB")),
                kind(
                        "in a package",
                        () -> Sink.last = new Object(),
                        () -> Sink.last = new Random(1),
                        a -> a.inPackage("java.util").none()),
                kind(
                        "at a site",
                        () -> Sink.last = new byte[2_000],
                        () -> Sink.kilobytes(2),
                        a -> a.at(KILOBYTES).atMost("1 KB")),
                kind(
                        "without a site",
                        () -> Sink.kilobytes(2),
                        () -> Sink.last = new byte[2_000],
                        a -> a.excluding(KILOBYTES).atMost("1 KB")));
    }

    private static Stream<Kind> alive() {
        return Stream.of(
                kind(
                        "retains",
                        () -> Sink.kilobytes(10),
                        () -> Sink.LEAK.add(new byte[5_000]),
                        a -> a.retains("4 KB")),
                kind(
                        "leaks",
                        () -> Sink.kilobytes(10),
                        () -> Sink.LEAK.add(new byte[2_000]),
                        a -> a.leaksAtMost(6, "1 KB")));
    }

    /** Against a baseline of 100 KB. */
    private static void compare(int kilobytes) throws Throwable {
        Map<String, String> parameters =
                Map.of("heapsampler.baseline.directory", directory.toString());
        BaselineTest.kilobytes = kilobytes;
        for (Throwable problem : Kit.problems(Kit.run(parameters, BaselineTest.Rendering.class))) {
            throw problem;
        }
    }

    private static void join(int kilobytes) throws InterruptedException {
        join(() -> Sink.kilobytes(kilobytes));
    }

    /** Of a type that the load has none of. */
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

    /** Beside a load that does not allocate; up to 16 KB of it may be under way. */
    private static Kind besideNoGarbage(Kind kind) {
        return new Kind(kind.name, quietly(kind.passing), quietly(kind.failing));
    }

    private static Code quietly(Code code) {
        return () -> {
            isAllocating = false;
            try {
                code.run();
            } finally {
                isAllocating = true;
            }
        };
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @Timeout(1_800)
    void neitherFalseFailureNorFalsePass(Kind kind) throws Throwable {
        if (kind.name.startsWith("inherited")) {
            // Classes that a first run loads count there.
            assertAllocations(() -> join(1)).threads(ThreadScope.INHERITED).atMost("2 MB");
        }
        for (int i = 0; i < TIMES; i++) {
            assertThatCode(kind.passing::run)
                    .as("%s, time %d", kind.name, i)
                    .doesNotThrowAnyException();
            assertThatThrownBy(kind.failing::run)
                    .as("%s, time %d", kind.name, i)
                    .isInstanceOf(AssertionFailedError.class)
                    .satisfies(e -> assertThat(e).hasMessageNotContainingAny("was not measured"));
        }
    }
}
