// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.assertions.internal.LiveSeries.Kind;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whether newer objects take the place of older ones: what each threshold of the judge settles. */
class LeakJudgeTest {

    private static final int ITERATIONS = 10;

    private final LeakRule rule =
            new LeakRule("a test", Scope.TEST, ITERATIONS, 3, 0, Allowances.NONE);
    private final LeakLooks looks = new LeakLooks(Scope.TEST, OwnCode.DEFAULT, rule.looks());
    private final LeakJudge judge = new LeakJudge(rule, looks);
    private final HeapSnapshot empty = HeapSampler.snapshot();
    private LiveSeries site = new LiveSeries(rule.looks());
    private LiveSeries known = new LiveSeries(rule.looks());

    @BeforeEach
    void looksOfAProof() {
        look(3);
        look(3 + ITERATIONS);
        for (int run = 1; run <= rule.proofRuns(); run++) {
            look(3 + ITERATIONS + run);
        }
    }

    private void look(int run) {
        looks.add(empty, run);
    }

    private void allLooks() {
        for (int i = 0; i < LeakRule.LATER_LOOKS; i++) {
            look(looks.run(judge.last()) + 10);
        }
    }

    /** The site keeps one object of such a size at each look. */
    private void grow(int bytes) {
        site = new LiveSeries(rule.looks());
        for (int look = LeakJudge.PROOF; look <= judge.last(); look++) {
            site.add(look, look, (double) look * bytes);
        }
    }

    /** The class gains an object of a size at some of the looks, and none at the others. */
    private void growClass(int from, int looksThatGrow, int bytes) {
        known = new LiveSeries(rule.looks());
        double objects = 0;
        for (int look = from; look <= judge.last(); look++) {
            boolean grows = look > from && look <= from + looksThatGrow;
            objects += grows ? 1 : 0;
            known.add(look, objects, objects * bytes);
        }
    }

    private Kind turnover() {
        return judge.turnover(site, known);
    }

    @Test
    void classThatIsNotCountedExcusesNothing() {
        grow(100);

        assertThat(judge.turnover(site, null)).isEqualTo(Kind.GROWING);
    }

    @Test
    void sevenOfTenRunsSettleIt() {
        grow(100);
        growClass(LeakJudge.PROOF, 3, 100);
        assertThat(turnover()).isEqualTo(Kind.STILL);

        growClass(LeakJudge.PROOF, 7, 100);
        assertThat(turnover()).isEqualTo(Kind.GROWING);
    }

    @Test
    void sixOfTenRunsLeaveItOpen() {
        grow(100);
        growClass(LeakJudge.PROOF, 4, 100);
        assertThat(turnover()).isEqualTo(Kind.UNDECIDED);

        growClass(LeakJudge.PROOF, 6, 100);
        assertThat(turnover()).isEqualTo(Kind.UNDECIDED);
    }

    @Test
    void afterAllLooksTheMajorityOfTheLaterOnesSettlesIt() {
        allLooks();
        grow(100);
        int lastOfProof = LeakJudge.PROOF + rule.proofRuns() - 1;
        growClass(lastOfProof, 5, 100);
        assertThat(turnover()).isEqualTo(Kind.STILL);

        growClass(lastOfProof, 6, 100);
        assertThat(turnover()).isEqualTo(Kind.GROWING);
    }

    /** Half of the growth lies between a class that stays and one that grows as the site does. */
    @Test
    void classThatGrowsByHalfDoesNotMakeUpForIt() {
        grow(100);
        for (int look = LeakJudge.PROOF; look <= judge.last(); look++) {
            site.add(look, look, 0);
            known.add(look, look, 0);
        }
        assertThat(turnover()).isEqualTo(Kind.GROWING);
    }

    /** Only a class that gains bytes as well shows that larger ones came for smaller ones. */
    @Test
    void largeObjectsCountInBytesAsWell() {
        growClass(LeakJudge.PROOF, 0, 0);
        for (int look = LeakJudge.PROOF; look <= judge.last(); look++) {
            known.add(look, 0, look * 200.0);
        }
        grow(199);
        assertThat(turnover()).isEqualTo(Kind.STILL);

        grow(200);
        assertThat(turnover()).isEqualTo(Kind.UNDECIDED);
    }

    @Test
    void largeObjectsThatGoOnInBytesAreALeak() {
        allLooks();
        for (int look = LeakJudge.PROOF; look <= judge.last(); look++) {
            known.add(look, 0, look * 200.0);
        }
        grow(200);
        assertThat(turnover()).isEqualTo(Kind.GROWING);
    }

    private boolean changes(double fall, double bytes, boolean isApart) {
        LiveSeries idle = new LiveSeries(ClassCounts.IDLE_COUNTS);
        for (int i = 0; i < ClassCounts.IDLE_COUNTS; i++) {
            double part = (double) i / (ClassCounts.IDLE_COUNTS - 1);
            idle.add(i, 100 - fall * part, 10_000 - bytes * part);
        }
        return judge.changesByItself(site, idle, isApart);
    }

    /** Ten runs, five intervals: the class falls by 2.5 objects where a leak adds ten. */
    @Test
    void halfOfTheGrowthWithoutARunConcealsIt() {
        grow(100);
        assertThat(changes(2.5, 250, false)).isTrue();
        assertThat(changes(2.4, 250, false)).isFalse();
        assertThat(changes(2.5, 240, false)).isFalse();
    }

    @Test
    void whereRunsAreCountedAloneTheChangeOfOneIntervalConcealsIt() {
        grow(100);
        assertThat(changes(1, 50, true)).isTrue();
        assertThat(changes(0.9, 50, true)).isFalse();
        assertThat(changes(1, 49, true)).isFalse();
    }

    @Test
    void afterAllLooksOnlyAFallConcealsIt() {
        allLooks();
        grow(100);
        assertThat(changes(2.5, 0, false)).isTrue();
        assertThat(changes(2.4, 0, false)).isFalse();
        assertThat(changes(-10, 0, false)).isFalse();
    }
}
