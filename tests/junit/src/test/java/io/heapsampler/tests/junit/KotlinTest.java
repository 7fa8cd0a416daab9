// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static io.heapsampler.assertions.AllocationAssertions.assertAllocations;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;

/** Tests that Kotlin's compiler has compiled from {@code src/kotlin}: their names and lines. */
@Tag("once")
class KotlinTest {

    private static final String SOURCE = "Sizes.kt";
    private static final String TYPE = "com.acme.größe.Größe und Maß";
    private static final String NESTED = TYPE + "$$ within";

    private final Thread thread = Thread.currentThread();
    private final ClassLoader before = thread.getContextClassLoader();
    private URLClassLoader loader;

    /** What the loader itself allocates for the classes is no part of the tests. */
    @BeforeEach
    void load() throws ClassNotFoundException {
        URL archive = getClass().getResource("kotlin.jar");
        loader = new URLClassLoader(new URL[] {archive}, before);
        Class.forName("com.acme.größe.SizesKt", true, loader);
        thread.setContextClassLoader(loader);
    }

    @AfterEach
    void unload() throws IOException {
        thread.setContextClassLoader(before);
        loader.close();
    }

    private Method method(String type, String name) {
        try {
            return loader.loadClass(type).getMethod(name);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private EngineExecutionResults run(Map<String, String> parameters, String type, String name) {
        return EngineTestKit.engine("junit-jupiter")
                .configurationParameter("heapsampler.junit.verdicts", "none")
                .configurationParameter("heapsampler.junit.artifacts", "never")
                .configurationParameters(parameters)
                .selectors(selectMethod(method(type, name).getDeclaringClass(), name))
                .execute();
    }

    private String message(Map<String, String> parameters, String type, String name) {
        List<Throwable> problems = Kit.problems(run(parameters, type, name));
        assertThat(problems).hasSize(1);
        return problems.get(0).getMessage();
    }

    /** The number of the line with this comment. */
    private static int line(String comment) throws IOException {
        List<String> lines = Files.readAllLines(Path.of("src/kotlin", SOURCE));
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).endsWith("// " + comment)) {
                return i + 1;
            }
        }
        throw new AssertionError("no line: " + comment);
    }

    @ParameterizedTest
    @ValueSource(strings = {SOURCE, "Elsewhere.kt"})
    void archiveIsCompiledFromTheseSources(String source) throws IOException {
        try (InputStream in = loader.getResourceAsStream(source)) {
            assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8))
                    .as("run src/kotlin/compile")
                    .isEqualTo(Files.readString(Path.of("src/kotlin", source)));
        }
    }

    /** Inlined code is numbered beyond the end of the file; messages show the line of the call. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                TYPE + "|fills what it is given|inlined here",
                TYPE + "|fills in a lambda, twice|in the lambda",
                TYPE + "|fills elsewhere|inlined from elsewhere",
                NESTED + "|costs $5|inlined in a nested class",
            })
    void lineIsThatOfTheCall(String type, String name, String comment) throws IOException {
        String frame = type + "." + name + "(" + SOURCE + ":" + line(comment) + ")";

        assertThat(message(Map.of(), type, name))
                .startsWith(type.substring(type.lastIndexOf('.') + 1).replaceAll(".*\\$\\$", "\\$"))
                .contains("." + name + "() allocated ")
                .contains("\n  1. byte[]: ")
                .contains("\n        at " + frame);
    }

    @Test
    void stackOfTheErrorHasTheLineOfTheCall() throws IOException {
        Throwable problem = Kit.problems(run(Map.of(), TYPE, "fills elsewhere")).get(0);

        assertThat(problem.getStackTrace()[0])
                .isEqualTo(
                        new StackTraceElement(
                                TYPE, "fills elsewhere", SOURCE, line("inlined from elsewhere")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", TYPE, "com.acme.größe.*Maß", TYPE + ", com.acme.other"})
    void ownCodeIsFoundBelowTheJdk(String ownCode) throws IOException {
        assertThat(
                        message(
                                Map.of("heapsampler.junit.ownCode", ownCode),
                                TYPE,
                                "copies, in the JDK"))
                .contains(
                        "\n     your code: "
                                + TYPE
                                + ".copies, in the JDK(Sizes.kt:"
                                + line("inlined above the JDK")
                                + ")\n        at java.util.Arrays.copyOf(");
    }

    @ParameterizedTest
    @ValueSource(strings = {NESTED, "com.acme.größe.Größe", TYPE + ".copies"})
    void ownCodeOfAnotherNameIsNot(String ownCode) {
        assertThat(
                        message(
                                Map.of("heapsampler.junit.ownCode", ownCode),
                                TYPE,
                                "copies, in the JDK"))
                .doesNotContain("your code: ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                TYPE,
                TYPE + ".fills in a lambda, twice",
                "com.acme.größe.Größe*.fills in*",
                "*.fills in a lambda, twice",
                "com.acme.größe",
            })
    void patternsMatch(String pattern) throws Exception {
        Object test = loader.loadClass(TYPE).getConstructor().newInstance();
        Method method = method(TYPE, "fills in a lambda, twice");

        assertAllocations(() -> method.invoke(test)).excluding(pattern).allocatesAtMost("1 KB");
        assertThatThrownBy(
                        () ->
                                assertAllocations(() -> method.invoke(test))
                                        .at(pattern)
                                        .allocatesAtMost("1 KB"))
                .hasMessageContaining("allocated 8,032 bytes, limit 1 KB");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {NESTED, TYPE + ".fills", TYPE + ".fills in a lambda", "com.acme.groesse"})
    void othersDoNot(String pattern) throws Exception {
        Object test = loader.loadClass(TYPE).getConstructor().newInstance();
        Method method = method(TYPE, "fills in a lambda, twice");

        assertAllocations(() -> method.invoke(test)).at(pattern).allocatesNothing();
    }

    @Test
    void baselineHasTheNameAsItsKey(@TempDir Path directory) throws IOException {
        String name = "costs $5 = 5 € @17";
        Map<String, String> updating =
                Map.of(
                        "heapsampler.junit.baseline.directory",
                        directory.toString(),
                        "heapsampler.junit.update",
                        "true");
        Map<String, String> comparing =
                Map.of("heapsampler.junit.baseline.directory", directory.toString());
        EngineExecutionResults written = run(updating, TYPE, name);

        assertThat(Kit.problems(written)).isEmpty();
        assertThat(Kit.entries(written)).contains("wrote 7,016 bytes to ");
        assertThat(Files.readAllLines(directory.resolve(TYPE + ".txt")))
                .contains(
                        TYPE + "." + name + "() @" + Runtime.version().feature() + " = 7,016",
                        "  7,016 byte[] " + TYPE + "." + name);
        assertThat(Kit.problems(run(comparing, TYPE, name))).isEmpty();
    }

    @Test
    void filesOfTheReportHavePlainNames(@TempDir Path directory) throws IOException {
        Method method = method(NESTED, "costs $5");
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(
                                        selectMethod(method.getDeclaringClass(), method.getName()))
                                .configurationParameter(
                                        "junit.platform.reporting.output.dir", directory.toString())
                                .configurationParameter("heapsampler.junit.verdicts", "none")
                                .build());

        try (Stream<Path> files = Files.walk(directory)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .contains("heap-MaxAllocation-1-KB.json", "heap-MaxAllocation-1-KB.html");
        }
    }

    @Test
    void entryOfTheReportHasTheFigure() {
        String name = "fills what it is given";

        assertThat(Kit.entries(run(Map.of(), TYPE, name)))
                .containsPattern(
                        "heapsampler @MaxAllocation\\(\"1 KB\"\\) = 'FAILED: 5,\\d{3} bytes of at"
                                + " most 1 KB \\(1,024 bytes\\); exact, ");
    }
}
