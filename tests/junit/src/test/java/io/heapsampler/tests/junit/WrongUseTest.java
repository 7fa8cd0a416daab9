// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.heapsampler.assertions.ThreadScope;
import io.heapsampler.junit.HeapSamplerExtension;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;

/** What is wrong is refused with its place and the correction, before the test runs. */
class WrongUseTest {

    private static final String AMOUNTS =
            "Write a number and a unit, such as \"64 KB\" or \"1.5 MB\"; the units are B, KB, KiB,"
                    + " MB, MiB, GB and GiB, and 1 KB is 1 KiB is 1,024 bytes.";

    private static final String APART =
            "Keep one, or let types, packages, exclude or threads tell them apart.";

    private static final String HERE = "At io.heapsampler.tests.junit.WrongCases$";

    static Stream<Arguments> wrong() {
        return Stream.of(
                Arguments.of(
                        WrongCases.Unit.class,
                        HERE
                                + "Unit.test: \"1 MBB\" is not an amount of bytes: there is no unit"
                                + " \"MBB\". Write a number and a unit, such as \"64 KB\" or \"1.5"
                                + " MB\"; the units are B, KB, KiB, MB, MiB, GB and GiB, and 1 KB"
                                + " is 1 KiB is 1,024 bytes."),
                Arguments.of(
                        WrongCases.Negative.class,
                        HERE
                                + "Negative.test: \"-1 KB\" is not an amount of bytes: it is"
                                + " negative. "
                                + AMOUNTS),
                Arguments.of(
                        WrongCases.Unresolvable.class,
                        HERE
                                + "Unresolvable.test: the limit of 1,024 bytes is below the"
                                + " resolution of an interval of 524,288 bytes: the relative error"
                                + " is about 2263 %. Omit interval, and it is chosen from the"
                                + " limit; or use at most 64 bytes."),
                Arguments.of(
                        WrongCases.Conflict.class,
                        HERE
                                + "Conflict.test: @MaxAllocation(\"1 MB\") and another limit are"
                                + " about the same allocations. Keep one, or let types, packages,"
                                + " exclude or threads tell them apart."),
                Arguments.of(
                        WrongCases.TwoOfTheSame.class,
                        HERE
                                + "TwoOfTheSame.test: @MaxAllocation(\"1 MB\") and another limit"
                                + " are about the same allocations. Keep one, or let types,"
                                + " packages, exclude or threads tell them apart."),
                Arguments.of(
                        WrongCases.OnBeforeEach.class,
                        HERE
                                + "OnBeforeEach.measured: @NoAllocation is on a method that is no"
                                + " test, so nothing would be measured. Move it to a test method or"
                                + " to the class."),
                Arguments.of(
                        WrongCases.OnAPrivateMethod.class,
                        HERE
                                + "OnAPrivateMethod.forgotten: @MaxAllocation is on a private"
                                + " method, which JUnit does not run, so nothing would be measured."
                                + " Remove \"private\" if it is a test, or move the annotation"
                                + " to a test."),
                Arguments.of(
                        WrongCases.OnAStaticMethod.class,
                        HERE
                                + "OnAStaticMethod.forgotten: @MaxAllocation is on a static method,"
                                + " which JUnit does not run, so nothing would be measured. Remove"
                                + " \"static\" if it is a test, or move the annotation to a"
                                + " test."),
                Arguments.of(
                        WrongCases.OnAMethodThatReturns.class,
                        HERE
                                + "OnAMethodThatReturns.forgotten: @MaxAllocation is on a method"
                                + " that returns something, which JUnit does not run, so nothing"
                                + " would be measured. Let it return nothing if it is a test, or"
                                + " move the annotation to a test."),
                Arguments.of(
                        WrongCases.ConflictOfComposed.class,
                        HERE
                                + "ConflictOfComposed.test: there are 2 @NoLeaks that differ, as"
                                + " part of other annotations. Keep one."),
                Arguments.of(
                        WrongCases.TwiceTheSameExclusion.class,
                        HERE
                                + "TwiceTheSameExclusion.test: @MaxRetained(\"1 MB\") and another"
                                + " limit are about the same objects. Keep one, or let types,"
                                + " packages, exclude or threads tell them apart."),
                Arguments.of(
                        WrongCases.NegativeRuns.class,
                        HERE
                                + "NegativeRuns.test: warmup must be 0 or more, or -1 for the"
                                + " default, but is -7."),
                Arguments.of(
                        WrongCases.NoRuns.class,
                        HERE
                                + "NoRuns.test: minOf must be 1 or more, or -1 for the default, but"
                                + " is 0."),
                Arguments.of(
                        WrongCases.NoBaseline.class,
                        HERE
                                + "NoBaseline.test(): there is no baseline for it in "
                                + Path.of("target/there-is-none.txt").toAbsolutePath()
                                + ". Run the test once with -Dheapsampler.junit.update=true, and"
                                + " check the file in."),
                Arguments.of(
                        WrongCases.NoNameOfAFile.class,
                        HERE
                                + "NoNameOfAFile.test: no file of this system can have the name of"
                                + " its baseline, Größe?.txt: Nul character not allowed. Set"
                                + " another with file, or run the JVM in a locale with all letters,"
                                + " such as LC_ALL=C.UTF-8."),
                Arguments.of(
                        WrongCases.NegativeTolerance.class,
                        HERE
                                + "NegativeTolerance.test: \"-5 %\" is negative. The least"
                                + " tolerance is \"0 %\"."),
                Arguments.of(
                        WrongCases.RetainedInherited.class,
                        HERE
                                + "RetainedInherited.test: threads = INHERITED is for allocations."
                                + " Objects that stay alive are summed up by site, whichever thread"
                                + " allocated them. Use TEST or ALL."),
                Arguments.of(
                        WrongCases.ConcurrentRuns.class,
                        HERE
                                + "ConcurrentRuns.test: @Execution(CONCURRENT) stands beside"
                                + " @AllocationTest and would have runs beside each other. Remove"
                                + " @Execution(CONCURRENT)."),
                Arguments.of(
                        WrongCases.NoTolerance.class,
                        HERE
                                + "NoTolerance.test: \"much %\" is no tolerance. Write a percentage"
                                + " such as \"10 %\", or an amount such as \"4 KB\"."),
                Arguments.of(
                        WrongCases.FewIterations.class,
                        HERE
                                + "FewIterations.test: iterations must be from 5 to 1000, but is 2."
                                + " Fewer cannot tell a leak from chance: use 10."),
                Arguments.of(
                        WrongCases.NoReason.class,
                        HERE
                                + "NoReason.test: @AllowedLeak needs a reason and a frame: what"
                                + " may stay alive, and why is it no leak?"),
                Arguments.of(
                        WrongCases.NoPattern.class,
                        HERE
                                + "NoPattern.test: \"com acme\" is no pattern of a class or method."
                                + " Write one name, such as \"com.acme.Cache.put\"; * stands for"
                                + " any characters."),
                Arguments.of(
                        WrongCases.ExcludeWithInherited.class,
                        HERE
                                + "ExcludeWithInherited.test: sites and exclude cannot be combined"
                                + " with threads = INHERITED: allocations are summed up by thread"
                                + " there. Use types or packages, or another threads."));
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void isRefused(Class<?> type, String message) {
        WrongCases.hasRun = false;

        Throwable problem = Kit.problem(type);

        assertThat(problem).isInstanceOf(ExtensionConfigurationException.class);
        assertThat(problem).hasMessage(message);
        assertThat(WrongCases.hasRun).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "sites | some | \"some\" is no number from 0 to 20.",
                "sites | 21 | \"21\" is no number from 0 to 20.",
                "ownCode | com acme | \"com acme\" is no pattern of a class or method. Write one"
                        + " name, such as \"com.acme.Cache.put\"; * stands for any characters.",
                "iterations | 4 | \"4\" is no number from 5 to 1000.",
                "perSite | 1 | \"1\" is not an amount of bytes: the unit is missing. <amounts>",
                "interval | -1 B | \"-1 B\" is not an amount of bytes: it is negative. <amounts>",
                "tolerance | 10 | \"10\" is not an amount of bytes: the unit is missing. <amounts>",
                "threads | most | \"most\" is none of [DEFAULT, TEST, INHERITED, ALL].",
                "threads | all | ALL needs a lock, which JUnit finds at annotations only. Write"
                        + " threads = ThreadScope.ALL at the tests that need it.",
                "whenNotMeasured | x | \"x\" is none of [FAIL, ABORT, IGNORE].",
                "artifacts | x | \"x\" is none of [ON_FAILURE, ALWAYS, NEVER].",
                "artifacts.formats | html, gif | \"gif\" is none of [PPROF, COLLAPSED, JSON, HTML,"
                        + " JFR, SPEEDSCOPE, DHAT, CSV, HSNAP].",
                "artifacts.limit | much | \"much\" is not an amount of bytes: it has another form."
                        + " <amounts>",
                "artifacts.attachments | yes | \"yes\" is none of [AUTO, ALWAYS, NEVER].",
                "update | 1 | \"1\" is neither true nor false.",
                "suppressions.unused | x | \"x\" is none of [REPORT, FAIL].",
            })
    void wrongParametersAreRefusedBeforeAnythingRuns(String name, String value, String why) {
        WrongCases.hasRun = false;

        Throwable problem =
                Kit.problem(Map.of("heapsampler.junit." + name, value), WrongCases.Fine.class);

        assertThat(problem)
                .isInstanceOf(ExtensionConfigurationException.class)
                .hasMessage(
                        "The configuration parameter heapsampler.junit."
                                + name
                                + " is wrong: "
                                + why.replace("<amounts>", AMOUNTS)
                                + " Correct it in junit-platform.properties, or in the build that"
                                + " sets it.");
        assertThat(WrongCases.hasRun).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "threads",
                "interval",
                "iterations",
                "perSite",
                "tolerance",
                "whenNotMeasured",
                "sites",
                "ownCode",
                "verdicts",
                "verdicts.file",
                "artifacts",
                "artifacts.formats",
                "artifacts.limit",
                "artifacts.testLimit",
                "artifacts.attachments",
                "baseline.directory",
                "update",
                "suppressions",
                "suppressions.unused",
            })
    void oldSpellingsAreRefusedWithTheNewOne(String name) {
        WrongCases.hasRun = false;

        Throwable problem = Kit.problem(Map.of("heapsampler." + name, "x"), WrongCases.Fine.class);

        assertThat(problem)
                .isInstanceOf(ExtensionConfigurationException.class)
                .hasMessage(
                        "The configuration parameter heapsampler."
                                + name
                                + " has been renamed. Write heapsampler.junit."
                                + name
                                + " instead.");
        assertThat(WrongCases.hasRun).isFalse();
    }

    @Test
    void oldSystemPropertyIsRefused() {
        System.setProperty("heapsampler.sites", "3");
        try {
            EngineExecutionResults results =
                    EngineTestKit.engine("junit-jupiter")
                            .enableImplicitConfigurationParameters(true)
                            .selectors(selectClass(WrongCases.Fine.class))
                            .execute();

            assertThat(Kit.problems(results))
                    .singleElement()
                    .isInstanceOf(ExtensionConfigurationException.class)
                    .asInstanceOf(InstanceOfAssertFactories.THROWABLE)
                    .hasMessage(
                            "The configuration parameter heapsampler.sites has been renamed. Write"
                                    + " heapsampler.junit.sites instead.");
        } finally {
            System.clearProperty("heapsampler.sites");
        }
    }

    @Test
    void wrongSystemPropertyIsCalledByItsName() {
        System.setProperty("heapsampler.junit.sites", "-1");
        try {
            assertThat(Kit.problem(Map.of("heapsampler.junit.sites", "-1"), WrongCases.Fine.class))
                    .hasMessage(
                            "The configuration parameter heapsampler.junit.sites is wrong: \"-1\""
                                    + " is no number from 0 to 20. Correct it on the command line:"
                                    + " -Dheapsampler.junit.sites=-1.");
        } finally {
            System.clearProperty("heapsampler.junit.sites");
        }
    }

    @Test
    void wrongLimitsOfABuilderAreRefusedAtOnce() {
        HeapSamplerExtension.Builder builder =
                HeapSamplerExtension.builder().maxAllocation("1 MB").maxRetained("1 KB");

        assertThatIllegalArgumentException()
                .isThrownBy(builder::noAllocation)
                .withMessage(
                        "noAllocation() and another limit are about the same allocations. "
                                + APART);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.maxRetained("2 KB"))
                .withMessage(
                        "maxRetained(\"2 KB\") and another limit are about the same objects. "
                                + APART);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.noLeaks(2, "1 KB"))
                .withMessage(
                        "iterations must be from 5 to 1000, but is 2. Fewer cannot tell a leak from"
                                + " chance: use 10.");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.maxRetained(2048))
                .withMessage(
                        "maxRetained(2048) and another limit are about the same objects. " + APART);
        builder.types(byte[].class).maxAllocation("1 MB"); // about others
    }

    @Test
    void wrongBaselinesOfABuilderAreRefusedAtOnce() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HeapSamplerExtension.builder().baseline("", "much %"))
                .withMessage(
                        "\"much %\" is no tolerance. Write a percentage such as \"10 %\", or an"
                                + " amount such as \"4 KB\".");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HeapSamplerExtension.builder().baseline().baseline("x", ""))
                .withMessage(
                        "baseline(\"x\", \"\") is a second baseline, and a test is compared with"
                                + " one entry. Keep one.");
        for (UnaryOperator<HeapSamplerExtension.Builder> narrowed :
                List.<UnaryOperator<HeapSamplerExtension.Builder>>of(
                        builder -> builder.types(byte[].class),
                        builder -> builder.packages("com.acme"),
                        builder -> builder.exclude("com.acme"),
                        builder -> builder.threads(ThreadScope.ALL))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> narrowed.apply(HeapSamplerExtension.builder()).baseline())
                    .withMessage(
                            "baseline() compares all that the test's thread allocates: threads,"
                                    + " types, packages and exclude do not hold for it. Write it"
                                    + " before them.");
        }
        HeapSamplerExtension.builder().types(byte[].class).types().baseline(); // set back
    }

    @Test
    void wrongPermissionsOfABuilderAreRefusedAtOnce() {
        HeapSamplerExtension.Builder builder = HeapSamplerExtension.builder();
        String needed =
                "allowedLeak needs a reason and a frame: what may stay alive, and why is it no"
                        + " leak?";

        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.allowedLeak(" ", "com.acme"))
                .withMessage(needed);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.allowedLeak("why not"))
                .withMessage(needed);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.allowedLeak("why not", "com acme"))
                .withMessage(
                        "\"com acme\" is no pattern of a class or method. Write one name, such as"
                                + " \"com.acme.Cache.put\"; * stands for any characters.");
    }
}
