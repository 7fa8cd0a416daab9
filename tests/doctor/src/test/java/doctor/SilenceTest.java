// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.heapsampler.support.Gc;
import io.heapsampler.support.Jdk;
import io.heapsampler.support.Wanted;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Real applications in a heap of four times what lives in them: nothing worse than information is
 * said of any of them in ten minutes. The applications are those of the figures in {@code
 * tests/bench}; {@code tests/doctor/run long} builds them, or {@code tests/doctor/run long
 * '*-application-lucene'} if only some are wanted.
 */
class SilenceTest {

    private static final int SECONDS = Integer.getInteger("doctor.seconds", 600);
    private static final String IN_NAMES = "application-";
    private static final Path BUILT = Path.of(System.getProperty("doctor.applications", ""));

    /**
     * An application, and the maximum heap size: four times what collections of the old generation
     * during the work left, the doctor's own included, on the JDK on which that was most.
     */
    private enum App {
        H2("64m"),
        LUCENE("80m"),
        JYTHON("364m"),
        FOP("192m"),
        JAVAC("268m"),
        SAXON("64m");

        private final String heap;

        App(String heap) {
            this.heap = heap;
        }

        String cell(Jdk jdk) {
            return jdk.feature() + "-g1-" + IN_NAMES + name().toLowerCase(Locale.ROOT);
        }
    }

    @TestFactory
    Stream<DynamicTest> applicationsAreNotCalledSick() throws Exception {
        assumeTrue(Tier.current() == Tier.LONG, "an hour and more: tests/doctor/run long");
        Wanted wanted = Wanted.by("doctor.cells");
        boolean areNamed = System.getProperty("doctor.cells", "").contains(IN_NAMES);
        assumeTrue(wanted.isAll() || areNamed, "only some cells are wanted");
        ForkedJvm jvm = new ForkedJvm(SECONDS);
        List<DynamicTest> tests = new ArrayList<>();
        for (Jdk jdk : Jdk.all()) {
            for (App app : App.values()) {
                String name = app.cell(jdk);
                if ((app != App.JAVAC || jdk.hasCompiler()) && wanted.includes(name)) {
                    Future<Outcome> outcome = start(jvm, name, jdk, app);
                    tests.add(DynamicTest.dynamicTest(name, () -> check(outcome.get())));
                }
            }
        }
        return tests.stream();
    }

    private static Future<Outcome> start(ForkedJvm jvm, String name, Jdk jdk, App app)
            throws Exception {
        List<String> flags = new ArrayList<>(Gc.G1.flags());
        flags.add("-Xmx" + app.heap);
        try (Stream<Path> sources = Files.list(BUILT.resolve("sources"))) {
            flags.add("-Dbench.sources=" + sources.findFirst().orElseThrow());
        }
        return jvm.start(
                name,
                jdk,
                flags,
                BUILT.resolve("classes") + ":" + BUILT.resolve("lib") + "/*",
                "io.heapsampler.bench.WatchedFork",
                app.name(),
                String.valueOf(SECONDS));
    }

    private static void check(Outcome outcome) {
        assertThat(outcome.code()).as("exit code of\n%s", outcome).isZero();
        assertThat(outcome.warnings())
                .as("worse than information at some time, in\n%s", outcome)
                .isEmpty();
    }
}
