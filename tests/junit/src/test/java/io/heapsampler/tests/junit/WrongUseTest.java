// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is wrong is refused with its place and the correction, before the test runs. */
class WrongUseTest {

    private static final String HERE = "At io.heapsampler.tests.junit.WrongCases$";

    static Stream<Arguments> wrong() {
        return Stream.of(
                Arguments.of(
                        WrongCases.Unit.class,
                        HERE
                                + "Unit.test: \"1 MBB\" is no amount of memory. Write a number and"
                                + " a unit, B, KB, MB or GB, such as \"64 KB\" or \"1.5 MB\"."),
                Arguments.of(
                        WrongCases.Negative.class,
                        HERE
                                + "Negative.test: \"-1 KB\" is negative. The least amount is \"0"
                                + " B\"."),
                Arguments.of(
                        WrongCases.Unresolvable.class,
                        HERE
                                + "Unresolvable.test: the limit of 1,024 bytes is below the"
                                + " resolution of an interval of 524,288 bytes: the relative error"
                                + " is about 2263 %. Leave the interval away, which then is chosen"
                                + " from the limit, or use 64 bytes at most."),
                Arguments.of(
                        WrongCases.Conflict.class,
                        HERE
                                + "Conflict.test: @MaxAllocation(\"1 MB\") and another limit are"
                                + " about the same allocations. Keep one, or let types, packages,"
                                + " exclude or threads tell them apart."),
                Arguments.of(
                        WrongCases.TwoOfTheSame.class,
                        HERE + "TwoOfTheSame.test: @MaxAllocation(\"1 MB\") and another limit"),
                Arguments.of(
                        WrongCases.OnBeforeEach.class,
                        HERE
                                + "OnBeforeEach.measured: @NoAllocation is on a method that is no"
                                + " test, so nothing would be measured. Move it to a test method or"
                                + " to the class."),
                Arguments.of(
                        WrongCases.NoBaseline.class,
                        "WrongCases$NoBaseline.test(): there is no baseline for it in"),
                Arguments.of(
                        WrongCases.NoBaseline.class,
                        "Run the test once with -Dheapsampler.update=true, and check the file in."),
                Arguments.of(
                        WrongCases.NoTolerance.class,
                        HERE + "NoTolerance.test: \"much %\" is no tolerance."),
                Arguments.of(
                        WrongCases.FewIterations.class,
                        HERE + "FewIterations.test: iterations must be from 5 to 1000, but is 2."),
                Arguments.of(
                        WrongCases.NoReason.class,
                        HERE + "NoReason.test: @AllowedLeak needs a reason and a frame"),
                Arguments.of(
                        WrongCases.NoPattern.class,
                        HERE + "NoPattern.test: \"com acme\" is no pattern of a class or method."),
                Arguments.of(
                        WrongCases.ExcludeWithInherited.class,
                        HERE
                                + "ExcludeWithInherited.test: sites and exclude cannot be combined"
                                + " with threads = INHERITED"));
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void isRefused(Class<?> type, String message) {
        WrongCases.hasRun = false;

        Throwable problem = Kit.problem(type);

        assertThat(problem).isInstanceOf(ExtensionConfigurationException.class);
        assertThat(problem).hasMessageContaining(message);
        assertThat(WrongCases.hasRun).isFalse();
    }

    @Test
    void wrongParametersAreRefused() {
        assertThat(Kit.problem(Map.of("heapsampler.minOf", "0"), WrongCases.Fine.class))
                .isInstanceOf(ExtensionConfigurationException.class)
                .hasMessage(
                        "The configuration parameter heapsampler.minOf is wrong: \"0\" is no number"
                                + " from 1 to 999999999. Correct it in junit-platform.properties or"
                                + " on the command line.");
        assertThat(Kit.problem(Map.of("heapsampler.whenNotMeasured", "x"), WrongCases.Fine.class))
                .hasMessageContaining("\"x\" is none of [FAIL, ABORT, IGNORE].");
    }
}
