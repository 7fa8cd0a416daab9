// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.Story.MB;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.GarbageCollector;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What all findings advise: one change, and what kind of change it is. */
class AdviceTest {

    private static final Pattern FLAG = Pattern.compile("-XX:[+-]?\\w+");

    /** The same, a second apart, as often as it takes for any rule. */
    private static Story rounds(Story story, Consumer<Story> round) {
        for (int i = 0; i < 16; i++) {
            round.accept(story);
            story.second(MB);
        }
        return story;
    }

    private static Story full(Story story, String cause) {
        return rounds(story, it -> it.full(20, 10 * MB, cause));
    }

    private static Story events(GarbageCollector collector, String type) {
        return rounds(new Story(collector, 17), it -> it.event(type, 200, Map.of()));
    }

    private static Story direct(Story story) {
        story.maxDirect = 64 * MB;
        story.direct = 40 * MB;
        return story;
    }

    private static Story humongous(long region) {
        Story story = Story.g1();
        story.regionSize = region;
        return rounds(story, it -> it.young(2, 0, "G1 Humongous Allocation"));
    }

    private static Story classes(long metaspace, long unloaded) {
        return rounds(
                Story.g1(),
                it -> {
                    it.metaspace += metaspace;
                    it.loaded += 1000;
                    it.unloaded += unloaded;
                    it.full(20, 10 * MB, "Metadata GC Threshold");
                });
    }

    private static Story growing() {
        Story story = Story.g1().seconds(12, MB);
        for (int i = 0; i < 40; i++) {
            story.resident += 3 * MB;
            story.second(MB);
        }
        return story;
    }

    private static Story enlarged() {
        Story story = Story.g1();
        story.initialHeap = 8 * MB;
        story.committed = 8 * MB;
        return rounds(
                story,
                it -> {
                    it.committed += MB;
                    it.young(2, 0);
                });
    }

    private static Story stuck() {
        Story story = direct(Story.g1()).flag("DisableExplicitGC", "true");
        story.direct = 62 * MB;
        return story.seconds(5, MB);
    }

    private static List<Finding> recorded(String run) {
        String name = "/io/heapsampler/doctor/recorded/" + run + ".timeline";
        try (Reader in =
                new InputStreamReader(
                        AdviceTest.class.getResourceAsStream(name), StandardCharsets.UTF_8)) {
            return Rules.judge(TimelineFile.read(in, name), new SiteBook(), Slo.DEFAULT).findings();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** At least one of each rule, and both of those that advise one thing or another. */
    private static List<Finding> findings() {
        List<Finding> all = new ArrayList<>();
        List.of(
                        enlarged(),
                        classes(2 * MB, 0),
                        classes(0, 950),
                        full(Story.g1(), "System.gc()"),
                        full(direct(Story.g1()), "System.gc()"),
                        direct(Story.g1()).flag("DisableExplicitGC", "true").seconds(5, MB),
                        stuck(),
                        events(GarbageCollector.G1, "EvacuationFailed"),
                        events(GarbageCollector.SERIAL, "PromotionFailed"),
                        events(GarbageCollector.Z, "ZAllocationStall"),
                        events(GarbageCollector.SERIAL, "GCLocker"),
                        humongous(MB),
                        humongous(32 * MB),
                        growing())
                .forEach(story -> all.addAll(story.judged().findings()));
        List.of("17-serial-promotion", "25-serial-old", "17-parallel-leak", "17-g1-references")
                .forEach(run -> all.addAll(recorded(run)));
        return all;
    }

    @Test
    void everyRuleIsEvaluated() {
        TreeSet<String> ids = new TreeSet<>();
        findings().forEach(finding -> ids.add(finding.id()));

        assertThat(ids).hasSize(16);
    }

    @Test
    void noneAdvisesTwoFlagsAndWhatAdvisesOneSaysSo() {
        assertThat(findings())
                .extracting(Finding::advice)
                .allSatisfy(
                        advice -> {
                            long flags = FLAG.matcher(advice.text()).results().count();
                            assertThat(flags)
                                    .as(advice.text())
                                    .isEqualTo(advice.kind() == Advice.Kind.FLAG ? 1 : 0);
                        });
    }

    @Test
    void noneAdvisesAFlagThatIsOnAnywayOrDoesHarm() {
        assertThat(findings())
                .extracting(finding -> finding.advice().text())
                .noneMatch(text -> text.contains("ParallelRefProcEnabled"))
                .noneMatch(
                        text ->
                                text.replace("Take -XX:+DisableExplicitGC away", "")
                                        .contains("+DisableExplicitGC"));
    }
}
