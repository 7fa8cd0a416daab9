// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Timelines as JVMs have made them, judged again: runs of the programs of {@code tests/doctor},
 * which writes such a file for each. A file keeps no sites, so that what only they tell is not
 * here.
 */
class RecordedTest {

    /** Columns: run, what must be warned of, what may be. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    17-serial-promotion         | promotion.premature |
                    17-g1-explicit              | gc.explicit         |
                    17-g1-references            | pause.long          |
                    17-parallel-leak            | leak.growth         | pause.long old.frequent
                    17-shenandoah-degenerated   | gc.degenerated      | pause.long old.frequent
                    21-zgc-generational-old-concurrent | old.frequent | gc.stall
                    21-parallel-direct          | direct.leak         |
                    25-serial-old               | old.frequent        | pause.long
                    25-g1-humongous             | gc.humongous        | gc.evacuation-failure gc.degenerated old.frequent
                    17-serial-resize            | heap.resize         | pause.long
                    17-serial-loaders           | metaspace.leak      |
                    17-serial-jni               | jni.critical        |
                    17-g1-dropped-in-vain       | direct.pressure     |
                    17-parallel-native          | native.unaccounted  |
                    17-zgc-stall                | gc.stall            | old.frequent
                    25-g1-evacuation            | gc.evacuation-failure | gc.degenerated old.frequent pause.long
                    17-parallel-hibernate-session-fixed | leak.growth |
                    """)
    void whatIsSickIsWarnedOf(String run, String finding, String companions) throws Exception {
        Set<String> warned = warnings(run);

        assertThat(warned).contains(finding);
        warned.remove(finding);
        assertThat(companions == null ? List.of() : List.of(companions.split(" ")))
                .containsAll(warned);
    }

    /** Columns: the run, and the finding that must be reported as information. */
    @ParameterizedTest
    @CsvSource({
        "25-g1-resize, heap.resize",
        "21-g1-churn, class.churn",
        "25-serial-dropped, direct.pressure",
        "17-g1-jni-healthy, jni.critical",
        "17-g1-janino-keep, metaspace.leak"
    })
    void harmlessProblemsAreReportedAsInformation(String run, String finding) throws Exception {
        assertThat(judged(run).finding(finding))
                .get()
                .extracting(Finding::severity)
                .isEqualTo(Severity.INFO);
    }

    @ParameterizedTest
    @CsvSource({
        "17-shenandoah-sessions-healthy",
        "21-g1-sessions-healthy",
        "25-serial-promotion-healthy",
        "17-g1-jni-healthy",
        "21-parallel-resize-healthy",
        "21-serial-live-set-healthy",
        "17-serial-metaspace",
        "17-g1-metaspace",
        "21-serial-metaspace-healthy",
        "25-g1-humongous-healthy",
        "25-g1-native-healthy"
    })
    void whatIsHealthyIsNot(String run) throws Exception {
        assertThat(warnings(run)).isEmpty();
    }

    /** Columns: a run, and what must be warned of at some time. */
    @ParameterizedTest
    @CsvSource({
        "17-parallel-caffeine-old, old.frequent",
        "17-g1-softimages, gc.humongous",
        "25-g1-bytebuddy-proxies, metaspace.leak"
    })
    void noLeakIsWarnedOfAtAnyTime(String run, String finding) throws Exception {
        Timeline all = timeline(run);
        Set<String> warned = new TreeSet<>();
        for (int i = 1; i < all.ticks().size(); i++) {
            warned.addAll(warnings(judged(until(all, i))));
        }

        assertThat(warned).contains(finding).doesNotContain("leak.growth");
    }

    /** A timeline as it was at one of its ticks. */
    private static Timeline until(Timeline all, int tick) {
        long at = all.ticks().get(tick).atMillis();
        return new Timeline(
                all.settings(),
                all.ticks().subList(0, tick + 1),
                all.collections().stream().filter(c -> c.endMillis() <= at).toList(),
                all.events().stream().filter(event -> event.atMillis() <= at).toList());
    }

    private static Set<String> warnings(String run) throws IOException {
        return warnings(judged(run));
    }

    private static Set<String> warnings(Diagnosis judged) {
        Set<String> ids = new TreeSet<>();
        for (Finding finding : judged.findings()) {
            if (finding.severity() != Severity.INFO) {
                ids.add(finding.id());
            }
        }
        return ids;
    }

    private static Diagnosis judged(String run) throws IOException {
        return judged(timeline(run));
    }

    private static Diagnosis judged(Timeline timeline) {
        return Rules.judge(timeline, new SiteBook(), Slo.DEFAULT);
    }

    private static Timeline timeline(String run) throws IOException {
        String name = "recorded/" + run + ".timeline";
        try (var in = RecordedTest.class.getResourceAsStream(name)) {
            return TimelineFile.read(new InputStreamReader(in, StandardCharsets.UTF_8), name);
        }
    }
}
