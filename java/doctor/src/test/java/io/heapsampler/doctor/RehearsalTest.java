// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RehearsalTest {

    private static final Pattern EMPTY_PLACE = Pattern.compile("^$|^ | $|  |[{}]| [.,;:]|\\( ");

    private static JvmSettings limited() {
        Story story = Story.serial();
        story.maxMetaspace = 64 * Story.MB;
        return story.timeline().settings();
    }

    /** A rehearsal in which nothing is wrong would load nothing. */
    @Test
    void metaspaceLeaksInWhatIsRehearsed() {
        Timeline sick = Rehearsal.sick(limited());
        Diagnosis judged = Rules.judge(sick, new SiteBook(), Slo.DEFAULT);

        assertThat(Story.severity(judged, "metaspace.leak")).isEqualTo(Severity.CRITICAL);
    }

    private static void assertWhole(Diagnosis judged) {
        List<String> texts = new ArrayList<>();
        for (Finding finding : judged.findings()) {
            texts.add(finding.title());
            finding.evidence().forEach(each -> texts.add(each.text()));
            texts.addAll(finding.refuters());
            if (finding.advice() != null) {
                texts.add(finding.advice().text());
            }
        }
        judged.checks().forEach(check -> texts.add(check.why()));
        assertThat(texts).noneMatch(EMPTY_PLACE.asPredicate());
    }

    /** A place for which there is no fact stays empty. */
    @ParameterizedTest
    @ValueSource(strings = {"SERIAL", "PARALLEL", "G1", "Z", "Z_GENERATIONAL", "SHENANDOAH"})
    void noSentenceAboutARecordedJvmHasAnEmptyPlace(String collector) throws Exception {
        for (String file : recorded(collector)) {
            Timeline timeline = TimelineFile.read(Path.of(file));
            assertWhole(Rules.judge(timeline, new SiteBook(), Slo.DEFAULT));
        }
    }

    @Test
    void whatWasSeenIsWrittenToo() {
        Timeline healthy =
                Samples.timeline(Samples.ticks(0, 60_000), List.of(Samples.pause(1_000, 5)));
        Diagnosis real = Rules.judge(healthy, new SiteBook(), Slo.DEFAULT);

        assertThat(Rehearsal.run(limited(), new SiteBook(), real)).isGreaterThan(5_000);
    }

    /** What a leak of class loaders needs, as far as it was recorded. */
    @Test
    void afterwardsNothingIsLoaded() throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xint"); // A compiler loads the classes in signatures, at any time.
        command.add("-Xlog:class+load:stdout");
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(RehearsedMain.class.getName());
        URL loaders = Story.class.getResource("recorded/17-serial-loaders.timeline");
        command.add(Path.of(loaders.toURI()).toString());
        Process jvm = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(jvm.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(jvm.waitFor()).as(output).isZero();
        int begin = output.indexOf(RehearsedMain.REHEARSED);
        assertThat(output.substring(begin, output.indexOf(RehearsedMain.DONE)).lines())
                .filteredOn(line -> line.contains("source:"))
                .isEmpty();
    }

    private static List<String> recorded(String collector) throws Exception {
        URL folder = Story.class.getResource("recorded");
        try (Stream<Path> files = Files.list(Path.of(Objects.requireNonNull(folder).toURI()))) {
            List<String> found = new ArrayList<>();
            for (Path file : files.sorted().toList()) {
                if (TimelineFile.read(file).settings().collector().name().equals(collector)) {
                    found.add(file.toString());
                }
            }
            assertThat(found).isNotEmpty();
            return found;
        }
    }
}
