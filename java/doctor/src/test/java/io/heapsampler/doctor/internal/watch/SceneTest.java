// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import static io.heapsampler.doctor.Samples.finding;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.doctor.Samples;
import io.heapsampler.doctor.Severity;
import io.heapsampler.doctor.internal.report.JsonReport;
import io.heapsampler.doctor.internal.rules.Judgement;
import io.heapsampler.doctor.internal.rules.Rules;
import io.heapsampler.doctor.internal.rules.Slo;
import io.heapsampler.doctor.internal.sites.SiteBook;
import io.heapsampler.doctor.internal.timeline.Timeline;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SceneTest {

    @TempDir Path folder;

    private static Judgement judgement() {
        Timeline timeline = Samples.timeline(Samples.ticks(0, 5_000), List.of(Samples.pause(1, 2)));
        return Rules.judge(timeline, new SiteBook(), Slo.DEFAULT);
    }

    private List<String> files() throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void aWarningLeavesTheDiagnosisAndAnInfoNothing() throws IOException {
        Scene scene = new Scene(folder.resolve("new/deep"), Set.of(), SceneTest::judgement);
        scene.accept(finding("heap.resize", Severity.INFO));
        assertThat(folder.resolve("new")).doesNotExist();
        scene.accept(finding("gc.stall", Severity.WARNING));

        try (Stream<Path> all = Files.list(folder.resolve("new/deep"))) {
            Path file = all.filter(each -> each.toString().endsWith(".json")).findAny().get();
            assertThat(file.getFileName().toString()).matches("\\d{8}T\\d{6}Z-gc\\.stall\\.json");
            assertThat(file).hasContent(JsonReport.of(judgement()));
        }
    }

    @Test
    void theOldestGoAndOtherFilesStay() throws IOException {
        for (int i = 10; i < 10 + Scene.MOST + 5; i++) {
            Files.writeString(folder.resolve("20200101T0000" + i + "Z-gc.stall.json"), "x");
            Files.writeString(folder.resolve("20200101T0000" + i + "Z-gc.stall.hsnap"), "x");
        }
        Files.writeString(folder.resolve("00000000T-mine.json"), "x");
        new Scene(folder, Set.of(), SceneTest::judgement)
                .accept(finding("jni.critical", Severity.CRITICAL));

        assertThat(files()).contains("00000000T-mine.json");
        assertThat(files().stream().filter(name -> name.endsWith(".json"))).hasSize(Scene.MOST + 1);
        assertThat(files()).doesNotContain("20200101T000015Z-gc.stall.hsnap");
        assertThat(files()).contains("20200101T000016Z-gc.stall.hsnap");
    }

    /** The clock was set back by a thousand years; or those files are of another machine. */
    @Test
    void whatWasJustWrittenStaysThoughOthersSeemYounger() throws IOException {
        for (int i = 10; i < 10 + Scene.MOST; i++) {
            Files.writeString(folder.resolve("30200101T0000" + i + "Z-gc.stall.json"), "x");
        }
        new Scene(folder, Set.of(), SceneTest::judgement)
                .accept(finding("jni.critical", Severity.CRITICAL));

        assertThat(files()).anyMatch(name -> name.endsWith("Z-jni.critical.json"));
        assertThat(files()).doesNotContain("30200101T000010Z-gc.stall.json");
        assertThat(files().stream().filter(name -> name.endsWith(".json"))).hasSize(Scene.MOST);
    }

    private List<Path> dumps() throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(file -> file.toString().endsWith(".hprof")).toList();
        }
    }

    @Test
    void theHeapIsDumpedOnceForEachConfiguredFinding() throws IOException {
        Scene scene = new Scene(folder, Set.of("leak.growth"), SceneTest::judgement);
        scene.accept(finding("gc.stall", Severity.CRITICAL));
        scene.accept(finding("leak.growth", Severity.INFO));
        assertThat(dumps()).isEmpty();
        scene.accept(finding("leak.growth", Severity.WARNING));

        Path dump = dumps().get(0);
        assertThat(dump.getFileName().toString()).matches("\\d{8}T\\d{6}Z-leak\\.growth\\.hprof");
        try (InputStream in = Files.newInputStream(dump)) {
            assertThat(new String(in.readNBytes(18), StandardCharsets.US_ASCII))
                    .isEqualTo("JAVA PROFILE 1.0.2");
        }
        Files.delete(dump);
        scene.accept(finding("leak.growth", Severity.CRITICAL));
        assertThat(dumps()).isEmpty();
    }

    /** What the doctor logs meanwhile. */
    private static List<LogRecord> logged(Runnable action) {
        List<LogRecord> records = new ArrayList<>();
        Handler ear =
                new Handler() {
                    @Override
                    public void publish(LogRecord line) {
                        records.add(line);
                    }

                    @Override
                    public void flush() {}

                    @Override
                    public void close() {}
                };
        Logger logger = Logger.getLogger("io.heapsampler.doctor");
        logger.addHandler(ear);
        try {
            action.run();
        } finally {
            logger.removeHandler(ear);
        }
        return records;
    }

    @Test
    void aFolderThatCannotBeMadeKeepsNothingAndIsLogged() throws IOException {
        Path file = Files.writeString(folder.resolve("a file"), "x");
        Scene scene = new Scene(file, Set.of(), SceneTest::judgement);

        assertThat(logged(() -> scene.accept(finding("gc.stall", Severity.WARNING))))
                .singleElement()
                .matches(line -> line.getLevel() == Level.WARNING)
                .matches(line -> line.getThrown() instanceof IOException)
                .extracting(LogRecord::getMessage)
                .isEqualTo(
                        "Cannot keep the evidence of gc.stall in "
                                + file
                                + ". Name a folder that can be written to in preserveTo().");
        assertThat(files()).containsExactly("a file");
    }
}
