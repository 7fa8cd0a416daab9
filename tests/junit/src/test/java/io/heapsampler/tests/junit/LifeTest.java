// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static io.heapsampler.assertions.AllocationAssertions.assertAllocations;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.heapsampler.assertions.AllocationAssert;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

/** {@code @MaxRetained}, {@code @NoLeaks} and {@code @AllowedLeak}. */
class LifeTest {

    @AfterEach
    void forget() {
        Sink.forget();
    }

    @Test
    void whatIsCollectedOrStopsGrowingPasses() {
        Collections.assumeCollections();
        Kit.assertPasses(LifeCases.Clean.class, 6);
    }

    @Test
    void withoutACollectorLeakAssertionsAbort() {
        assumeTrue(Collections.isEpsilon(), "this collector collects");
        for (Class<?> type : new Class<?>[] {LifeCases.Leaking.class, LifeCases.Retaining.class}) {
            assertThat(Kit.problem(type))
                    .isInstanceOf(TestAbortedException.class)
                    .hasMessageMatching(
                            "@\\w+(\\(.*\\))? of \\w+\\.\\w+\\(\\) was not measured\\. The Epsilon"
                                    + " collector collects nothing, so it is unknown what stays"
                                    + " alive\\. Run this test with another collector\\.");
        }
    }

    @Test
    void withoutACollectorClassLoadersAreNotJudged() {
        assumeTrue(Collections.isEpsilon(), "this collector collects");
        assertThat(Kit.problem(ClassLoaderLimitsTest.ByCode.class))
                .isInstanceOf(TestAbortedException.class)
                .hasMessageStartingWith(
                        "noClassLoadersLeft(5) of ByCode.leaves() was not measured. The Epsilon"
                            + " collector collects nothing, so it is unknown what stays alive.");
    }

    @Test
    void whatIsKeptFailsWithItsSite() {
        Collections.assumeCollections();
        assertThat(Kit.problem(LifeCases.Retaining.class))
                .isInstanceOf(AssertionFailedError.class)
                .hasMessageStartingWith(
                        "Retaining.keeps() left 100,016 bytes alive, limit 64 KB (65,536 bytes).")
                .hasMessageContaining("1. byte[]: 97.7 KiB in 1 object; alive 97.7 KiB, dead 0 B")
                .hasMessageContaining("LifeCases$Retaining.keeps(LifeCases.java:")
                .isInstanceOfSatisfying(
                        AssertionFailedError.class,
                        error -> {
                            assertThat(error.getExpected().getValue())
                                    .isEqualTo("at most 65,536 bytes alive");
                            assertThat(error.getActual().getValue())
                                    .isEqualTo("100,016 bytes alive");
                        });
    }

    @Test
    void leakFailsWithItsKeeperFirst() {
        Collections.assumeCollections();
        assertThat(Kit.problem(LifeCases.Leaking.class))
                .isInstanceOf(AssertionFailedError.class)
                .message()
                .matches(
                        Pattern.compile(
                                "\\QLeaking.leaks() leaks: 2 sites keep growing, by \\E[\\d,]+\\Q"
                                    + " bytes in 10 runs.\n"
                                    + "  1. java.util.LinkedList$Node: +1 object (\\E\\d\\d\\Q"
                                    + " bytes) in each of 10 runs\n"
                                    + "     your code: \\E.*\\QLifeCases$Leaking.leaks\\E(?s:.*)\\Q"
                                    + "  2. byte[]: +1 object (2,016 bytes) in each of 10 runs\n"
                                    + "        at"
                                    + " io.heapsampler.tests.junit.LifeCases$Leaking.leaks(LifeCases.java:\\E(?s:.*)What"
                                    + " helps: find what holds the objects of the first"
                                    + " site:(?s:.*)"));
    }

    /** What comes and goes: of its counts in random order, all rise once in 11! cases. */
    @Test
    @Timeout(1_800)
    void whatIsKeptNowAndThenIsNoLeak() {
        Collections.assumeCollections();
        Kit.assertPasses(LifeCases.Noise.class, 1);
        Random random = new Random(42);
        for (int i = 0; i < Tier.of(3, 40); i++) {
            assertAllocations(() -> Sink.last = new byte[random.nextInt(5_000)])
                    .iterations(10)
                    .leaksAtMost("0 B");
        }
    }

    /** Whether a run leaks or not is thrown like a coin: most runs do not grow. */
    @Test
    void objectsLeftInSomeRunsAreALeak() {
        Collections.assumeCollections();
        Random random = new Random(42);
        assertThatThrownBy(
                        () ->
                                assertAllocations(
                                                () -> {
                                                    if (random.nextInt(3) == 0) {
                                                        Sink.LEAK.add(new byte[2_000]);
                                                    }
                                                })
                                        .iterations(10)
                                        .leaksAtMost("0 B"))
                .isInstanceOf(AssertionFailedError.class)
                .hasMessageContaining("The code leaks: ")
                .hasMessageContaining("byte[]: +");
    }

    @Test
    void growthWithinPerSiteIsAcceptedAndOneByteLessIsNot() {
        Collections.assumeCollections();
        AllocationAssert code = assertAllocations(() -> Sink.CHAIN.add(new byte[1_000]));
        code.iterations(5).leaksAtMost("1016 B");
        assertThatThrownBy(() -> code.iterations(5).leaksAtMost("1015 B"))
                .isInstanceOf(AssertionFailedError.class)
                .hasMessageContaining("byte[]: +1 object (1,016 bytes) in each of 5 runs");
    }

    @Test
    @Tag("once")
    void suppressionsComeFromAFileAndAreAccountedFor(@TempDir Path directory) throws IOException {
        Collections.assumeCollections();
        Path file = directory.resolve("leaks.txt");
        Files.writeString(
                file,
                "# comment\nleak:io.heapsampler.tests.junit.LifeCases$LeakingInAFile # known\n");
        Map<String, String> parameters =
                Map.of(
                        "heapsampler.junit.suppressions",
                        file.toString(),
                        "heapsampler.junit.suppressions.unused",
                        "fail");

        assertThat(Kit.problems(Kit.run(parameters, LifeCases.LeakingInAFile.class))).isEmpty();
        assertThat(Kit.problem(parameters, LifeCases.FixedInAFile.class))
                .hasStackTraceContaining("Allowed leaks that were not found: io.heapsampler");
    }

    @Test
    @Tag("once")
    void suppressionsHoldForLimitsThatAreSetByCode(@TempDir Path directory) throws IOException {
        Collections.assumeCollections();
        Path file = directory.resolve("leaks.txt");
        Files.writeString(file, "leak:io.heapsampler.tests.junit.LifeCases$ByBuilder # known\n");

        assertThat(Kit.problem(LifeCases.ByBuilder.class))
                .hasMessageStartingWith("ByBuilder.leaks() leaks: 1 site");
        assertThat(
                        Kit.problems(
                                Kit.run(
                                        Map.of("heapsampler.junit.suppressions", file.toString()),
                                        LifeCases.ByBuilder.class)))
                .isEmpty();
    }

    @Test
    @Tag("once")
    void unusedSuppressionCanFailTheRun() {
        Collections.assumeCollections();
        assertThat(Kit.problems(Kit.run(LifeCases.NotFound.class))).isEmpty();
        Throwable problem =
                Kit.problem(
                        Map.of("heapsampler.junit.suppressions.unused", "fail"),
                        LifeCases.NotFound.class);
        assertThat(problem)
                .hasStackTraceContaining(
                        "Allowed leaks that were not found: com.acme.Money.parse"
                            + " (io.heapsampler.tests.junit.LifeCases$NotFound.isClean: was fixed)."
                            + " Remove them, or set heapsampler.junit.suppressions.unused to"
                            + " \"report\".");
    }

    @Test
    @Tag("once")
    void suppressionThatIsNotNeededIsUnused() {
        Collections.assumeCollections();
        assertThat(
                        Kit.problem(
                                Map.of("heapsampler.junit.suppressions.unused", "fail"),
                                LifeCases.NotNeeded.class))
                .hasStackTraceContaining("NotNeeded.isClean: not needed")
                .hasStackTraceContaining("NotNeeded.isWithinTheLimit: not needed");
    }

    @Test
    @Tag("once")
    void suppressionOfASuperclassIsNeededByAnyHeir() {
        Collections.assumeCollections();
        assertThat(
                        Kit.problems(
                                Kit.run(
                                        Map.of("heapsampler.junit.suppressions.unused", "fail"),
                                        LifeCases.CleanHeir.class,
                                        LifeCases.LeakingHeir.class)))
                .isEmpty();
    }

    @Test
    @Tag("once")
    void wrongSuppressionFileIsRefused(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("leaks.txt");
        Map<String, String> parameters = Map.of("heapsampler.junit.suppressions", file.toString());
        assertThat(Kit.problem(parameters, LifeCases.LeakingInAFile.class))
                .hasStackTraceContaining(
                        "The file of suppressions cannot be read: "
                                + file
                                + ". Create it, or correct heapsampler.junit.suppressions.");

        Files.writeString(file, "\nleak:com.acme.Cache\n");
        assertThat(Kit.problem(parameters, LifeCases.LeakingInAFile.class))
                .isInstanceOf(ExtensionConfigurationException.class)
                .hasMessage(
                        "At "
                                + file
                                + ":2: this is no suppression: \"leak:com.acme.Cache\". Write"
                                + " leak:<class or method> # <reason>, such as"
                                + " leak:com.acme.Money.parse # one entry per currency.");

        Files.writeString(file, "leak:com acme # no name\n");
        assertThat(Kit.problem(parameters, LifeCases.LeakingInAFile.class))
                .isInstanceOf(ExtensionConfigurationException.class)
                .hasMessage(
                        "At "
                                + file
                                + ":1: \"com acme\" is no pattern of a class or method. Write one"
                                + " name, such as \"com.acme.Cache.put\"; * stands for any"
                                + " characters.");
    }

    @Test
    void limitsAsNumbersAreBytes() {
        Collections.assumeCollections();
        assertAllocations(() -> Sink.kilobytes(2))
                .leavesBehindAtMost(2048)
                .iterations(5)
                .leaksAtMost(1024)
                .leaksAtMost(0)
                .doesNotLeak();
        assertThatThrownBy(
                        () ->
                                assertAllocations(() -> Sink.LEAK.add(new int[1_000]))
                                        .ofType(int[].class)
                                        .leavesBehindAtMost(1024))
                .hasMessageContaining("limit 1,024 bytes.");
        AllocationAssert leak =
                assertAllocations(() -> Sink.LEAK.add(new byte[1_000])).iterations(5);
        leak.leaksAtMost(1016);
        assertThatThrownBy(() -> leak.leaksAtMost(1015)).isInstanceOf(AssertionFailedError.class);
        assertThatThrownBy(leak::doesNotLeak).isInstanceOf(AssertionFailedError.class);
    }

    @Test
    void withoutAnEngine() {
        Collections.assumeCollections();
        assertAllocations(() -> Sink.kilobytes(2))
                .leavesBehindAtMost("2 KB")
                .iterations(5)
                .leaksAtMost("1 KB");
        assertThatThrownBy(
                        () ->
                                assertAllocations(() -> Sink.last = new int[1_000])
                                        .ofType(int[].class)
                                        .inPackage("java")
                                        .as("Adding")
                                        .leavesBehindAtMost("1 KB"))
                .isInstanceOf(AssertionFailedError.class)
                .hasMessageStartingWith("Adding left 4,016 bytes alive, limit 1 KB (1,024 bytes).")
                .hasMessageMatching(Pattern.compile("(?s).*int\\[\\]: 3.9 KiB in 1 object.*"));
        assertAllocations(() -> Sink.last = new int[1_000])
                .allowing("for the test", "io.heapsampler.tests.junit.LifeTest")
                .leavesBehindAtMost("1 KB");
    }
}
