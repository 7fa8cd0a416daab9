// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heapsampler.assertions.Code;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.opentest4j.AssertionFailedError;

/** How often code is run for a verdict, and what becomes of code that throws. */
class JudgeTest {

    @SuppressWarnings("unused")
    private static volatile Object sink;

    private int runs;

    private List<Verdict> check(Code code, int warmup, int minOf) throws Throwable {
        Code empty = () -> {};
        Subject subject = new Subject("The code", code, code, empty, empty);
        return Judge.check(
                List.of(new AllocationRule("@Rule", Scope.TEST, "0 B", 0, warmup, minOf, -1)),
                subject,
                Settings.DEFAULT,
                false);
    }

    private void allocatesInItsFirstFourRuns() {
        if (runs++ < 4) {
            sink = new byte[1000];
        }
    }

    private void canBeUsedTwice() {
        if (runs++ == 2) {
            throw new IllegalStateException("used up");
        }
        sink = new byte[1000];
    }

    @Test
    void firstRunAloneIsJudged() throws Throwable {
        Verdict verdict = check(this::allocatesInItsFirstFourRuns, -1, -1).get(0);

        assertThat(runs).isOne();
        assertThat(verdict.outcome()).isEqualTo(Verdict.Outcome.FAILED);
    }

    @Test
    void laterRunsAreJudgedWhereTheirAuthorAsksForThem() throws Throwable {
        Verdict verdict = check(this::allocatesInItsFirstFourRuns, 2, 9).get(0);

        assertThat(runs).isEqualTo(5); // the third judged one is within the limit
        assertThat(verdict.outcome()).isEqualTo(Verdict.Outcome.PASSED);
        assertThat(verdict.summary()).endsWith("smallest of 3 runs, after 2 others");
    }

    @Test
    void whatTheFirstRunThrowsIsThrown() {
        runs = 2;
        assertThatThrownBy(() -> check(this::canBeUsedTwice, 1, 5))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("used up");
    }

    @Test
    void whatALaterRunThrowsIsNoVerdict() throws Throwable {
        assertThat(check(this::canBeUsedTwice, 1, 5).get(0).error())
                .isInstanceOf(AssertionFailedError.class)
                .hasMessage(
                        "@Rule of The code has no verdict: it needs up to 6 runs, and run 3 threw"
                                + " java.lang.IllegalStateException: used up. Here the code is run"
                                + " again on the same instance. Let each run make what it uses up,"
                                + " or use @AllocationTest, which gives each run a fresh instance"
                                + " with its @BeforeEach.");
    }
}
