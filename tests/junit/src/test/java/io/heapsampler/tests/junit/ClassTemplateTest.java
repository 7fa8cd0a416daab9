// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.commons.support.ReflectionSupport;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineExecutionResults;

/**
 * Parameterized classes, which JUnit has from 5.13 on: each invocation of a test has a verdict of
 * its own. They are compiled here, since this module is compiled against an older JUnit.
 */
@Tag("once")
@EnabledIf("hasClassTemplates")
class ClassTemplateTest {

    private static final String PACKAGE = "com.acme.";

    private static final String SOURCE =
            """
            package com.acme;

            import io.heapsampler.junit.*;
            import java.util.*;
            import java.util.stream.Stream;
            import org.junit.jupiter.api.*;
            import org.junit.jupiter.api.extension.RegisterExtension;
            import org.junit.jupiter.params.*;
            import org.junit.jupiter.params.provider.*;

            final class Kept {
                static final List<Object> OBJECTS = new LinkedList<>();
                static volatile Object last;

                static void keep(int count) {
                    for (int i = 0; i < count; i++) {
                        OBJECTS.add(new byte[100]);
                    }
                }

                static Stream<Iterator<byte[]>> iterators() {
                    return Stream.of(List.of(new byte[10], new byte[20]).iterator());
                }

                static void drain(Iterator<byte[]> arrays) {
                    while (arrays.hasNext()) {
                        last = arrays.next().clone();
                    }
                }
            }

            @ParameterizedClass
            @ValueSource(ints = {0, 1})
            class OfMethod {
                private final int count;

                OfMethod(int count) {
                    this.count = count;
                }

                @Test
                @NoAllocation
                void test() {
                    Kept.keep(count);
                }
            }

            @NoAllocation
            @ParameterizedClass
            @ValueSource(ints = {0, 1})
            class OfClass {
                @Parameter int count;

                @Test
                void test() {
                    Kept.keep(count);
                }
            }

            class OfNestedClass {
                @Nested
                @NoAllocation
                @ParameterizedClass
                @ValueSource(ints = {0, 1})
                class Inner {
                    @Parameter int count;

                    @Test
                    void test() {
                        Kept.keep(count);
                    }
                }
            }

            @ParameterizedClass
            @ValueSource(ints = {0, 1})
            class OfCode {
                @RegisterExtension
                static final HeapSamplerExtension HEAP =
                        HeapSamplerExtension.builder().noAllocation().build();

                @Parameter int count;

                @Test
                void test() {
                    Kept.keep(count);
                }
            }

            @ParameterizedClass
            @ValueSource(ints = {0, 1})
            record Leaks(int count) {
                @Test
                @NoLeaks(iterations = 5)
                void test() {
                    Kept.keep(count);
                }
            }

            @ParameterizedClass
            @ValueSource(ints = {0, 1})
            class SeveralRuns {
                @Parameter int count;

                @AllocationTest(warmup = 1, minOf = 2)
                @NoAllocation
                void test() {
                    Kept.keep(count);
                }
            }

            @ParameterizedClass
            @ValueSource(ints = {0, 1})
            class LeaksInSeveralRuns {
                @Parameter int count;

                @BeforeEach
                void begin() {
                    Kept.last = new Object();
                }

                @AllocationTest
                @NoLeaks(iterations = 5)
                void test() {
                    Kept.keep(count);
                }
            }

            @ParameterizedClass
            @MethodSource("com.acme.Kept#iterators")
            class OneRun {
                @Parameter Iterator<byte[]> arrays;

                @Test
                @NoAllocation
                void test() {
                    Kept.drain(arrays);
                }
            }

            @ParameterizedClass
            @MethodSource("com.acme.Kept#iterators")
            class DrainsField {
                @Parameter Iterator<byte[]> arrays;

                @Test
                @NoAllocation(warmup = 1)
                void test() {
                    Kept.drain(arrays);
                }
            }

            @ParameterizedClass
            @MethodSource("com.acme.Kept#iterators")
            record DrainsArgument(Iterator<byte[]> arrays) {
                @Test
                @NoAllocation(warmup = 1)
                void test() {
                    Kept.drain(arrays);
                }
            }

            @ParameterizedClass
            @MethodSource("com.acme.Kept#iterators")
            class DrainsFieldInRuns {
                @Parameter Iterator<byte[]> arrays;

                @AllocationTest(warmup = 1)
                @NoAllocation
                void test() {
                    Kept.drain(arrays);
                }
            }

            @ParameterizedClass
            @MethodSource("com.acme.Kept#iterators")
            record DrainsArgumentInRuns(Iterator<byte[]> arrays) {
                @AllocationTest(warmup = 1)
                @NoAllocation
                void test() {
                    Kept.drain(arrays);
                }
            }

            @ParameterizedClass
            @ValueSource(ints = {0, 1})
            class Misplaced {
                @Parameter int count;

                @NoAllocation
                void helper() {}

                @Test
                void test() {}
            }
            """;

    private final Thread thread = Thread.currentThread();
    private final ClassLoader before = thread.getContextClassLoader();
    private URLClassLoader loader;

    @TempDir static Path directory;

    static boolean hasClassTemplates() {
        return ReflectionSupport.tryToLoadClass("org.junit.jupiter.params.ParameterizedClass")
                .toOptional()
                .isPresent();
    }

    @BeforeAll
    static void compile() throws Exception {
        Path source = Files.writeString(directory.resolve("Cases.java"), SOURCE);
        String classPath = System.getProperty("java.class.path");
        int status =
                ToolProvider.getSystemJavaCompiler()
                        .run(
                                null,
                                null,
                                null,
                                "-proc:none",
                                "-cp",
                                classPath,
                                "-d",
                                directory.toString(),
                                source.toString());
        assertThat(status).isZero();
    }

    @BeforeEach
    void load() throws Exception {
        loader = new URLClassLoader(new URL[] {directory.toUri().toURL()}, before);
        Class.forName(PACKAGE + "Kept", true, loader);
        thread.setContextClassLoader(loader);
    }

    @AfterEach
    void unload() throws Exception {
        thread.setContextClassLoader(before);
        loader.close();
    }

    private EngineExecutionResults run(String name) throws ClassNotFoundException {
        return Kit.run(loader.loadClass(PACKAGE + name));
    }

    private static List<TestExecutionResult.Status> outcomes(EngineExecutionResults results) {
        return results.testEvents().finished().stream()
                .map(event -> event.getRequiredPayload(TestExecutionResult.class).getStatus())
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"OfMethod", "OfClass", "OfNestedClass", "OfCode"})
    void eachInvocationHasItsVerdict(String name) throws Exception {
        EngineExecutionResults results = run(name);

        assertThat(outcomes(results))
                .as("%s", Kit.problems(results))
                .containsExactly(
                        TestExecutionResult.Status.SUCCESSFUL, TestExecutionResult.Status.FAILED);
        assertThat(Kit.problems(results))
                .singleElement()
                .asString()
                .containsPattern("test\\(\\) \\[2] .*1 allocated \\d+ bytes, limit 0 bytes");
    }

    @ParameterizedTest
    @CsvSource({"Leaks, 2", "LeaksInSeveralRuns, 22"})
    void eachInvocationLooksForLeaksByItself(String name, int runs) throws Exception {
        Collections.assumeCollections();
        EngineExecutionResults results = run(name);

        assertThat(outcomes(results))
                .hasSizeGreaterThanOrEqualTo(runs)
                .endsWith(TestExecutionResult.Status.FAILED)
                .containsOnlyOnce(TestExecutionResult.Status.FAILED);
        assertThat(Kit.problems(results))
                .singleElement()
                .asString()
                .containsPattern("test\\(\\) \\[2] .*1 leaks: \\d sites keep growing")
                .contains("byte[]: +1 object (120 bytes) in each of 5 runs");
    }

    @Test
    void eachInvocationHasItsRuns() throws Exception {
        EngineExecutionResults results = run("SeveralRuns");

        assertThat(outcomes(results))
                .hasSize(2 + 3)
                .endsWith(TestExecutionResult.Status.FAILED)
                .containsOnlyOnce(TestExecutionResult.Status.FAILED);
        assertThat(Kit.problems(results))
                .singleElement()
                .asString()
                .containsPattern("test\\(\\) \\[2] .*1 allocated \\d+ bytes, limit 0 bytes");
    }

    @Test
    void firstRunIsJudgedWithAnArgumentThatItUsesUp() throws Exception {
        assertThat(Kit.problems(run("OneRun")))
                .singleElement()
                .asString()
                .contains("allocated 72 bytes, limit 0 bytes");
    }

    /** All runs have the same argument, those of {@code @AllocationTest} as well. */
    @ParameterizedTest
    @CsvSource({
        "DrainsField, the field arrays has",
        "DrainsArgument, its constructor takes",
        "DrainsFieldInRuns, the field arrays has",
        "DrainsArgumentInRuns, its constructor takes"
    })
    void repetitionWithAnArgumentThatARunUsesUpIsRefused(String name, String place)
            throws Exception {
        assertThat(Kit.problems(run(name)))
                .isNotEmpty()
                .allSatisfy(
                        problem ->
                                assertThat(problem)
                                        .isInstanceOf(ExtensionConfigurationException.class)
                                        .hasMessage(
                                                "At com.acme."
                                                        + name
                                                        + ".test: @NoAllocation needs several runs,"
                                                        + " and all of them get the same argument"
                                                        + " of the parameterized class, which the"
                                                        + " first may use up: the Iterator that "
                                                        + place
                                                        + ". Let the class take plain values, such"
                                                        + " as numbers and strings, and make the"
                                                        + " rest in @BeforeEach."));
    }

    @Test
    void misplacedAnnotationFailsTheClass() throws Exception {
        assertThat(Launched.run(List.of(), loader.loadClass(PACKAGE + "Misplaced")))
                .isNotEmpty()
                .allMatch(line -> line.contains("is on a method that is no test"));
    }
}
