// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static io.heapsampler.assertions.AllocationAssertions.assertAllocations;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heapsampler.HeapSampler;
import io.heapsampler.SamplerOptions;
import io.heapsampler.assertions.AllocationAssert;
import io.heapsampler.assertions.ThreadScope;
import io.heapsampler.assertions.WhenNotMeasured;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

/** A sampler whose tables are too small: what rests on lost samples does not pass. */
class LostSamplesTest {

    /** The process-wide sampler sets the bounds. */
    private static void start(SamplerOptions.Builder options) {
        HeapSampler.start(options.build());
    }

    /** The bounds stay those of the last start: other tests want the usual ones. */
    @AfterEach
    void stop() {
        HeapSampler.stop();
        HeapSampler.reset();
        start(SamplerOptions.builder());
        HeapSampler.stop();
        HeapSampler.reset();
        Sink.forget();
    }

    @Test
    void moreObjectsThanAreWatchedMayStayAlive() {
        Collections.assumeCollections();
        start(SamplerOptions.builder().maxTracked(64));

        assertThatThrownBy(
                        () ->
                                assertAllocations(() -> Sink.kilobytes(2_000))
                                        .leavesBehindAtMost("1 KB"))
                .isInstanceOf(AssertionFailedError.class)
                .hasMessageStartingWith(
                        "leavesBehindAtMost(\"1 KB\") of the code was not measured. Its figure is"
                                + " too uncertain for a verdict: ")
                .hasMessageContaining("are not watched, because too many were alive")
                .hasMessageEndingWith("start the sampler before with a greater maxTracked.");
        assertAllocations(() -> Sink.kilobytes(2_000))
                .allocatesAtMost("2 MB"); // the JVM's own count
    }

    @Test
    void fewerSamplesAreTakenWhereTheyCanDecide() {
        Collections.assumeCollections();
        start(SamplerOptions.builder().maxTracked(512));

        assertAllocations(() -> Sink.kilobytes(2_000)).minOf(2).leavesBehindAtMost("256 KB");
    }

    @Test
    void countsOfClassesTellWhereSamplesAreLost() {
        Collections.assumeCollections();
        start(SamplerOptions.builder().maxTracked(64));

        assertAllocations(() -> Sink.kilobytes(2_000)).iterations(5).leaksAtMost("0 B");
        assertThatThrownBy(
                        () ->
                                assertAllocations(
                                                () -> {
                                                    Sink.kilobytes(2_000);
                                                    Sink.CHAIN.add(new long[100]);
                                                })
                                        .iterations(5)
                                        .leaksAtMost("0 B"))
                .isInstanceOf(AssertionFailedError.class)
                .message()
                .containsAnyOf("leaks: ", "and the JVM has more and more of long[]");
    }

    @Test
    void busyCodeIsNoLeakAndHidesNone() {
        Collections.assumeCollections();
        start(SamplerOptions.builder().maxTracked(512));

        assertAllocations(() -> busy(0)).iterations(10).leaksAtMost("1 KB");
        assertThatThrownBy(
                        () -> assertAllocations(() -> busy(2)).iterations(10).leaksAtMost("1 KB"))
                .isInstanceOf(AssertionFailedError.class)
                .message()
                .containsAnyOf("leaks: ", "A leak may have gone unseen");
    }

    private static void busy(int leaked) {
        for (int i = 0; i < 2_000; i++) {
            Sink.last = new Object();
        }
        for (int i = 0; i < leaked; i++) {
            Sink.LEAK.add(new byte[1_000]);
        }
    }

    @Test
    @Tag("once")
    void policyHoldsForLostSamples() {
        Collections.assumeCollections();
        start(SamplerOptions.builder().maxTracked(64));
        AllocationAssert code = assertAllocations(() -> Sink.kilobytes(2_000)).warmup(0).minOf(1);

        assertThatThrownBy(
                        () ->
                                code.whenNotMeasured(WhenNotMeasured.ABORT)
                                        .leavesBehindAtMost("1 KB"))
                .isInstanceOf(TestAbortedException.class);
        code.whenNotMeasured(WhenNotMeasured.IGNORE).leavesBehindAtMost("1 KB");
    }

    @Test
    @Tag("once")
    void sitesWithoutRoomMayBeThoseThatCount() {
        start(SamplerOptions.builder().maxSites(16));

        assertThatThrownBy(
                        () ->
                                assertAllocations(() -> deep(100))
                                        .at("io.heapsampler.tests.junit.Sink")
                                        .allocatesAtMost("50 KB"))
                .isInstanceOf(AssertionFailedError.class)
                .hasMessageContaining("was not measured. Its figure is too uncertain")
                .hasMessageContaining("stacks are cut or missing")
                .hasMessageContaining("maxSites");
        assertAllocations(() -> deep(100))
                .ofType(byte[].class)
                .allocatesAtMost("110 KB"); // all of it
    }

    @Test
    void survivorsWithoutASiteMayBeALeak() {
        Collections.assumeCollections();
        start(SamplerOptions.builder().maxSites(16));

        assertThatThrownBy(
                        () ->
                                assertAllocations(
                                                () -> {
                                                    deep(100);
                                                    Sink.LEAK.add(new byte[2_000]);
                                                })
                                        .iterations(5)
                                        .leaksAtMost("1 KB"))
                .isInstanceOf(AssertionFailedError.class)
                .message()
                .satisfiesAnyOf(
                        lost ->
                                assertThat(lost)
                                        .contains("A leak may have gone unseen")
                                        .contains("stacks are cut or missing"),
                        // Where the full table was emptied in time, the leak's site had room in it.
                        seen -> assertThat(seen).contains("byte[]: +1 object (2,016 bytes)"));
    }

    /** At a hundred sites. */
    private static void deep(int more) {
        Sink.kilobytes(1);
        if (more > 1) {
            deep(more - 1);
        }
    }

    @Test
    @Tag("once")
    void threadsWithoutRoomMayBeThoseThatCount() {
        start(SamplerOptions.builder().maxThreads(16));

        assertThatThrownBy(
                        () ->
                                assertAllocations(() -> threads(60))
                                        .threads(ThreadScope.INHERITED)
                                        .ofType(byte[].class)
                                        .allocatesAtMost("50 KB"))
                .isInstanceOf(AssertionFailedError.class)
                .hasMessageContaining(
                        "of threads that cannot be distinguished, because there were too many")
                .hasMessageEndingWith("Start the sampler before with a greater maxThreads.");
    }

    private static void threads(int count) throws InterruptedException {
        for (int i = 0; i < count; i++) {
            Thread thread = new Thread(() -> Sink.kilobytes(1));
            thread.start();
            thread.join();
        }
    }
}
