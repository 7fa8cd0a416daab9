// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.junit.AllowedLeak;
import io.heapsampler.junit.HeapSamplerExtension;
import io.heapsampler.junit.NoLeaks;
import java.lang.ref.SoftReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Permissions to leak that are set by code. */
@Tag("once")
class BuilderLeakTest {

    private static final String HERE = "io.heapsampler.tests.junit.BuilderLeakTest";
    private static final Map<String, String> UNUSED_FAILS =
            Map.of("heapsampler.junit.suppressions.unused", "fail");

    static boolean leaks;

    @TempDir Path directory;

    @BeforeEach
    void begin() {
        leaks = true;
    }

    @AfterEach
    void forget() {
        Sink.forget();
    }

    static class Allowed {

        @RegisterExtension
        static final HeapSamplerExtension HEAP =
                HeapSamplerExtension.builder()
                        .allowedLeak("kept on purpose", HERE + "$Allowed.first")
                        .warmup(0)
                        .noLeaks(5, 1024)
                        .minOf(1)
                        .maxRetained("1 KB")
                        .allowedLeak("this too", "com.acme.Money", HERE + "$Allowed.second")
                        .build();

        @Test
        void first() {
            Sink.LEAK.add(new byte[2_000]);
        }

        @Test
        void second() {
            Sink.LEAK.add(new byte[2_000]);
        }

        @Test
        void other() {
            Sink.LEAK.add(new byte[2_000]);
        }

        @Test
        @NoLeaks(iterations = 5, warmup = 0)
        @AllowedLeak(reason = "annotations hold for both", frames = HERE + "$Allowed.annotated")
        void annotated() {
            Sink.LEAK.add(new byte[2_000]);
        }
    }

    @Test
    void limitsOfTheBuilderLetAliveWhatIsAllowedAndNoMore() {
        Collections.assumeCollections();
        assertThat(Kit.problem(UNUSED_FAILS, Allowed.class))
                .hasMessageStartingWith("Allocations (2 failures)")
                .hasMessageContaining("Allowed.other() left ")
                .hasMessageContaining("Allowed.other() leaks: 1 site keeps growing");
    }

    static class OfOtherLimits {

        @RegisterExtension
        static final HeapSamplerExtension HEAP =
                HeapSamplerExtension.builder()
                        .allowedLeak("of the builder", HERE + "$OfOtherLimits")
                        .build();

        @Test
        @NoLeaks(iterations = 5, warmup = 0)
        void leaks() {
            Sink.LEAK.add(new byte[2_000]);
        }
    }

    @Test
    void limitsOfAnnotationsKeepTheirOwnPermissions() {
        Collections.assumeCollections();
        assertThat(Kit.problem(OfOtherLimits.class))
                .hasMessageStartingWith("OfOtherLimits.leaks() leaks: ");
    }

    static class NowAndThen {

        @RegisterExtension
        static final HeapSamplerExtension HEAP =
                HeapSamplerExtension.builder()
                        .warmup(0)
                        .noLeaks(5, "1 KB")
                        .allowedLeak("was fixed", HERE + "$NowAndThen.leaks")
                        .build();

        @Test
        void leaks() {
            if (leaks) {
                Sink.LEAK.add(new byte[2_000]);
            }
        }
    }

    @Test
    void permissionThatARunDoesNotNeedFailsItWithItsPlace() {
        Collections.assumeCollections();
        assertThat(Kit.problems(Kit.run(UNUSED_FAILS, NowAndThen.class))).isEmpty();
        leaks = false; // what an earlier run needed does not count

        assertThat(Kit.problem(UNUSED_FAILS, NowAndThen.class).getCause())
                .hasMessageMatching(
                        "\\QAllowed leaks that were not found: "
                                + HERE
                                + "$NowAndThen.leaks (allowedLeak at "
                                + HERE
                                + "$NowAndThen.<clinit>(BuilderLeakTest.java:\\E\\d+\\Q): was"
                                + " fixed). Remove them, or set"
                                + " heapsampler.junit.suppressions.unused to \"report\".\\E");
    }

    @Test
    void permissionsAreReportedAtTheEndOfARun() {
        Collections.assumeCollections();
        List<String> lines = new CopyOnWriteArrayList<>();
        Handler handler = new Lines(lines);
        Logger logger = Logger.getLogger("io.heapsampler.junit");
        logger.addHandler(handler);
        try {
            assertThat(Kit.problems(Kit.run(NowAndThen.class))).isEmpty();
            assertThat(lines).singleElement().asString().matches(logged("INFO", "found") + "\\)");
            leaks = false;
            lines.clear();
            assertThat(Kit.problems(Kit.run(NowAndThen.class))).isEmpty();
            assertThat(lines)
                    .singleElement()
                    .asString()
                    .matches(logged("WARNING", "not found") + "\\)\\. Remove them\\.");
        } finally {
            logger.removeHandler(handler);
        }
    }

    private static String logged(String level, String found) {
        return level
                + " Allowed leaks that were "
                + found
                + ": "
                + Pattern.quote(HERE + "$NowAndThen.leaks (allowedLeak at ")
                + "[^ ]+\\(BuilderLeakTest\\.java:\\d+\\): was fixed";
    }

    private static final class Lines extends Handler {

        private final List<String> lines;

        Lines(List<String> lines) {
            this.lines = lines;
        }

        @Override
        public void publish(LogRecord line) {
            lines.add(line.getLevel().getName() + " " + new SimpleFormatter().formatMessage(line));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    /** An extension for each test, with a permission that is written once. */
    static class ForEach {

        @RegisterExtension
        final HeapSamplerExtension heap =
                HeapSamplerExtension.builder()
                        .warmup(0)
                        .noLeaks(5, "1 KB")
                        .allowedLeak("known", HERE + "$ForEach.leaks")
                        .build();

        @Test
        void isClean() {
            Sink.kilobytes(1);
        }

        @Test
        void leaks() {
            Sink.LEAK.add(new byte[2_000]);
        }

        @Test
        void isCleanToo() {
            Sink.kilobytes(1);
        }
    }

    @Test
    void permissionOfAnExtensionForEachTestIsNeededByAnyOfThem() {
        Collections.assumeCollections();
        assertThat(Kit.problems(Kit.run(UNUSED_FAILS, ForEach.class))).isEmpty();
    }

    static class LeftOut {

        private static SoftReference<List<Object>> softly = new SoftReference<>(new ArrayList<>());

        @Test
        @NoLeaks(iterations = 5, warmup = 1, perSite = "4 KB")
        void keepsALittle() {
            Sink.LEAK.add(new byte[2_000]);
        }

        @Test
        @NoLeaks(iterations = 5, warmup = 1)
        @AllowedLeak(reason = "known", frames = HERE + "$LeftOut.keepsByPermission")
        void keepsByPermission() {
            Sink.LEAK.add(new byte[2_000]);
        }

        @Test
        @NoLeaks(iterations = 5, warmup = 1)
        void keepsSoftly() {
            List<Object> list = softly.get();
            if (list == null) {
                list = new ArrayList<>();
                softly = new SoftReference<>(list);
            }
            list.add(new byte[2_000]);
        }

        @Test
        @NoLeaks(iterations = 5, warmup = 1)
        void keepsNothing() {
            Sink.kilobytes(1);
        }
    }

    @Test
    void buildShowsWhatPassesAndGrows() throws Exception {
        Collections.assumeCollections();
        Path file = directory.resolve("verdicts.txt");
        Map<String, String> toFile = Map.of("heapsampler.junit.verdicts.file", file.toString());

        assertThat(Kit.problems(Kit.run(toFile, LeftOut.class))).isEmpty();

        assertThat(Files.readAllLines(file))
                .anyMatch(
                        line ->
                                line.matches(
                                        ".*keepsALittle.*no leak in \\d+ runs.*; 1 site within"
                                                + " perSite"))
                .anyMatch(line -> line.matches(".*keepsByPermission.* runs.*; [12] sites? allowed"))
                .anyMatch(
                        line ->
                                line.matches(
                                        ".*keepsSoftly.* runs.*; \\d sites? only softly reachable,"
                                                + " which .*"))
                .anyMatch(line -> line.matches(".*keepsNothing.*: no leak in [^;]*"));
    }
}
