// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PacedTest {

    private static final long SECOND = 1_000_000_000L;

    private final AtomicLong clock = new AtomicLong(-5 * SECOND);
    private final AtomicLong cpu = new AtomicLong();
    private int runs;
    private long cost;

    private Paced costing(long nanos, double share) {
        cost = nanos;
        return new Paced(
                () -> {
                    runs++;
                    cpu.addAndGet(cost);
                },
                10_000,
                share,
                clock::get,
                cpu::get);
    }

    private void seconds(Paced paced, int seconds) {
        for (int i = 0; i < seconds; i++) {
            paced.run();
            clock.addAndGet(SECOND);
        }
    }

    @Test
    void whatIsCheapIsDoneAsOftenAsItMay() {
        seconds(costing(1_000_000, 0.002), 100);

        assertThat(runs).isEqualTo(10);
    }

    @Test
    void whatIsExpensiveStaysWithinItsShareOnceTheCreditIsSpent() {
        Paced paced = costing(SECOND / 2, 0.002);
        seconds(paced, 100);
        int atFirst = runs;
        seconds(paced, 100_000);

        assertThat(atFirst).isEqualTo(3); // 1 s of credit, half a second each, once too often
        assertThat(cpu.get())
                .isLessThanOrEqualTo(
                        Paced.CREDIT_NANOS + (long) (100_100 * SECOND * 0.002) + SECOND / 2);
        assertThat(runs).isGreaterThan(300);
    }

    /** A month of little work is no permission for hours of a whole processor. */
    @Test
    void unspentBudgetIsNotSaved() {
        Paced paced = costing(0, 0.002);
        seconds(paced, 2_592_000);
        long before = cpu.get();
        cost = SECOND / 2;
        seconds(paced, 1_000);

        assertThat(cpu.get() - before)
                .isLessThanOrEqualTo(Paced.CREDIT_NANOS + (long) (1_000 * SECOND * 0.002) + cost);
    }

    /** Such as in the seconds before an OutOfMemoryError. */
    @Test
    void whatIsUrgentWaitsNeitherForItsTimeNorForTheBudget() {
        Paced paced = costing(SECOND / 20, 0.000_001);
        seconds(paced, 1_000);
        int before = runs;
        seconds(paced, 1);
        assertThat(runs).isEqualTo(before);
        paced.hurry();
        seconds(paced, 1);
        assertThat(runs).isEqualTo(before + 1);
        seconds(paced, 5);
        assertThat(runs).isEqualTo(before + 1);
    }

    /** A storm of full collections is no permission for more than 2 % of a processor. */
    @Test
    void whatIsUrgentAllTheTimeIsDoneAsRarelyAsItIsExpensive() {
        Paced paced = costing(SECOND / 5, 0.000_001);
        seconds(paced, 1_000);
        int before = runs;
        for (int i = 0; i < 100; i++) {
            paced.hurry();
            seconds(paced, 1);
        }
        assertThat(runs).isEqualTo(before + 10);
    }

    /** Ten minutes of a nearly full heap are not paid back by hours without a judgement. */
    @Test
    void afterAnUrgentTimeItIsDoneAsBefore() {
        Paced paced = costing(SECOND / 50, 0.001);
        for (int i = 0; i < 600; i++) {
            paced.hurry();
            seconds(paced, 1);
        }
        assertThat(runs).isEqualTo(600);
        cost = 0;
        seconds(paced, 60);
        assertThat(runs).isEqualTo(606);
    }

    @Test
    void whatFailsCostsTheSame() {
        Paced paced =
                new Paced(
                        () -> {
                            cpu.addAndGet(3 * SECOND);
                            throw new IllegalStateException();
                        },
                        1_000,
                        0.001,
                        clock::get,
                        cpu::get);
        try {
            paced.run();
        } catch (IllegalStateException e) {
            clock.addAndGet(100 * SECOND);
        }
        paced.run(); // would throw

        assertThat(cpu.get()).isEqualTo(3 * SECOND);
    }
}
