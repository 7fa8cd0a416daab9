// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;

/** Which class loaders stay, by the live ones after each run. */
class LoaderJudgeTest {

    private static final String NAME = Own.class.getName();

    private final LoaderRule rule = new LoaderRule("a test", 5, 3, List.of(), Allowances.NONE);
    private final LoaderLooks looks =
            new LoaderLooks(NAME::equals, visitor -> alive().forEach(visitor));
    private final LoaderJudge judge = new LoaderJudge(rule.runs(), looks);

    /** Those that are not gone. */
    private final List<ClassLoader> alive = new ArrayList<>();

    private List<ClassLoader> alive() {
        return alive;
    }

    private static final class Own extends ClassLoader {}

    private static final class Other extends ClassLoader {}

    /** Each look finds this many new loaders, and only the newest stay. */
    private void look(int count, IntUnaryOperator made, int most) {
        for (int i = 0; i < count; i++) {
            int look = looks.count();
            for (int each = made.applyAsInt(look); each > 0; each--) {
                alive.add(new Own());
            }
            looks.find();
            while (alive.size() > most) {
                clear(alive.remove(0));
            }
            looks.add(look == LeakJudge.BASE ? 3 : 7 + look);
        }
    }

    private void clear(ClassLoader gone) {
        for (LoaderLooks.Seen each : looks.since(-1, NAME)) {
            if (each.reference().refersTo(gone)) {
                each.reference().clear();
            }
        }
    }

    private int toTheProof() {
        return LeakJudge.PROOF + rule.runs().proofRuns();
    }

    @Test
    void oneMoreWithEachRunIsGrowth() {
        look(toTheProof(), look -> 1, 1_000);

        assertThat(judge.growing()).containsExactly(NAME);
        assertThat(judge.replaced()).isEmpty();
        assertThat(judge.isOpen()).isFalse();
    }

    @Test
    void oneInAnothersPlaceIsReplaced() {
        look(toTheProof(), look -> 1, 1);

        assertThat(judge.growing()).isEmpty();
        assertThat(judge.replaced()).containsExactly(NAME);
    }

    @Test
    void aFullCacheOfSeveralIsNeither() {
        look(toTheProof(), look -> 1, 3);

        assertThat(judge.suspects()).isEmpty();
        assertThat(judge.open()).isEmpty();
    }

    /** A look after several runs sees more than one that is new. */
    @Test
    void neitherIsItWhenLaterLooksSeeOnlyNewOnes() {
        look(toTheProof(), look -> 1, 3);
        look(LeakRule.LATER_LOOKS, look -> 8, 3);

        assertThat(judge.suspects()).isEmpty();
    }

    @Test
    void oneInAnothersPlaceIsReplacedAtLaterLooksAsWell() {
        look(toTheProof() + LeakRule.LATER_LOOKS, look -> 1, 1);

        assertThat(judge.replaced()).containsExactly(NAME);
    }

    @Test
    void whatIsMadeWhileAllIsWarmedUpIsNeither() {
        look(2, look -> look == 0 ? 4 : 0, 1_000);

        assertThat(judge.hasLeft()).isFalse();
        assertThat(judge.suspects()).isEmpty();
    }

    @Test
    void oneOfTheIterationsIsNeither() {
        look(toTheProof(), look -> look == 1 ? 1 : 0, 1_000);

        assertThat(judge.hasLeft()).isTrue();
        assertThat(judge.suspects()).isEmpty();
        assertThat(judge.isOpen()).isFalse();
    }

    @Test
    void oneInTheMidstOfTheProofIsOpenUntilMoreRunsMakeNoOther() {
        look(toTheProof(), look -> look == 4 ? 1 : 0, 1_000);
        assertThat(judge.isOpen()).isTrue();
        assertThat(judge.open()).containsExactly(NAME);

        look(LeakRule.LATER_LOOKS, look -> 0, 1_000);
        assertThat(judge.open()).isEmpty();
        assertThat(judge.suspects()).isEmpty();
    }

    @Test
    void everySecondRunIsGrowthWhenAllLooksAreMade() {
        look(toTheProof() + LeakRule.LATER_LOOKS, look -> look % 2, 1_000);

        assertThat(judge.growing()).containsExactly(NAME);
    }

    @Test
    void thoseThatGoWithSoftReferencesCountForNothing() {
        look(toTheProof(), look -> 1, 1_000);
        alive.forEach(this::clear);
        looks.dropDead();

        assertThat(judge.suspects()).isEmpty();
    }

    /** Else the others would stay open however often the test runs. */
    @Test
    void anAllowedOneThatGrowsDoesNotEndTheRunsForOthers() {
        Allowances.Allowance own =
                new Allowances.Allowance("here", "for the test", Pattern.all(NAME));
        LoaderRule lenient =
                new LoaderRule("a test", 5, 3, List.of(), new Allowances(List.of(own)));
        LoaderLooks both = new LoaderLooks(name -> true, visitor -> alive.forEach(visitor));
        LoaderJudge ofBoth = new LoaderJudge(lenient.runs(), both);
        for (int look = 0; look < toTheProof(); look++) {
            alive.add(new Own());
            if (look == 4) {
                alive.add(new Other());
            }
            both.find();
            both.add(look == LeakJudge.BASE ? 3 : 7 + look);
        }

        assertThat(ofBoth.growing()).containsExactly(NAME);
        assertThat(ofBoth.open()).containsExactly(Other.class.getName());
        assertThat(ofBoth.isOpen()).isTrue();
    }

    @Test
    void otherClassesCountForNothing() {
        assertThat(rule.counts("jdk.internal.reflect.DelegatingClassLoader")).isFalse();
        assertThat(rule.counts(NAME)).isTrue();
        assertThat(
                        new LoaderRule("a test", 5, 3, Pattern.all("com.acme.*"), Allowances.NONE)
                                .counts("com.acme.Loader"))
                .isFalse();
    }
}
