// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.heapsampler.assertions.Code;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Reasons why there is no verdict, to the letter: what cannot be provoked by a test as a whole. */
class NotMeasuredTextTest {

    @Test
    void harnessThatChanges() throws Throwable {
        AtomicLong counter = new AtomicLong();
        AtomicLong ofHarness = new AtomicLong(100);
        Code harness = () -> counter.addAndGet(ofHarness.get());
        Code code =
                () -> {
                    counter.addAndGet(1_000 + ofHarness.get());
                    ofHarness.set(300); // as the JVM compiles it
                };
        Subject subject = new Subject("The code", code, code, harness, harness);
        Window window = new Window(counter::get, true);
        window.begin(subject);
        long bytes = window.net(window.raw(subject), subject);
        Measured figure = window.widen(Measured.exact(bytes, "exact", null));

        assertThat(
                        figure.undecided(
                                figure.figure() + " of at most 900 B", "first run", "Not this."))
                .hasMessage(
                        "Its figure is too uncertain for a verdict: 1,000 B (800 B to 1,000 B) of"
                                + " at most 900 B; first run. Let it be repeated (minOf = 2 or"
                                + " more).");
        assertThat(figure.how())
                .isEqualTo(
                        "exact; what runs the test changed meanwhile, as the JVM compiled it, and"
                                + " some of this may be its");
    }

    @Test
    void helpOfTheRuleWhereNothingElseHelps() {
        Measured figure = new Measured(90, 100, 110, "sampled", null, "");

        assertThat(
                        figure.undecided(
                                "100 B ± 10 B of at most 105 B", "sampled", AllocationRule.HELP))
                .hasMessage(
                        "Its figure is too uncertain for a verdict: 100 B ± 10 B of at most 105 B;"
                                + " sampled. Let it be repeated (minOf = 2 or more at"
                                + " @AllocationTest), record every allocation (interval = \"0 B\"),"
                                + " or run it beside nothing else.");
    }

    @Test
    void tooManyAssertionsAtOnce() throws Exception {
        FutureTask<Throwable> refused =
                new FutureTask<>(() -> catchThrowable(() -> Evidence.open(Scope.TEST, 0)));
        try (Permits.Reservation all = Permits.reserve(Permits.MOST)) {
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
        FailureText text = new FailureText("x".repeat(9_000), OwnCode.DEFAULT);

        assertThat(text.build())
                .endsWith("x\n  [cut: the message is longer than 8,000 characters]");
    }
}
