// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.Story.MB;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaValidatorsConfig;
import com.networknt.schema.SpecVersion;
import io.heapsampler.Estimate;
import io.heapsampler.internal.shared.PrintableText;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A diagnosis as text and JSON. The page drawn from the JSON is tested in java/export. */
class FormatsTest {

    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final String HOSTILE =
            "</style><script>alert('1')</script>&\"\u2028\u0001\u001b[2J\nCRITICAL forged";

    private static final String CALLER = "shop." + HOSTILE + ".cleanUp:12";

    private static Story healthy() {
        return Story.g1().seconds(10, MB).young(3, 0).seconds(10, MB);
    }

    private static Story sick() {
        Story story = Story.serial();
        for (int round = 0; round < 4; round++) {
            for (int i = 0; i < 10; i++) {
                story.second(12 * MB).young(20, 11 * MB, HOSTILE);
            }
            story.full(100, 10 * MB, "Allocation Failure");
        }
        return story.second(0);
    }

    private static SiteBook hostileSites(Story story) {
        SiteBook history = new SiteBook();
        long last = story.timeline().collections().get(43).atMillis();
        Shot shot = new Shot(1_000_000, story.now);
        double[] lifetimes = new double[48];
        lifetimes[1] = 50;
        lifetimes[32] = 50;
        int site = shot.site(HOSTILE, "fill" + HOSTILE, 480.0 * MB, 50, lifetimes);
        shot.dead(site, 30, MB, last - 3000, 1, last - 100, last + 50);
        history.add(shot.take(), story.timeline(), 0);
        return history;
    }

    private static Diagnosis explicit() {
        Story story = Story.g1();
        for (int i = 0; i < 20; i++) {
            story.second(MB).event("SystemGC", 0, Map.of(), "java.lang.System.gc:0", CALLER);
            story.full(30, 10 * MB, "System.gc()");
        }
        return story.seconds(4, MB).judged();
    }

    static Stream<Diagnosis> diagnoses() {
        Story sick = sick();
        return Stream.of(
                healthy().judged(),
                explicit(),
                sick.judged(new Slo(80, 0.999, false)),
                Rules.judge(sick.timeline(), hostileSites(sick), Slo.DEFAULT),
                Rules.judge(
                        new Timeline(sick.timeline().settings(), List.of(), List.of(), List.of()),
                        new SiteBook(),
                        Slo.DEFAULT));
    }

    /** A reader of the schema must find every entry in it, although more are allowed later. */
    private static void forbidOthers(JsonNode node) {
        if (node.has("properties")) {
            ((ObjectNode) node).put("additionalProperties", false);
        }
        node.forEach(FormatsTest::forbidOthers);
    }

    @ParameterizedTest
    @MethodSource("diagnoses")
    void jsonFollowsItsSchema(Diagnosis diagnosis) throws IOException {
        try (InputStream in = GcDoctor.class.getResourceAsStream("doctor.schema.json")) {
            JsonNode schema = MAPPER.readTree(in);
            forbidOthers(schema);
            SchemaValidatorsConfig config =
                    SchemaValidatorsConfig.builder().formatAssertionsEnabled(true).build();
            JsonNode document = MAPPER.readTree(JsonReport.of(diagnosis));

            assertThat(
                            JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
                                    .getSchema(schema, config)
                                    .validate(document))
                    .isEmpty();
            assertThat(document.path("findings")).hasSize(diagnosis.findings().size());
            assertThat(document.path("checks")).hasSize(diagnosis.checks().size());
        }
    }

    @Test
    void jsonContainsFindingsAndRulesThatDidNotFire() throws IOException {
        Story sick = sick();
        Diagnosis diagnosis = Rules.judge(sick.timeline(), hostileSites(sick), Slo.DEFAULT);
        String text = JsonReport.of(diagnosis);
        JsonNode finding = MAPPER.readTree(text).path("findings").path(0);

        assertThat(text).doesNotContain("<", ">", "\u2028", "\u0001");
        assertThat(finding.path("id").asText()).isEqualTo("promotion.premature");
        assertThat(finding.path("severity").asText()).isEqualTo("WARNING");
        assertThat(finding.path("sites").path(0).path("class").asText()).isEqualTo(HOSTILE);
        assertThat(finding.path("notFired")).isNotEmpty();
        assertThat(finding.path("refuters")).isNotEmpty();
        assertThat(finding.path("advice").path("kind").asText()).isEqualTo("CODE");
    }

    @Test
    void eachFormatContainsTheCallers() throws IOException {
        Diagnosis diagnosis = explicit();
        JsonNode caller = MAPPER.readTree(JsonReport.of(diagnosis)).at("/findings/0/callers/0");

        assertThat(caller.path("call").asText()).isEqualTo("System.gc()");
        assertThat(caller.path("count").asInt()).isEqualTo(20);
        assertThat(caller.path("stack").path(0).asText()).isEqualTo(CALLER);
        assertThat(TextReport.of(diagnosis))
                .contains("\n\nSystem.gc() was called 20 times\n  at " + PrintableText.of(CALLER))
                .contains(
                        "  caller: System.gc(), 20 times\n      at "
                                + PrintableText.of(CALLER)
                                + "\n");
    }

    @ParameterizedTest
    @MethodSource("diagnoses")
    void noFindingHasANumberThatNothingMeasured(Diagnosis diagnosis) {
        assertThat(TextReport.of(diagnosis)).doesNotContain("confidence");
        assertThat(JsonReport.of(diagnosis)).doesNotContain("confidence");
    }

    @ParameterizedTest
    @MethodSource("diagnoses")
    void aFindingThatNamesSitesStatesTheShareThatTheyExplain(Diagnosis diagnosis) {
        assertThat(diagnosis.findings())
                .filteredOn(finding -> !finding.sites().isEmpty())
                .allMatch(
                        finding ->
                                finding.evidence().stream()
                                        .anyMatch(e -> e.name().equals("sites.explained")));
    }

    @Test
    void plotsHaveSeriesOfOneLength() throws IOException {
        Diagnosis diagnosis = sick().judged();
        JsonNode timeline = MAPPER.readTree(JsonReport.of(diagnosis)).path("timeline");
        JsonNode series = timeline.path("series");

        assertThat(series).hasSize(12).allMatch(each -> each.size() == 42);
        assertThat(sum(series.path("oldCollections"))).isEqualTo(4);
        assertThat(series.path("oldPauseMillis")).anyMatch(each -> each.asDouble() == 100);
        assertThat(series.path("pauseMillis")).anyMatch(each -> each.asDouble() == 20);
        assertThat(series.path("allocationRate").path(0).isNull()).isTrue();
        assertThat(series.path("allocationRate").path(1).asDouble()).isPositive();
    }

    private static double sum(JsonNode numbers) {
        double sum = 0;
        for (JsonNode each : numbers) {
            sum += each.asDouble();
        }
        return sum;
    }

    /** A day has more ticks than a plot has points. */
    @Test
    void seriesAreBounded() throws IOException {
        Story story = healthy();
        story.seconds(3_000, MB);
        String json = JsonReport.of(story.judged());

        assertThat(MAPPER.readTree(json).at("/timeline/series"))
                .allMatch(each -> each.size() == 240);
        assertThat(json.length()).isLessThan(64 * 1024);
    }

    @Test
    void aTimelineOfNothingHasNoPoints() throws IOException {
        Timeline empty =
                new Timeline(healthy().timeline().settings(), List.of(), List.of(), List.of());
        String json = JsonReport.of(Rules.judge(empty, new SiteBook(), Slo.DEFAULT));

        assertThat(MAPPER.readTree(json).at("/timeline/series")).allMatch(JsonNode::isEmpty);
    }

    /** Neither can a name forge a line, nor steer the terminal that the text is printed on. */
    @ParameterizedTest
    @MethodSource("diagnoses")
    void textHasOnlyLinesOfItsOwn(Diagnosis diagnosis) {
        String text = TextReport.of(diagnosis);
        assertThat(text.lines()).noneMatch(line -> line.startsWith("CRITICAL forged"));
        assertThat(text.codePoints().filter(c -> c != '\n')).noneMatch(Character::isISOControl);
    }

    @Test
    void textContainsAllThatMatters() {
        Story sick = sick();
        Diagnosis diagnosis = Rules.judge(sick.timeline(), hostileSites(sick), Slo.DEFAULT);

        assertThat(TextReport.of(diagnosis))
                .startsWith("GC doctor: 1 warning, Serial, JDK 17, heap up to 256 MiB\n")
                .contains(
                        "Objectives (defaults, none are configured)",
                        "WARNING promotion.premature: Objects are promoted and die soon after:"
                                + " 440 MiB in 42 s",
                        "  site: ",
                        "promoted, then dead 30 MiB (30 samples)",
                        "  ruled out: leak.growth. ",
                        "  wrong if: Promoted objects stay",
                        "  try (code): Let what ",
                        "Looked for and not found\n",
                        "Cannot be seen here\n");
        assertThat(TextReport.of(healthy().judged())).startsWith("GC doctor: no warnings");
    }

    /** No rule fires on pauses of young collections alone; they cost half of the time here. */
    @Test
    void aMissedObjectiveIsReportedIfNoFindingExplainsIt() {
        Story story = Story.serial();
        story.maxHeap = 4096 * MB;
        for (int i = 0; i < 60; i++) {
            story.second(10 * MB).young(150, 0);
        }
        Diagnosis diagnosis = story.second(0).judged();

        assertThat(diagnosis.hasWarnings()).isFalse();
        assertThat(diagnosis.slo().isMet()).isFalse();
        assertThat(TextReport.of(diagnosis))
                .startsWith(
                        "GC doctor: an objective is missed, and no warning explains it, Serial,");
        assertThat(JsonReport.of(diagnosis))
                .contains("\"verdict\":\"an objective is missed, and no warning explains it\"");
    }

    @Test
    void figuresReadWell() {
        assertThat(Text.bytes(1536L)).isEqualTo("1.5 KiB");
        assertThat(Text.bytes(65.0 * MB)).isEqualTo("65 MiB");
        assertThat(Text.millis(0.4)).isEqualTo("0.4 ms");
        assertThat(Text.millis(1800.0)).isEqualTo("1.8 s");
        assertThat(Text.span(420_000L)).isEqualTo("7 min");
        assertThat(Text.share(0.0004)).isEqualTo("0.04 %");
        assertThat(Text.share(0.46)).isEqualTo("46 %");
        assertThat(Text.share(0.00996)).isEqualTo("1 %");
        assertThat(Text.share(0.00000123)).isEqualTo("0.00012 %");
        assertThat(Text.number(1_234_567.8)).isEqualTo("1,234,568");
        assertThat(Text.number(-0.25)).isEqualTo("-0.3");
        assertThat(Text.number(9.96)).isEqualTo("10");
        assertThat(Text.number(1 / 0.0)).isEqualTo("Infinity");
        assertThat(Text.count(1, "pause", "pauses")).isEqualTo("1 pause");
        assertThat(Text.count(3090, "pause", "pauses")).isEqualTo("3,090 pauses");
        assertThat(
                        TextReport.estimate(
                                new SiteEvidence(
                                        "a",
                                        List.of(),
                                        "m",
                                        Estimate.of(3e6, 9e12, 0, 1),
                                        "bytes")))
                .isEqualTo("2.9 MiB (too few samples: 1)");
    }
}
