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
 * which writes such a file for each.
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
                    """)
    void whatIsSickIsWarnedOf(String run, String finding, String companions) throws Exception {
        Set<String> warned = warnings(run);

        assertThat(warned).contains(finding);
        warned.remove(finding);
        assertThat(companions == null ? List.of() : List.of(companions.split(" ")))
                .containsAll(warned);
    }

    @ParameterizedTest
    @CsvSource({"21-g1-sessions-healthy", "25-serial-promotion-healthy"})
    void whatIsHealthyIsNot(String run) throws Exception {
        assertThat(warnings(run)).isEmpty();
    }

    private static Set<String> warnings(String run) throws IOException {
        String name = "recorded/" + run + ".timeline";
        try (var in = RecordedTest.class.getResourceAsStream(name)) {
            Timeline timeline =
                    TimelineFile.read(new InputStreamReader(in, StandardCharsets.UTF_8), name);
            Set<String> ids = new TreeSet<>();
            for (Finding finding :
                    Rules.judge(timeline, new SiteHistory(), Slo.DEFAULT).findings()) {
                if (finding.severity() != Severity.INFO) {
                    ids.add(finding.id());
                }
            }
            return ids;
        }
    }
}
