// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.assertions.AllocationProbe;
import io.heapsampler.junit.AllocationTest;
import io.heapsampler.junit.AllowedLeak;
import io.heapsampler.junit.HeapSamplerExtension;
import io.heapsampler.junit.MaxAllocation;
import io.heapsampler.junit.NoAllocation;
import io.heapsampler.junit.NoLeaks;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Repetition beside plain tests is refused where JUnit makes something anew for each test. */
class SetUpTest {

    private static final String HERE = "io.heapsampler.tests.junit.SetUpTest$";

    private static boolean hasRun;

    static class Before {

        @BeforeEach
        void open() {
            hasRun = true;
        }

        @Test
        @NoAllocation(warmup = 1)
        void test() {}
    }

    static class After {

        @AfterEach
        void close() {
            hasRun = true;
        }

        @Test
        @MaxAllocation(value = "1 KB", minOf = 2)
        void test() {}
    }

    static class Inherits extends Before {

        @Override
        void test() {}

        @RepeatedTest(1)
        @NoLeaks
        void leaks() {}
    }

    interface Opened {

        @BeforeEach
        default void open() {
            hasRun = true;
        }
    }

    static class Implements implements Opened {

        @Test
        @NoLeaks
        void test() {}
    }

    static class Encloses extends Before {

        @Override
        void test() {}

        @Nested
        class Inner {

            @Test
            @NoLeaks
            void test() {}
        }
    }

    static final class Around implements BeforeEachCallback {

        @Override
        public void beforeEach(ExtensionContext context) {}
    }

    @ExtendWith(Around.class)
    static class Extended {

        @Test
        @NoLeaks
        void test() {}
    }

    static class Registers {

        @RegisterExtension final Extension around = new Around();

        @Test
        @NoLeaks
        void test() {}
    }

    static class Directory {

        @TempDir Path directory;

        @Test
        @NoLeaks
        void test() {}
    }

    static class Parameter {

        static Stream<Arguments> iterators() {
            return Stream.of(Arguments.of(List.of("a").iterator()));
        }

        @ParameterizedTest
        @MethodSource("iterators")
        @NoLeaks
        void test(java.util.Iterator<String> words) {}
    }

    static class Constructed {

        Constructed(TestInfo info, @TempDir Path directory) {}

        @Test
        @NoLeaks
        void test() {}
    }

    static class Factory {

        @BeforeEach
        void open() {
            hasRun = true;
        }

        @TestFactory
        @NoLeaks
        Stream<DynamicTest> tests() {
            return Stream.of(DynamicTest.dynamicTest("one", () -> {}));
        }
    }

    static class ByCode {

        @RegisterExtension
        static final HeapSamplerExtension HEAP =
                HeapSamplerExtension.builder().noLeaks(5, "1 KB").build();

        @BeforeEach
        void open() {
            hasRun = true;
        }

        @Test
        void test() {}
    }

    static Stream<Arguments> refused() {
        return Stream.of(
                Arguments.of(
                        Before.class, "@NoAllocation", "the method %sBefore.open (@BeforeEach)"),
                Arguments.of(
                        After.class,
                        "@MaxAllocation(\"1 KB\")",
                        "the method %sAfter.close (@AfterEach)"),
                Arguments.of(Inherits.class, "@NoLeaks", "the method %sBefore.open (@BeforeEach)"),
                Arguments.of(
                        Implements.class, "@NoLeaks", "the method %sOpened.open (@BeforeEach)"),
                Arguments.of(Encloses.class, "@NoLeaks", "the method %sBefore.open (@BeforeEach)"),
                Arguments.of(Extended.class, "@NoLeaks", "the extension %sAround"),
                Arguments.of(Registers.class, "@NoLeaks", "the extension %sAround"),
                Arguments.of(
                        Directory.class, "@NoLeaks", "the field %sDirectory.directory (@TempDir)"),
                Arguments.of(Parameter.class, "@NoLeaks", "the Iterator that it takes"),
                Arguments.of(Constructed.class, "@NoLeaks", "the Path that its constructor takes"),
                Arguments.of(Factory.class, "@NoLeaks", "the method %sFactory.open (@BeforeEach)"),
                Arguments.of(
                        ByCode.class,
                        "noLeaks(5, \"1 KB\")",
                        "the method %sByCode.open (@BeforeEach)"));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void repetitionIsRefused(Class<?> type, String rule, String setUp) {
        hasRun = false;

        assertThat(Kit.problem(type))
                .isInstanceOf(ExtensionConfigurationException.class)
                .hasMessageStartingWith("At " + HERE)
                .hasMessageEndingWith(
                        ": "
                                + rule
                                + " needs several runs, and a method that is only called again"
                                + " finds used what JUnit makes anew for each test: "
                                + setUp.formatted(HERE)
                                + ". Write @AllocationTest in place of @Test: each run then has a"
                                + " fresh instance with its set-up.");
        if (type != After.class) {
            assertThat(hasRun).isFalse();
        }
    }

    static final class Interceptor implements InvocationInterceptor {}

    @ExtendWith(Interceptor.class)
    @Timeout(60)
    static class Repeatable {

        @TempDir static Path directory;

        @BeforeAll
        static void open() {}

        @Test
        @NoAllocation(warmup = 2, minOf = 3)
        void test() {}

        @ParameterizedTest
        @ValueSource(strings = "a")
        @NoAllocation(warmup = 2, minOf = 3)
        void parameterized(String word, TestInfo info, AllocationProbe probe) {}
    }

    static class NeedsNoRepetition {

        @BeforeEach
        void open() {}

        @Test
        @NoAllocation
        void test() {}

        @AllocationTest(warmup = 1, minOf = 1)
        @NoAllocation(warmup = 1)
        void template() {}
    }

    @Test
    void whatCanBeCalledAgainIs() {
        Kit.assertPasses(Repeatable.class, 2);
        Kit.assertPasses(NeedsNoRepetition.class, 3);
    }

    // ---- the template ----

    static class NothingToJudge {

        @AllocationTest
        void test() {}
    }

    static class BesideTest {

        @AllocationTest
        @ParameterizedTest
        @ValueSource(ints = 1)
        @NoAllocation
        void test(int number) {}
    }

    static class Concurrent {

        @AllocationTest
        @Execution(ExecutionMode.CONCURRENT)
        @NoAllocation
        void test() {}
    }

    static class WrongRuns {

        @AllocationTest(minOf = 0)
        @NoAllocation
        void test() {}
    }

    static class AllowedAlone {

        @Test
        @MaxAllocation("1 MB")
        @AllowedLeak(reason = "why not", frames = "com.acme")
        void test() {}
    }

    static Stream<Arguments> wrong() {
        return Stream.of(
                Arguments.of(
                        NothingToJudge.class,
                        "@AllocationTest has nothing to judge. Add @NoAllocation, @MaxAllocation,"
                                + " @MaxRetained, @NoLeaks or @AllocationBaseline, or write"
                                + " @Test."),
                Arguments.of(
                        BesideTest.class,
                        "@ParameterizedTest stands beside @AllocationTest and would run it as well."
                                + " Remove @ParameterizedTest."),
                Arguments.of(
                        Concurrent.class,
                        "@Execution(CONCURRENT) stands beside @AllocationTest and would have runs"
                                + " beside each other. Remove @Execution(CONCURRENT)."),
                Arguments.of(WrongRuns.class, "minOf must be 1 or more, but is 0."),
                Arguments.of(
                        AllowedAlone.class,
                        "@AllowedLeak allows what nothing forbids. Add @NoLeaks or @MaxRetained, or"
                                + " remove @AllowedLeak."));
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void wrongTemplatesAreRefused(Class<?> type, String message) {
        assertThat(Kit.problem(type))
                .isInstanceOf(ExtensionConfigurationException.class)
                .hasMessage("At " + HERE + type.getSimpleName() + ".test: " + message);
    }

    @AllowedLeak(reason = "why not", frames = "com.acme")
    static class AllowedForAll {

        @RegisterExtension
        static final HeapSamplerExtension HEAP =
                HeapSamplerExtension.builder().maxRetained("1 MB").build();

        @Test
        @AllowedLeak(reason = "why not", frames = "com.acme")
        void test() {}
    }

    @Test
    void permissionsMayBelongToLimitsByCode() {
        Collections.assumeCollections();
        Kit.assertPasses(AllowedForAll.class, 1);
    }
}
