// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static io.heapsampler.assertions.AllocationAssertions.assertAllocations;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heapsampler.assertions.AllocationAssert;
import io.heapsampler.assertions.ThreadScope;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.opentest4j.AssertionFailedError;

/**
 * Every assertion again and again, beside four threads that keep the processors, the allocator and
 * the compilers busy: no false failure, no false pass. 200 times in {@code tests/run long}.
 *
 * <p>Exact figures are not left to chance. An estimate is beyond four of its standard errors once
 * in 15,000 figures; here none is near its limit.
 */
class FlakinessTest {

    private static final int TIMES = Tier.of(1, 200);

    private static final List<Thread> LOAD = new ArrayList<>();

    private static volatile boolean isOver;

    private record Kind(
            String name,
            AllocationAssertCode passing,
            AllocationAssertCode failing,
            Consumer<AllocationAssert> assertion) {

        @Override
        public String toString() {
            return name;
        }
    }

    private interface AllocationAssertCode extends io.heapsampler.assertions.Code {}

    @BeforeAll
    static void load() {
        isOver = false;
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
            byte[] garbage = new byte[ThreadLocalRandom.current().nextInt(4_000)];
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
        Stream<Kind> counted =
                Stream.of(
                        new Kind("none", () -> {}, () -> Sink.last = new Object(), a -> a.none()),
                        new Kind(
                                "at most",
                                () -> Sink.kilobytes(100),
                                () -> Sink.kilobytes(101),
                                a -> a.atMost("101600 B")),
                        new Kind(
                                "of a type",
                                () -> Sink.kilobytes(1_000),
                                () -> Sink.kilobytes(1_300),
                                a -> a.ofType(byte[].class).atMost("1150 KB")),
                        new Kind(
                                "of a type, exact",
                                () -> Sink.kilobytes(100),
                                () -> Sink.kilobytes(101),
                                a -> a.ofType(byte[].class).atMost("101600 B")),
                        new Kind(
                                "inherited",
                                () -> join(100),
                                () -> join(150),
                                a -> a.threads(ThreadScope.INHERITED).atMost("128 KB")));
        Stream<Kind> alive =
                Stream.of(
                        new Kind(
                                "retains",
                                () -> Sink.kilobytes(10),
                                () -> Sink.LEAK.add(new byte[5_000]),
                                a -> a.retains("4 KB")),
                        new Kind(
                                "leaks",
                                () -> Sink.kilobytes(10),
                                () -> Sink.LEAK.add(new byte[2_000]),
                                a -> a.leaksAtMost(6, "1 KB")));
        return Collections.isEpsilon() ? counted : Stream.concat(counted, alive);
    }

    private static void join(int kilobytes) throws InterruptedException {
        Thread thread = new Thread(() -> Sink.kilobytes(kilobytes));
        thread.start();
        thread.join();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @Timeout(1_800)
    void neitherFalseFailureNorFalsePass(Kind kind) {
        for (int i = 0; i < TIMES; i++) {
            kind.assertion.accept(assertAllocations(kind.passing).as(kind.name));
            assertThatThrownBy(
                            () -> kind.assertion.accept(assertAllocations(kind.failing).warmup(2)))
                    .as("%s, time %d", kind.name, i)
                    .isInstanceOf(AssertionFailedError.class)
                    .satisfies(e -> assertThat(e).hasMessageNotContainingAny("was not measured"));
        }
    }
}
