// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static io.heapsampler.assertions.AllocationAssertions.assertAllocations;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heapsampler.assertions.ThrowingRunnable;
import io.heapsampler.junit.AllocationBaseline;
import io.heapsampler.junit.MaxAllocation;
import io.heapsampler.junit.MaxRetained;
import io.heapsampler.junit.NoAllocation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.AssertionFailedError;

/** A first run beyond its limit does not pass, whatever a second one on the same instance does. */
@Tag("once")
@ExtendWith(HoldersAreSearched.class)
class FirstRunTest {

    private static int runs;

    @BeforeEach
    void begin() {
        runs = 0;
        Sink.forget(); // initialises it
    }

    @AfterEach
    void forget() {
        Sink.forget();
    }

    /** What allocates is used up, or remembered, after one run. */
    static class UsedUp {

        private final List<Integer> numbers = new ArrayList<>();
        private final Queue<Integer> queue = new ArrayDeque<>();
        private final Map<Integer, byte[]> memo = new HashMap<>();
        private final Map<Integer, long[]> numbersOf = new HashMap<>();
        private Iterator<Integer> iterator;

        @BeforeEach
        void setUp() {
            for (int i = 0; i < 10; i++) {
                numbers.add(i);
                queue.add(i);
            }
            iterator = numbers.iterator();
        }

        @Test
        @NoAllocation
        void drainsAnIterator() {
            runs++;
            while (iterator.hasNext()) {
                Sink.last = new byte[84 + iterator.next()];
            }
        }

        @Test
        @MaxAllocation("1 KB")
        void drainsAQueue() {
            runs++;
            while (!queue.isEmpty()) {
                Sink.last = new byte[200 + queue.poll()];
            }
        }

        @Test
        @NoAllocation(types = long[].class)
        void fillsAMemo() {
            runs++;
            Sink.last = numbersOf.computeIfAbsent(1, key -> new long[125]);
        }

        @Test
        @MaxRetained("512 B")
        void keepsAMemo() {
            runs++;
            memo.computeIfAbsent(1, key -> new byte[1_000]);
            Sink.LEAK.add(memo.get(1));
        }
    }

    @Test
    void ofATestIsJudgedAlone() {
        Collections.assumeCollections();
        assertThat(Kit.problems(Kit.run(UsedUp.class)))
                .hasSize(4)
                .allSatisfy(
                        problem ->
                                assertThat(problem)
                                        .isInstanceOf(AssertionFailedError.class)
                                        .hasMessageContaining("first run")
                                        .hasMessageContaining(
                                                " Where only a first run does this, have later runs"
                                                        + " judged, with warmup at @AllocationTest"
                                                        + " or assertAllocations."))
                .extracting(problem -> problem.getMessage().split(", limit")[0])
                .contains(
                        "UsedUp.drainsAnIterator() allocated 1,080 bytes",
                        "UsedUp.drainsAQueue() allocated 2,240 bytes",
                        "UsedUp.fillsAMemo() allocated 1,016 bytes");
        assertThat(runs).isEqualTo(4);
    }

    private static void onlyAtFirst() {
        if (runs++ == 0) {
            Sink.last = new byte[1_000];
        }
    }

    @Test
    void ofCodeIsJudgedAlone() {
        assertThatThrownBy(() -> assertAllocations(FirstRunTest::onlyAtFirst).allocatesNothing())
                .isInstanceOf(AssertionFailedError.class)
                .hasMessageStartingWith(
                        "The code allocated 1,016 bytes, limit 0 bytes: 1,016 B too much.")
                .hasMessageContaining("; first run.")
                .hasMessageEndingWith(
                        " A second, unjudged run was within the limit (0 bytes): if later runs are"
                                + " meant, write @AllocationTest(warmup = 1) in place of @Test, or"
                                + " warmup(1) at assertAllocations.");
        assertThat(runs).isEqualTo(2);
    }

    @Test
    void laterRunsAreJudgedWhereThatIsWritten() {
        assertAllocations(FirstRunTest::onlyAtFirst).warmup(1).allocatesNothing();
        runs = 0;
        assertAllocations(FirstRunTest::onlyAtFirst).minOf(2).allocatesNothing();
        assertThat(runs).isEqualTo(2);
        runs = 0;
        assertThatThrownBy(
                        () ->
                                assertAllocations(() -> Sink.kilobytes(1))
                                        .warmup(2)
                                        .minOf(3)
                                        .allocatesNothing())
                .hasMessageContaining("; smallest of 3 runs, after 2 others.")
                .message()
                .doesNotContain("unjudged");
    }

    /** The verdict is that of the first run even if another one cannot be made. */
    /** The exceptions that tell this are of other classes than those that count. */
    @Test
    void classesThatAreMissingCountAmongSomeTypes() {
        ThrowingRunnable missing =
                () -> {
                    for (int i = 0; i < 500; i++) {
                        try {
                            Class.forName("no.such.Class" + i);
                        } catch (ClassNotFoundException e) {
                            continue;
                        }
                    }
                };

        assertThatThrownBy(
                        () ->
                                assertAllocations(missing)
                                        .ofType(byte[].class)
                                        .allocatesAtMost("1 KB"))
                .isInstanceOf(AssertionFailedError.class)
                .hasMessageContaining(" allocated ");
    }

    @Test
    void secondRunThatThrowsChangesNothing() {
        ThrowingRunnable once =
                () -> {
                    onlyAtFirst();
                    if (runs > 1) {
                        throw new IllegalStateException("used up");
                    }
                };
        assertThatThrownBy(() -> assertAllocations(once).allocatesNothing())
                .isInstanceOf(AssertionFailedError.class)
                .hasMessageStartingWith("The code allocated 1,016 bytes, limit 0 bytes")
                .message()
                .doesNotContain("unjudged");
    }

    static class Compared {
        @Test
        @AllocationBaseline(tolerance = "100 B")
        void once() {
            onlyAtFirst();
        }
    }

    @Test
    void ofABaselineIsJudged(@TempDir Path directory) throws Exception {
        Path file = directory.resolve(Compared.class.getName() + ".txt");
        Files.writeString(
                file,
                Compared.class.getName() + ".once() @" + Runtime.version().feature() + " = 0\n");

        assertThat(
                        Kit.problem(
                                Map.of(
                                        "heapsampler.junit.baseline.directory",
                                        directory.toString()),
                                Compared.class))
                .hasMessageStartingWith("Compared.once() allocated 1,016 bytes, baseline 0 bytes:");
        assertThat(runs).isEqualTo(2); // the second is not judged
    }
}
