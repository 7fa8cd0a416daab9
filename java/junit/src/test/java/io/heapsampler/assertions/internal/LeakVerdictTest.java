// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heapsampler.Blocks;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.assertions.ThreadScope;
import io.heapsampler.internal.BlockWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Phaser;
import org.junit.jupiter.api.Test;
import org.opentest4j.AssertionFailedError;

/** The whole verdict of a trial for leaks. */
class LeakVerdictTest {

    private static final int ITERATIONS = 5;

    /** A class of the JDK that nothing else uses: the JVM counts all that there are. */
    private static final String COUNTED = Phaser.class.getName();

    private static final Measured ALL_SEEN = Measured.exact(0, "", null);
    private static final Measured SOME_SEEN =
            ALL_SEEN.widened(0, Double.POSITIVE_INFINITY, Drops.CUT, Drops.CUT_HELP);

    private static final String CUT =
            "stacks are cut or missing, so that some allocations may count or not";
    private static final String CUT_HELP =
            " Start the sampler before with a greater maxDepth, or a greater maxStacks, maxNames"
                    + " and maxSites: HeapSnapshot.dropped() says which.";

    private final Map<String, int[]> live = new LinkedHashMap<>();
    private final List<Phaser> counted = new ArrayList<>();
    private int[] ofCounted = {};

    /** The objects of a class that are alive after each of the six runs of the proof. */
    private void site(String className, int... objects) {
        live.put(className, objects);
    }

    private HeapSnapshot look(int ofProof) {
        BlockWriter writer = new BlockWriter();
        int called = writer.frame(Subject.class.getName(), "run", 1);
        int harness = writer.frame(LeakTrial.class.getName(), "run", 1);
        live.forEach(
                (name, objects) -> {
                    int line = 10 + new ArrayList<>(live.keySet()).indexOf(name);
                    int own = writer.frame("com.acme.ItemMap", "put", line);
                    int count = ofProof < 0 ? 0 : objects[ofProof];
                    int site =
                            writer.site(
                                    writer.stack(false, own, called, harness),
                                    name,
                                    count,
                                    count,
                                    24 * count);
                    for (int i = 0; i < count; i++) {
                        writer.living(site, 0, 24, i, 0, 0, 1, 1);
                    }
                });
        writer.thread(1, "main");
        return Blocks.decode(writer.write());
    }

    private Verdict verdict(Scope scope, long perSite, Measured unseen) throws Exception {
        LeakRule rule = new LeakRule("@NoLeaks", scope, ITERATIONS, 3, perSite, Allowances.NONE);
        LeakLooks looks = new LeakLooks(scope, OwnCode.DEFAULT, rule.looks());
        ClassCounts counts = new ClassCounts(rule.looks());
        looks.add(look(-1), 3);
        looks.add(look(0), 3 + ITERATIONS);
        HeapSnapshot last = look(0);
        for (int i = 0; i < rule.proofRuns(); i++) {
            last = look(i);
            looks.add(last, 4 + ITERATIONS + i);
            if (ofCounted.length > 0) {
                count(counts, i);
            }
        }
        LeakFindings findings =
                new LeakFindings(rule, new LeakJudge(rule, looks), looks, counts, true);
        return new LeakVerdict(rule, Settings.DEFAULT, findings, last)
                .of("CartTest.adds()", 4 + ITERATIONS + rule.proofRuns() - 1, unseen);
    }

    private void count(ClassCounts counts, int ofProof) {
        while (counted.size() < ofCounted[ofProof]) {
            counted.add(new Phaser());
        }
        counts.after();
        counts.mark(LeakJudge.PROOF + ofProof);
    }

    private static Scope in(ThreadScope threads) {
        return new Scope(threads, List.of(COUNTED), List.of(), List.of(), List.of());
    }

    @Test
    void leaksBesideSitesThatAreNone() throws Exception {
        site("com.acme.ItemMap$Node", 1, 2, 3, 4, 5, 6);
        site("com.acme.Item", 1, 3, 5, 7, 9, 11);
        site("com.acme.Name", 1, 1, 2, 2, 2, 2);
        site("com.acme.Log", 1, 1, 1, 1, 1, 1);

        Verdict verdict = verdict(Scope.TEST, 0, ALL_SEEN);

        assertThat(verdict.summary())
                .isEqualTo("CartTest.adds() leaks: 2 sites keep growing, by 360 bytes in 5 runs.");
        assertThat(verdict.error())
                .hasMessage(
                        """
                        CartTest.adds() leaks: 2 sites keep growing, by 360 bytes in 5 runs.
                          1. com.acme.ItemMap$Node: +1 object (24 bytes) in each of 5 runs
                                at com.acme.ItemMap.put(Source.java:10)
                          2. com.acme.Item: +2 objects (48 bytes) in each of 5 runs
                                at com.acme.ItemMap.put(Source.java:11)
                        Not counted as leaks: 1 site that grew too seldom to tell, 1 site that grew for a while only.
                        What helps: find what holds the objects of the first site: a static field, a field of the test, a listener, a thread-local. A cache that is still filling up: fill it before, or raise warmup. What is meant to grow: @AllowedLeak, or a higher perSite.\
                        """)
                .isInstanceOfSatisfying(
                        AssertionFailedError.class,
                        error -> {
                            assertThat(error.getExpected().getValue())
                                    .isEqualTo("no site that grows with each run");
                            assertThat(error.getActual().getValue()).isEqualTo("2 sites");
                        });
    }

    @Test
    void moreLeaksThanAreShown() throws Exception {
        for (int i = 0; i < Settings.DEFAULT.sites() + 2; i++) {
            site("com.acme.Item" + i, 1, 3, 5, 7, 9, 11);
        }

        Throwable error = verdict(Scope.TEST, 47, ALL_SEEN).error();

        assertThat(error).hasMessageContaining("\n  ... and 2 more\nWhat helps: find");
        assertThat(((AssertionFailedError) error).getExpected().getValue())
                .isEqualTo("no site that grows by more than 47 bytes with each run");
    }

    @Test
    void sitesThatGrewTooSeldom() {
        site("com.acme.Item", 1, 1, 2, 2, 2, 3);
        assertThatThrownBy(() -> verdict(Scope.TEST, 0, ALL_SEEN))
                .isInstanceOf(NotMeasuredException.class)
                .hasMessage(
                        "1 site grew, and it is open whether that goes on: com.acme.Item (+2"
                                + " objects (48 bytes) in 5 runs, more in 2 of them) at"
                                + " com.acme.ItemMap.put(Source.java:10). Make a run faster, so"
                                + " that there is time for more of them, or let it do more. Fill"
                                + " caches before the test, or raise warmup. Allow intended growth"
                                + " with @AllowedLeak.");

        for (int i = 0; i < 4; i++) {
            site("com.acme.Item" + i, 1, 1, 1, 1, 1, 2);
        }
        assertThatThrownBy(() -> verdict(Scope.TEST, 0, ALL_SEEN))
                .hasMessageStartingWith("5 sites grew, and it is open whether that goes on: ")
                .hasMessageContaining("(Source.java:12); and 2 more. Make a run faster");
    }

    @Test
    void nothingThatGrowsOn() throws Exception {
        site("com.acme.Item", 2, 2, 2, 2, 2, 2);

        assertThat(verdict(Scope.TEST, 0, ALL_SEEN).summary())
                .isEqualTo("no leak in 14 runs: 1 site that grew for a while only");
    }

    @Test
    void growthWithinPerSiteIsNoted() throws Exception {
        site("com.acme.Item", 1, 2, 3, 4, 5, 6);

        Verdict verdict = verdict(Scope.TEST, 1_000, ALL_SEEN);

        assertThat(verdict.summary()).isEqualTo("no leak in 14 runs");
        assertThat(verdict.note()).isEqualTo("1 site within perSite");
    }

    @Test
    void countsOfClassesInPlaceOfSites() throws Exception {
        assertThat(verdict(in(ThreadScope.TEST), 0, SOME_SEEN).summary())
                .isEqualTo("no leak in 14 runs; by the JVM's counts of each class, because " + CUT);
    }

    @Test
    void classThatGrowsMayBeALeak() {
        ofCounted = new int[] {1, 2, 3, 4, 5, 6};

        assertThatThrownBy(() -> verdict(in(ThreadScope.TEST), 0, SOME_SEEN))
                .isInstanceOf(NotMeasuredException.class)
                .extracting(e -> withoutSizes(e.getMessage()))
                .isEqualTo(
                        "A leak may have gone unseen: "
                                + CUT
                                + "; and the JVM has more and more of "
                                + COUNTED
                                + " (+1 object (<n> bytes) in each of 5 runs)."
                                + CUT_HELP);
    }

    @Test
    void classThatGrowsInAllThreadsIsALeak() throws Exception {
        ofCounted = new int[] {1, 2, 3, 4, 5, 6};

        Throwable error = verdict(in(ThreadScope.ALL), 0, SOME_SEEN).error();

        assertThat(withoutSizes(error.getMessage()))
                .isEqualTo(
                        """
                        CartTest.adds() leaks: 1 class keeps growing, by <n> bytes in 5 runs.
                          1. java.util.concurrent.Phaser: +1 object (<n> bytes) in each of 5 runs
                             allocated by a thread that is older than the recording
                        What helps: start these threads in the measured code, or call HeapSampler.start() before they start: then their stacks are known.\
                        """);
        assertThat(((AssertionFailedError) error).getExpected().getValue())
                .isEqualTo("no class that grows with each run");
    }

    @Test
    void trialWithoutRuns() {
        LeakRule rule = new LeakRule("@NoLeaks", Scope.TEST, ITERATIONS, 3, 0, Allowances.NONE);
        try (LeakTrial trial = new LeakTrial(rule, Settings.DEFAULT)) {
            assertThatThrownBy(() -> trial.verdict("CartTest.adds()"))
                    .isInstanceOf(NotMeasuredException.class)
                    .hasMessage("There were too few runs.");
        }
    }

    /** The size of an object depends on the JVM. */
    private static String withoutSizes(String text) {
        return text.replaceAll("[\\d,]+ bytes", "<n> bytes");
    }
}
