// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heapsampler.GarbageCollector;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TimelineFileTest {

    private static Timeline everything() {
        JvmSettings settings =
                new JvmSettings(
                        25,
                        GarbageCollector.Z_GENERATIONAL,
                        1,
                        2,
                        -1,
                        -1,
                        Long.MAX_VALUE,
                        4,
                        Map.of("AlwaysPreTouch", "true", "Odd", "with \\ and \n and \r in it"));
        return new Timeline(
                settings,
                Samples.ticks(1_700_000_000_000L, 1_700_000_060_000L),
                List.of(
                        Samples.pause(1_700_000_001_234L, 5),
                        Samples.collection(
                                1_700_000_002_000L, 0.125, CollectionKind.OLD_CYCLE, "Proactive"),
                        Samples.collection(3, 4, CollectionKind.UNKNOWN, "Full moon \u263e")),
                List.of(
                        new JvmEvent(
                                "SystemGC",
                                1_700_000_001_000L,
                                12.345,
                                Map.of("invokedConcurrent", "false", "empty", ""),
                                List.of("java.lang.System.gc:1907", "a.B.c:7")),
                        new JvmEvent("PromotionFailed", 9, 0, Map.of(), List.of())),
                42,
                0);
    }

    private static String text(Timeline timeline) throws IOException {
        StringWriter out = new StringWriter();
        TimelineFile.write(timeline, out);
        return out.toString();
    }

    @Test
    void whatIsReadEqualsWhatWasWritten(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("some.timeline");
        TimelineFile.write(everything(), file);

        assertThat(TimelineFile.read(file)).isEqualTo(everything());
        try (var files = Files.list(folder)) {
            assertThat(files).containsExactly(file);
        }
    }

    @Test
    void anEmptyTimelineIsOneToo() throws IOException {
        Timeline empty = new Timeline(Samples.settings(), List.of(), List.of(), List.of());

        assertThat(TimelineFile.read(new StringReader(text(empty)), "empty")).isEqualTo(empty);
    }

    @Test
    void aMinuteTakesAFewKilobytes() throws IOException {
        Timeline minute =
                new Timeline(
                        Samples.settings(),
                        Samples.ticks(1_700_000_000_000L, 1_700_000_060_000L),
                        List.of(),
                        List.of());

        assertThat(text(minute)).hasSizeLessThan(6_000);
    }

    @Test
    void aFileThatIsNoTimelineIsRefused() {
        assertThatThrownBy(() -> TimelineFile.read(new StringReader("GIF89a"), "a.timeline"))
                .isInstanceOf(IOException.class)
                .hasMessage(
                        "Cannot read a.timeline: it does not begin with \"heapsampler-timeline 2\"."
                                + " It is no timeline, or one of a later version: read it with the"
                                + " version that wrote it.");
    }

    @Test
    void aDamagedLineIsNamed() throws IOException {
        String[] lines = text(everything()).split("\n");
        lines[20] = lines[20] + "x";

        assertThatThrownBy(
                        () ->
                                TimelineFile.read(
                                        new StringReader(String.join("\n", lines)), "a.timeline"))
                .isInstanceOf(IOException.class)
                .hasMessage(
                        "Cannot read a.timeline: line 21 is damaged. Take a whole copy of the"
                                + " file.");
    }

    /** Each character is broken once: the answer is a timeline or an IOException. */
    @Test
    void noDamageEndsInAnythingButAnIoException() throws IOException {
        Timeline all = everything();
        String text =
                text(
                        new Timeline(
                                all.settings(),
                                all.ticks().subList(0, 2),
                                all.collections(),
                                all.events(),
                                42,
                                0));
        for (int i = 0; i < text.length(); i++) {
            String damaged = text.substring(0, i) + '%' + text.substring(i + 1);
            try {
                TimelineFile.read(new StringReader(damaged), "damaged");
            } catch (IOException e) {
                assertThat(e).hasMessageContaining("Cannot read damaged");
            }
        }
    }

    @Test
    void aFileThatCannotBeReplacedIsLeftAsItWas(@TempDir Path folder) throws IOException {
        Path file = Files.createDirectory(folder.resolve("taken"));
        Files.writeString(file.resolve("inside"), "x");

        assertThatThrownBy(() -> TimelineFile.write(everything(), file))
                .isInstanceOf(IOException.class);
        assertThat(file.resolve("inside")).exists();
    }
}
