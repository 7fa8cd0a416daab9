// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.internal.holders.HeldBlockWriter;
import io.heapsampler.internal.shared.HoldersText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a failed assertion says about holders, as a whole. */
class HoldersTextTest {

    private static final String HEAD =
            "Held by: 1,000 B live in 1 sample, 100 % with a holder (walked in a child process,"
                    + " longest pause 42 ms)\n";

    private static final String INSTANCE = "com.acme.ShopTest.kept -> java.lang.StringBuilder";

    private final HeldShot shot = new HeldShot();

    private HeldShot one() {
        return shot.live(shot.site("byte[]", "fill", 12), 1);
    }

    private String path(String root, String... steps) {
        one().held.path(0, root, steps);
        return HoldersText.draw(shot.heldBy(Map.of(7L, "main")), 12);
    }

    @Test
    void aTreeIsDrawnWithTheSuspectUnderlined() {
        assertThat(
                        path(
                                "static com.acme.Shop.open -> " + HeldShot.MAP,
                                HeldShot.TABLE,
                                HeldShot.NODE,
                                HeldShot.value("byte[]")))
                .isEqualTo(
                        HEAD
                                + """
                                  ╰─ 100 %, 1,000 B: static field com.acme.Shop.open
                                                     ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
                                     ↓ value in HashMap
                                     ╰→ byte[] allocated at com.acme.Shop.fill(Source.java:12)\
                                """);
    }

    @Test
    void whatJUnitHoldsIsOneLine() {
        assertThat(
                        path(
                                "local org.junit.platform.Task.execute 7 ->"
                                        + " org.junit.jupiter.Context",
                                "org.junit.jupiter.Context.instances -> java.lang.Object[]",
                                "[] -> com.acme.ShopTest",
                                INSTANCE,
                                "java.lang.AbstractStringBuilder.value -> byte[]"))
                .isEqualTo(
                        HEAD
                                + """
                                  ╰─ 100 %, 1,000 B: JUnit, which holds the test's instance and its arguments while the test runs
                                     ↓ com.acme.ShopTest.kept
                                       ~~~~~~~~~~~~~~~~~~~~~~
                                     ↓ content of a StringBuilder
                                     ╰→ byte[] allocated at com.acme.Shop.fill(Source.java:12)\
                                """);
    }

    @Test
    void collectionsThatJUnitHoldsAreNoReferencesOfTheApplication() {
        assertThat(
                        path(
                                "local org.junit.platform.Task.execute 7 ->"
                                        + " java.util.Arrays$ArrayList",
                                "java.util.Arrays$ArrayList.a -> java.lang.Object[]",
                                "[] -> com.acme.ShopTest",
                                INSTANCE))
                .contains("JUnit, which holds the test's instance")
                .doesNotContain("Arrays.asList");
    }

    @Test
    void aLocalOfTheHarnessThatIsTheInstanceIsOneLineToo() {
        assertThat(path("local io.heapsampler.junit.Calls.run 7 -> com.acme.ShopTest", INSTANCE))
                .contains(": JUnit, which holds the test's instance")
                .doesNotContain("Calls");
    }

    @Test
    void aStaticFieldOfTheApplicationIsNotHiddenBehindJUnit() {
        assertThat(
                        path(
                                "static com.acme.Ext.last -> org.junit.jupiter.Context",
                                "org.junit.jupiter.Context.instance -> com.acme.ShopTest",
                                INSTANCE))
                .contains(": static field com.acme.Ext.last")
                .doesNotContain("JUnit, which");
    }

    @ParameterizedTest
    @CsvSource({
        "static com.acme.Ext.last -> org.junit.jupiter.Context,"
                + " static field com.acme.Ext.last",
        "com.acme.Ext$$Lambda$1.arg$1 -> org.junit.jupiter.Context,"
                + " captured by a lambda of com.acme.Ext",
        "com.acme.Ext$1.this$0 -> org.junit.jupiter.Context, outer instance of com.acme.Ext$1",
    })
    void noReferenceOfTheApplicationIsHiddenBehindJUnit(String step, String shown) {
        assertThat(
                        path(
                                "local org.junit.platform.Task.execute 7 -> com.acme.Ext",
                                step,
                                "org.junit.jupiter.Context.instance -> com.acme.ShopTest",
                                INSTANCE))
                .contains("     ↓ " + shown + "\n");
    }

    @ParameterizedTest
    @CsvSource({
        "local org.junit.platform.Task.execute 7 -> org.junit.platform.Store,"
            + " org.junit.platform.Store.values -> com.acme.Cache, com.acme.Cache.last -> byte[],"
            + " local of org.junit.platform.Task.execute",
        "local com.acme.Main.main 7 -> com.acme.Main, com.acme.Main.a -> com.acme.B,"
                + " com.acme.B.b -> byte[], local of com.acme.Main.main",
        "thread 7 -> java.lang.Thread, org.junit.platform.Task.a -> org.junit.platform.B,"
                + " org.junit.platform.B.b -> byte[], thread main",
    })
    void otherPathsAreDrawnAsTheyAre(String root, String first, String second, String shown) {
        assertThat(path(root, first, second)).contains(": " + shown).doesNotContain("JUnit, which");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    1 | the JVM would have stopped for more than 500 ms (PAUSE).
                    2 | the search takes longer; -Dheapsampler.holders.millis=10000 allows 10 s (TIME).
                    3 | there is too little memory for the search (MEMORY).
                    4 | an array is too large to follow its elements within a pause (LARGE_ARRAY).
                    5 | they have died since, or their recording was closed (DIED).
                    6 | no strong or soft reference leads to them (ONLY_WEAK).
                    """)
    void whereNothingWasFoundOneLineSaysWhy(int outcome, String why) {
        one().held.unresolved(0, outcome);

        assertThat(HoldersText.draw(shot.heldBy(), 12))
                .isEqualTo("Held by: not known, because " + why);
    }

    @Test
    void whatFailedIsSaid() {
        one().held.failure("the child process gave no answer; search again").unresolved(0, 7);

        assertThat(HoldersText.draw(shot.heldBy(), 12))
                .isEqualTo(
                        "Held by: not known, because there was no way. 100 % of the live bytes have"
                                + " no known holder: the child process gave no answer; search"
                                + " again.");
    }

    @Test
    void whereThereWasNoWayOneLineSaysWhy() {
        one().held.way(0).reason("child: it would share the heap").unresolved(0, 7);

        assertThat(HoldersText.draw(shot.heldBy(), 12))
                .isEqualTo(
                        "Held by: not known, because there was no way. The heap was not walked:"
                                + " child: it would share the heap.");
    }

    @Test
    void thereAreNoMoreLinesThanAllowedAndNoMoreThan4000Characters() {
        List<String> steps = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            steps.add("com.acme." + "A".repeat(200) + i + ".b -> com.acme.B");
        }
        one().held.path(0, "static com.acme.Shop.open -> com.acme.B", steps.toArray(String[]::new));
        HeldBy held = shot.heldBy();

        assertThat(HoldersText.draw(held, 12).lines()).hasSize(12);
        assertThat(HoldersText.draw(held, 60)).hasSize(4_000).endsWith("\n  [cut]");
    }

    @Test
    void nothingIsSaidWhereNoSiteIsShownOrTheHeapIsAnother() {
        HeapSnapshot snapshot = one().snapshot();

        assertThat(HoldersText.of(snapshot, snapshot.sites(), 1)).isEmpty();
        assertThat(HoldersText.of(snapshot, snapshot.sites(), 0)).isEmpty();
    }

    private static final long BY_ANY_WAY = 0;
    private static final long IN_ONE_STOP_OR_SEVERAL = 1 << 1 | 1 << 3;

    /** Returns the lines about one sample, with these answers to the searches. */
    private String searched(List<HeldBlockWriter> answers, List<Long> ways) {
        FakeEngine engine = new FakeEngine();
        engine.block = one().block();
        engine.holders =
                (samples, limits) -> {
                    ways.add(limits[3]);
                    assertThat(limits[0]).isEqualTo(500_000);
                    assertThat(limits[1]).isBetween(500_000L, 2_000_000L);
                    return answers.get(ways.size() - 1).write();
                };
        ProcessSampler sampler = new ProcessSampler(engine);
        sampler.start(null);
        HeapSnapshot snapshot = sampler.snapshot(SnapshotOptions.defaults());
        return HoldersText.of(snapshot, snapshot.sites(), 1);
    }

    private static HeldBlockWriter answer(int way) {
        return new HeldBlockWriter().way(way);
    }

    /** The outcome of a search in a child, and the way of the second search. */
    @ParameterizedTest
    @CsvSource({"2, 1", "3, 1", "7, 3"})
    void aSearchInThisProcessFollowsAChildThatFoundNothing(int outcome, int next) {
        List<Long> ways = new ArrayList<>();
        HeldBlockWriter stop = answer(next).path(0, "static com.acme.Shop.open -> byte[]");

        assertThat(searched(List.of(answer(2).unresolved(0, outcome), stop), ways))
                .contains("static field com.acme.Shop.open");
        assertThat(ways).containsExactly(BY_ANY_WAY, IN_ONE_STOP_OR_SEVERAL);
    }

    /** The way and the outcome of the first search: none, a stop, a child. */
    @ParameterizedTest
    @CsvSource({"1, 1, PAUSE", "1, 3, MEMORY", "3, 2, TIME", "2, 5, DIED", "2, 6, ONLY_WEAK"})
    void noSearchFollowsWhereItWouldFindNoMore(int way, int outcome, String cause) {
        List<Long> ways = new ArrayList<>();

        assertThat(searched(List.of(answer(way).unresolved(0, outcome)), ways))
                .endsWith("(" + cause + ").");
        assertThat(ways).containsExactly(BY_ANY_WAY);
    }

    @Test
    void noSearchFollowsOneThatFoundAHolder() {
        List<Long> ways = new ArrayList<>();
        HeldBlockWriter child = answer(2).path(0, "static com.acme.Shop.open -> byte[]");

        assertThat(searched(List.of(child), ways)).contains("static field com.acme.Shop.open");
        assertThat(ways).containsExactly(BY_ANY_WAY);
    }

    @Test
    void aStopThatIsNotPossibleTakesNoReasonAway() {
        HeldBlockWriter late = answer(2).unresolved(0, 2);
        HeldBlockWriter none = answer(0).reason("one stop: about 900 ms").unresolved(0, 7);

        assertThat(searched(List.of(late, none), new ArrayList<>())).endsWith("(TIME).");
    }
}
