// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static io.heapsampler.assertions.AllocationAssertions.assertAllocations;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heapsampler.assertions.AllocationAssert;
import io.heapsampler.assertions.ThreadScope;
import io.heapsampler.assertions.ThrowingRunnable;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.opentest4j.AssertionFailedError;

/** Ways in which allocations could hide from a verdict. */
class SoundnessTest {

    @AfterEach
    void forget() {
        Sink.forget();
    }

    @Test
    void coarseDefaultIntervalGivesWayWhereItCannotDecide() {
        Collections.assumeCollections();
        List<Throwable> problems =
                Kit.problems(
                        Kit.run(
                                Map.of("heapsampler.junit.interval", "512 KB"),
                                SoundnessCases.CoarseInterval.class));

        assertThat(problems)
                .extracting(problem -> problem.getMessage().split(" ")[0])
                .containsExactlyInAnyOrder(
                        "CoarseInterval.allocates()",
                        "CoarseInterval.keeps()",
                        "CoarseInterval.leaks()");
    }

    @Test
    void coarseIntervalOfOnesOwnIsRefusedWhereThreadsAreSampled() {
        for (ThreadScope threads : List.of(ThreadScope.INHERITED, ThreadScope.ALL)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(
                            () ->
                                    assertAllocations(() -> {})
                                            .threads(threads)
                                            .interval("512 KB")
                                            .allocatesAtMost("64 KB"))
                    .withMessageContaining("is below the resolution of an interval of 524,288");
        }
    }

    @Test
    void nestedClassThatIsInheritedHasTheLimitOfWhereItRuns() {
        assertThat(Kit.problem(SoundnessCases.Heir.class))
                .isInstanceOf(AssertionFailedError.class)
                .hasMessageStartingWith("Inside.much() allocated ");
    }

    @Test
    void misplacedAnnotationOfASuperclassIsRefused() {
        assertThat(Kit.problem(SoundnessCases.HeirOfMisplaced.class))
                .isInstanceOf(ExtensionConfigurationException.class)
                .hasMessageContaining("SoundnessCases$Misplaced.measured: @NoAllocation is on a");
    }

    @Test
    void separateThreadOfATimeoutIsTheOneThatCounts() {
        List<Throwable> problems = Kit.problems(Kit.run(SoundnessCases.InAThreadOfItsOwn.class));

        assertThat(problems)
                .extracting(Throwable::getMessage)
                .hasSize(2)
                .anyMatch(text -> text.startsWith("InAThreadOfItsOwn.much() allocated 1,0"))
                .anyMatch(
                        text ->
                                text.contains("HeapRecording of InAThreadOfItsOwn.recording")
                                        && text.contains("open a recording in the test"));
    }

    @Test
    void ofTwoExtensionsOneGivesTheParameters() {
        Kit.assertPasses(SoundnessCases.TwoExtensions.class, 1);
    }

    @Test
    void whatStaysAliveHasNoInheritedThreads() {
        AllocationAssert code = assertAllocations(() -> {}).threads(ThreadScope.INHERITED);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> code.leavesBehindAtMost("1 KB"))
                .withMessageContaining("threads = INHERITED")
                .withMessageContaining("Use TEST or ALL");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> code.iterations(10).leaksAtMost("1 KB"));
    }

    @Test
    void framesBeyondTheDeepestStackAreNotTakenForOthers() {
        assertAllocations(() -> SoundnessCases.deep(10)).at(DEEP).allocatesAtMost("20 KB");
        assertThatThrownBy(
                        () ->
                                assertAllocations(SoundnessTest::deeper)
                                        .at(DEEP)
                                        .allocatesAtMost("4 KB"))
                .isInstanceOf(AssertionFailedError.class)
                .hasMessageContaining("was not measured. Its figure is too uncertain")
                .hasMessageContaining("stacks are cut");
        assertThatThrownBy(
                        () ->
                                assertAllocations(SoundnessTest::deeper)
                                        .excluding(DEEP)
                                        .allocatesAtMost("4 KB"))
                .isInstanceOf(AssertionFailedError.class)
                .hasMessageContaining("was not measured. Its figure is too uncertain");
    }

    @Test
    void norInWhatStaysAlive() {
        Collections.assumeCollections();
        assertThatThrownBy(
                        () ->
                                assertAllocations(SoundnessTest::deeper)
                                        .at(DEEP)
                                        .leavesBehindAtMost("4 KB"))
                .isInstanceOf(AssertionFailedError.class)
                .hasMessageContaining("was not measured. Its figure is too uncertain");
    }

    private static final String DEEP = "io.heapsampler.tests.junit.SoundnessCases.deep";

    private static void deeper() {
        SoundnessCases.deep(0);
    }

    @Test
    void firstAllocationsOfOlderThreadsAreNotTakenForNone() throws Exception {
        Collections.assumeCollections();
        ExecutorService older = Executors.newSingleThreadExecutor();
        try {
            older.submit(() -> {}).get();
            ThrowingRunnable leaking =
                    () -> older.submit(() -> Sink.LEAK.add(new byte[5_000])).get();
            AllocationAssert all = assertAllocations(leaking).threads(ThreadScope.ALL);

            all.allocatesAtMost("4 MB")
                    .leavesBehindAtMost("4 MB"); // no more than the JVM has counted
            assertThatThrownBy(() -> all.iterations(5).leaksAtMost("1 KB"))
                    .isInstanceOf(AssertionFailedError.class)
                    .message()
                    .containsAnyOf("may have allocated", "leaks: ");
            assertThatThrownBy(() -> all.leavesBehindAtMost("1 KB"))
                    .isInstanceOf(AssertionFailedError.class)
                    .message()
                    .containsAnyOf("may have allocated", "alive, limit");
            assertThatThrownBy(() -> all.ofType(byte[].class).allocatesAtMost("4 KB"))
                    .isInstanceOf(AssertionFailedError.class)
                    .message()
                    .containsAnyOf("may have allocated", "limit 4 KB (4,096 bytes)");
        } finally {
            older.shutdown();
        }
    }

    @Test
    void constructorAsCodeIsSeen() {
        assertThatThrownBy(
                        () ->
                                assertAllocations(Object::new)
                                        .ofType(Object.class)
                                        .warmup(0)
                                        .minOf(1)
                                        .allocatesNothing())
                .isInstanceOf(AssertionFailedError.class)
                .hasMessageContaining("allocated 16 bytes");
    }

    @Test
    void interruptedThreadIsMeasured() {
        try {
            assertAllocations(() -> Thread.currentThread().interrupt())
                    .ofType(byte[].class)
                    .allocatesNothing()
                    .allocatesNothing();
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void codeThatCannotBeRepeatedLearnsHowOftenItWouldBe() {
        Collections.assumeCollections();
        assertThat(Kit.problem(SoundnessCases.UsedUp.class))
                .hasMessageStartingWith(
                        "@NoLeaks of UsedUp.leaks() has no verdict: it needs up to ")
                .hasMessageContaining(" runs, and run 2 threw");
    }

    @Test
    void whatCodeThrowsWhenRepeatedIsQuotedInPart() {
        assertThatThrownBy(
                        () ->
                                assertAllocations(new SoundnessCases.LongComplaint())
                                        .minOf(2)
                                        .allocatesNothing())
                .isInstanceOf(AssertionFailedError.class)
                .hasMessageContaining("xxx.... Here the code is run again")
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(1_500));
    }
}
