// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.heapsampler.Blocks;
import io.heapsampler.assertions.ThrowingRunnable;
import io.heapsampler.assertions.internal.CountedMeasure.Window;
import io.heapsampler.assertions.internal.InheritedMeasure.OwnThread;
import io.heapsampler.assertions.internal.UnseenThreads.Cause;
import io.heapsampler.internal.BlockWriter;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Reasons why there is no verdict, to the letter: what cannot be provoked by a test as a whole. */
class NotMeasuredTextTest {

    private static final Measured NOTHING = Measured.exact(0, "exact", null);

    @Test
    void harnessThatChanges() throws Throwable {
        AtomicLong counter = new AtomicLong();
        AtomicLong ofHarness = new AtomicLong(100);
        ThrowingRunnable harness = () -> counter.addAndGet(ofHarness.get());
        ThrowingRunnable code =
                () -> {
                    counter.addAndGet(1_000 + ofHarness.get());
                    ofHarness.set(300); // as the JVM compiles it
                };
        Subject subject = new Subject("The code", code, code, harness, harness);
        Window window = new Window(counter::get);
        window.begin(subject);
        long bytes = window.net(window.raw(subject), subject);
        Measured figure = window.widen(Measured.exact(bytes, "exact", null));

        assertThat(
                        figure.undecided(
                                figure.figure() + " of at most 900 B", "first run", "Not this."))
                .hasMessage(
                        "Its figure is too uncertain for a verdict: 1,000 B (800 B to 1,000 B) of"
                                + " at most 900 B; first run. Repeat the test (minOf = 2 or"
                                + " more).");
        assertThat(figure.how())
                .isEqualTo(
                        "exact; the JVM compiled the harness meanwhile, so some of these bytes may"
                                + " be the harness's");
    }

    @Test
    void helpOfTheRuleWhereNothingElseHelps() {
        Measured figure = new Measured(90, 100, 110, "sampled", null, "");

        assertThat(
                        figure.undecided(
                                "100 B ± 10 B of at most 105 B", "sampled", AllocationRule.HELP))
                .hasMessage(
                        "Its figure is too uncertain for a verdict: 100 B ± 10 B of at most 105 B;"
                                + " sampled. Repeat the test (minOf = 2 or more at"
                                + " @AllocationTest), record every allocation (interval = \"0 B\"),"
                                + " or run nothing else beside it.");
    }

    private static Measured widened(String reason, String help) {
        return NOTHING.widened(0, 3_000, reason, help);
    }

    static Stream<Arguments> doubts() {
        double bytes = 3_000;
        double unknown = Double.POSITIVE_INFINITY;
        return Stream.of(
                Arguments.of(
                        widened(Cause.OLDER.reason(bytes), Cause.OLDER.help),
                        "threads that are older than the recording may have allocated 2.9 KiB"
                                + " unseen. Start these threads in the measured code, or let"
                                + " nothing else run beside it."),
                Arguments.of(
                        widened(Cause.OLDER.reason(unknown), Cause.OLDER.help),
                        "a thread that is older than the recording has ended, and may have"
                                + " allocated unseen. Start these threads in the measured code, or"
                                + " let nothing else run beside it."),
                Arguments.of(
                        widened(Cause.CARRIER.reason(bytes), Cause.CARRIER.help),
                        "its virtual thread may have been on other carriers for a while, which"
                                + " allocated 2.9 KiB, and not all of that was recorded. Run it in"
                                + " a platform thread, or while no other virtual thread runs."),
                Arguments.of(
                        widened(Cause.CARRIER.reason(unknown), Cause.CARRIER.help),
                        "its virtual thread may have been on other carriers for a while, of which"
                                + " one has ended, and not all of that was recorded. Run it in a"
                                + " platform thread, or while no other virtual thread runs."),
                Arguments.of(
                        widened(Drops.CUT, Drops.CUT_HELP),
                        "stacks are cut or missing, so that some allocations may count or not."
                                + " Start the sampler before with a greater maxDepth, or a greater"
                                + " maxStacks, maxNames and maxSites: HeapSnapshot.dropped() says"
                                + " which."),
                Arguments.of(
                        widened(OwnThread.REASON, InheritedMeasure.ALONE),
                        "other assertions, or stacks that are cut, hide how much the harness itself"
                                + " allocated. Run nothing else beside it."),
                Arguments.of(
                        widened(InheritedMeasure.OTHERS, InheritedMeasure.ALONE),
                        "other threads allocated meanwhile, and the bytes set aside may include"
                                + " some of theirs. Run nothing else beside it."),
                Arguments.of(
                        widened(InheritedMeasure.strangers(1_000), InheritedMeasure.ALONE),
                        "other tests created 1,000 threads meanwhile, which cannot be"
                                + " distinguished. Run nothing else beside it."),
                Arguments.of(
                        InheritedMeasure.bounded(NOTHING, bytes),
                        "with virtual threads it is at most what the JVM counted in all threads,"
                                + " 2.9 KiB. Run nothing else beside it."),
                Arguments.of(
                        InheritedMeasure.bounded(NOTHING, unknown),
                        "with virtual threads it is unknown how much more it is. Run nothing else"
                                + " beside it."),
                Arguments.of(
                        widened(CountedMeasure.AROUND, InheritedMeasure.ALONE),
                        "other threads allocated just before or after the run, and the bytes set"
                            + " aside may include some of theirs. Run nothing else beside it."));
    }

    @ParameterizedTest
    @MethodSource("doubts")
    void doubtsAboutAFigure(Measured figure, String reason) {
        assertThat(figure.undecided("0 B of at most 1 KB", figure.how(), "Not this."))
                .hasMessage(
                        "Its figure is too uncertain for a verdict: 0 B of at most 1 KB; exact; "
                                + reason);
    }

    @Test
    void collectorThatDoesNotCollect() {
        assertThat(Evidence.noCollection(Blocks.decode(new BlockWriter().write())))
                .hasMessage(
                        "The JVM ran no collection when one was requested, so it is unknown what"
                                + " stays alive. Run the test again, or with another collector.");
    }

    @Test
    void failureWithoutSites() {
        assertThat(AllocationRule.noSites(true))
                .isEqualTo(
                        "No site is shown: the JVM itself allocated this, such as classes, or an"
                                + " assertion inside of the code.");
        assertThat(AllocationRule.noSites(false))
                .isEqualTo(
                        "No sites, because no recording could be opened: see HeapSampler.status()"
                                + " and the log of io.heapsampler.");
    }

    @Test
    void tooManyAssertionsAtOnce() throws Exception {
        FutureTask<Throwable> refused =
                new FutureTask<>(() -> catchThrowable(() -> Evidence.open(Scope.TEST, 0)));
        try (Evidence.Permits.Reservation all = Evidence.Permits.reserve(Evidence.Permits.MOST)) {
            assertThat(all.isThere()).isTrue();
            Thread thread = new Thread(refused);
            thread.start();
            thread.interrupt(); // rather than a minute of patience

            assertThat(refused.get(60, TimeUnit.SECONDS))
                    .isInstanceOf(NotMeasuredException.class)
                    .hasMessage(
                            "No recording could be opened: too many assertions measure at once, or"
                                    + " the thread was interrupted. Run fewer tests in parallel.");
        }
    }

    @Test
    void textThatIsCut() {
        FailureText text = new FailureText("x".repeat(9_000), Settings.DEFAULT);

        assertThat(text.build())
                .endsWith("x\n  [cut: the message is longer than 8,000 characters]");
    }
}
