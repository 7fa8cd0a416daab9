// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Made-up outputs and files. */
class JudgeTest {

    private static final Row LEAK = Row.leak("leak", "Leak").site("programs\\.Leak\\.open");
    private static final Row HEALTHY = Row.healthy("healthy", "Healthy");
    private static final String NOTHING = "";

    private static String line(double seconds, String severity, String id) {
        return "%.1f\tWARNING: GC doctor: %s %s: Something is wrong."
                .formatted(seconds, severity, id);
    }

    private static String finding(String id, String severity, String explainedBy, String... sites) {
        String cause = explainedBy.isEmpty() ? "null" : '"' + explainedBy + '"';
        String stacks =
                Stream.of(sites)
                        .map(
                                site ->
                                        "{\"class\": \"byte[]\", \"stack\": [\"java.A.b(A.java:1)\", \"%s\"]}"
                                                .formatted(site))
                        .collect(Collectors.joining(", "));
        return """
        {"id": "%s", "severity": "%s", "explainedBy": %s, "sites": [%s], "callers": []}\
        """
                .formatted(id, severity, cause, stacks);
    }

    private static String file(String... findings) {
        return "{\"findings\": [" + String.join(", ", findings) + "]}";
    }

    private static Judgement judged(Row row, String file, String... lines) {
        return Judge.of(row, List.of(lines), file);
    }

    @Test
    void aFindingWithTheExpectedSiteIsFound() {
        Judgement judgement =
                judged(
                        LEAK,
                        file(
                                finding(
                                        "leak.growth",
                                        "CRITICAL",
                                        "",
                                        "java.X.y(X.java:1)",
                                        "programs.Leak.open(Leak.java:3)")),
                        "3.0\tstarted",
                        line(20.5, "WARNING", "leak.growth"),
                        line(40, "CRITICAL", "leak.growth"));

        assertThat(judgement.verdict()).isEqualTo(Verdict.FOUND_WITH_SITE);
        assertThat(judgement.siteRank()).isEqualTo(2);
        assertThat(judgement.firstSeconds()).isEqualTo(20.5);
        assertThat(judgement.severity()).isEqualTo("CRITICAL");
        assertThat(judgement.others()).isEmpty();
        assertThat(judgement.takenBack()).isEmpty();
    }

    @Test
    void aCallerIsASite() {
        Row row = Row.faulty("gc", "Gc").finding("gc.explicit").site("programs\\.Gc\\.release");
        String file =
                file(
                        finding("gc.explicit", "WARNING", "")
                                .replace(
                                        "\"callers\": []",
                                        "\"callers\": [{\"stack\":"
                                                + " [\"programs.Gc.release(Gc.java:1)\"]}]"));

        assertThat(judged(row, file).verdict()).isEqualTo(Verdict.FOUND_WITH_SITE);
    }

    @Test
    void aSiteBehindTheFirstThreeIsNotNamed() {
        String file =
                file(
                        finding(
                                "leak.growth",
                                "WARNING",
                                "",
                                "a.A.a",
                                "b.B.b",
                                "c.C.c",
                                "programs.Leak.open"));

        assertThat(judged(LEAK, file).verdict()).isEqualTo(Verdict.FOUND_WITHOUT_SITE);
    }

    @Test
    void aFindingInTheFileOnlyIsFoundAndHasNoTime() {
        Judgement judgement =
                judged(LEAK, file(finding("leak.growth", "WARNING", "", "programs.Leak.open")));

        assertThat(judgement.verdict()).isEqualTo(Verdict.FOUND_WITH_SITE);
        assertThat(judgement.firstSeconds()).isNegative();
    }

    @Test
    void aRowWithoutASiteNeedsNone() {
        Row row = Row.faulty("resize", "Resize").finding("heap.resize").infoIsEnough();

        assertThat(judged(row, file(finding("heap.resize", "INFO", ""))).verdict())
                .isEqualTo(Verdict.FOUND);
    }

    @Test
    void informationIsNoWarning() {
        assertThat(judged(LEAK, file(finding("leak.growth", "INFO", ""))).verdict())
                .isEqualTo(Verdict.FOUND_AS_INFO);
    }

    @Test
    void aLoggedFindingThatIsNotInTheFileIsTakenBack() {
        Judgement judgement =
                judged(
                        LEAK,
                        file(finding("old.frequent", "WARNING", "")),
                        line(20, "WARNING", "leak.growth"));

        assertThat(judgement.verdict()).isEqualTo(Verdict.TAKEN_BACK);
        assertThat(judgement.takenBack()).containsExactly("leak.growth");
        assertThat(judgement.others()).isEmpty();
    }

    @Test
    void aLoggedFindingThatIsOnlyInformationInTheFileIsTakenBack() {
        assertThat(
                        judged(
                                        LEAK,
                                        file(finding("leak.growth", "INFO", "")),
                                        line(20, "WARNING", "leak.growth"))
                                .verdict())
                .isEqualTo(Verdict.TAKEN_BACK);
    }

    @Test
    void aConsequenceInTheFileIsNotTakenBack() {
        Judgement judgement =
                judged(
                        LEAK,
                        file(
                                finding("leak.growth", "WARNING", "", "programs.Leak.open"),
                                finding("heap.resize", "INFO", "leak.growth")),
                        line(10, "WARNING", "heap.resize"));

        assertThat(judgement.takenBack()).isEmpty();
        assertThat(judgement.others()).isEmpty();
    }

    @Test
    void anotherWarningInsteadIsAnotherFinding() {
        assertThat(
                        judged(
                                        LEAK,
                                        file(finding("old.frequent", "WARNING", "")),
                                        line(20, "WARNING", "old.frequent"))
                                .verdict())
                .isEqualTo(Verdict.OTHER_FINDING);
    }

    @Test
    void aConsequenceOfAWrongFindingIsAnotherFinding() {
        Row row =
                Row.faulty("tight", "Tight")
                        .finding("old.frequent")
                        .tolerating("gc.evacuation-failure")
                        .site("programs\\.Tight");

        assertThat(
                        judged(
                                        row,
                                        file(
                                                finding("leak.growth", "WARNING", ""),
                                                finding(
                                                        "old.frequent",
                                                        "INFO",
                                                        "leak.growth",
                                                        "programs.Tight.put")))
                                .verdict())
                .isEqualTo(Verdict.OTHER_FINDING);
        assertThat(
                        judged(
                                        row,
                                        file(
                                                finding("gc.evacuation-failure", "WARNING", ""),
                                                finding(
                                                        "old.frequent",
                                                        "INFO",
                                                        "gc.evacuation-failure",
                                                        "programs.Tight.put")))
                                .verdict())
                .isEqualTo(Verdict.FOUND_WITH_SITE);
    }

    @Test
    void anotherWarningBesidesIsReported() {
        Judgement judgement =
                judged(
                        LEAK,
                        file(
                                finding("leak.growth", "WARNING", "", "programs.Leak.open"),
                                finding("pause.long", "WARNING", ""),
                                finding("native.unaccounted", "WARNING", "")));

        assertThat(judgement.verdict()).isEqualTo(Verdict.FOUND_WITH_SITE);
        assertThat(judgement.others()).containsExactly("native.unaccounted");
    }

    @Test
    void anExplainedWarningIsNoOtherWarning() {
        Judgement judgement =
                judged(
                        LEAK,
                        file(
                                finding("leak.growth", "WARNING", "", "programs.Leak.open"),
                                finding("heap.resize", "WARNING", "leak.growth")));

        assertThat(judgement.others()).isEmpty();
    }

    @Test
    void withoutAnyWarningALeakIsMissed() {
        assertThat(judged(LEAK, file(finding("heap.resize", "INFO", ""))).verdict())
                .isEqualTo(Verdict.MISSED);
        assertThat(judged(LEAK, NOTHING).verdict()).isEqualTo(Verdict.MISSED);
    }

    @Test
    void withoutAFileALoggedFindingIsTakenBack() {
        assertThat(judged(LEAK, NOTHING, line(20, "WARNING", "leak.growth")).verdict())
                .isEqualTo(Verdict.TAKEN_BACK);
    }

    @Test
    void informationAboutAHealthyProgramIsSilence() {
        assertThat(judged(HEALTHY, file(finding("class.churn", "INFO", ""))).verdict())
                .isEqualTo(Verdict.SILENT);
    }

    @Test
    void aWarningAboutAHealthyProgramIsFalseEvenIfTakenBack() {
        Judgement judgement = judged(HEALTHY, file(), line(33.3, "WARNING", "pause.long"));

        assertThat(judgement.verdict()).isEqualTo(Verdict.FALSE_WARNING);
        assertThat(judgement.firstSeconds()).isEqualTo(33.3);
        assertThat(judgement.others()).containsExactly("pause.long");
        assertThat(judged(HEALTHY, file(finding("pause.long", "WARNING", ""))).verdict())
                .isEqualTo(Verdict.FALSE_WARNING);
    }

    @Test
    void aResultSurvivesItsLine() {
        Cell cell = new Cell(17, "g1", LEAK);
        Judgement judgement =
                judged(LEAK, file(finding("leak.growth", "WARNING", "", "programs.Leak.open")));
        Result result = Result.of(cell, "loaded", judgement, "1 of 2");

        assertThat(Result.of(result.line())).isEqualTo(result);
        assertThat(result.isRight()).isTrue();
    }

    @Test
    void theReportCountsByKindAndLoadAndListsWhatIsWrong() {
        Cell cell = new Cell(17, "g1", LEAK);
        Judgement found =
                judged(LEAK, file(finding("leak.growth", "WARNING", "", "programs.Leak.open")));
        Judgement missed = judged(LEAK, NOTHING);

        String report =
                Report.ofResults(
                        List.of(
                                Result.of(cell, "quiet", found, "-"),
                                Result.of(cell, "loaded", missed, "-")));

        assertThat(report)
                .contains("| leaks, runs | 1 | 1 |")
                .contains("| – found-with-site | 1 | 0 |")
                .contains("| – missed | 0 | 1 |")
                .contains("| `17-g1-leak` | loaded | leak.growth | missed |")
                .doesNotContain("| quiet | leak.growth");
    }

    @Test
    void everyRowOfTheTableIsWhole() {
        assertThat(Table.rows())
                .allSatisfy(
                        row -> {
                            assertThat(row.cells()).as(row.name()).isNotEmpty();
                            assertThat(row.expected().isEmpty())
                                    .as(row.name())
                                    .isEqualTo(row.kind() == Kind.HEALTHY);
                            assertThat(Class.forName("programs." + row.main())).isNotNull();
                            assertThat(Cell.of(row))
                                    .allSatisfy(
                                            cell -> assertThat(cell.collectorFlags()).isNotEmpty());
                        })
                .extracting(Row::name)
                .doesNotHaveDuplicates();
    }
}
