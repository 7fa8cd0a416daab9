// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.examples.readme;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.heapsampler.HeapSampler;
import io.heapsampler.examples.Hello;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Holds the README to the code: each block of Java in it is a region of a class that is compiled
 * and run here, except for white space.
 */
class ReadmeTest {

    private static final Path ROOT = Path.of(System.getProperty("readme.root", "../.."));

    private static final Pattern BLOCK = Pattern.compile("(?ms)^```java\\n(.*?)^```$");
    private static final Pattern REGION =
            Pattern.compile("(?ms)^ *// readme: (\\w+)\\n(.*?)^ *// end$");

    @AfterEach
    void forget() {
        HeapSampler.stop();
        HeapSampler.reset();
    }

    @Test
    void everyBlockOfJavaIsARegionAndEveryRegionIsABlock() throws IOException {
        List<String> blocks =
                BLOCK.matcher(Files.readString(ROOT.resolve("README.md")))
                        .results()
                        .map(block -> squeezed(block.group(1)))
                        .toList();
        Map<String, String> regions = regions();

        assertThat(regions).contains(entry("hello", blocks.get(0)));
        assertThat(regions.values()).containsExactlyInAnyOrderElementsOf(blocks);
    }

    @TestFactory
    Stream<DynamicTest> everyRegionRuns() {
        return Stream.of(
                        SamplingSnippets.class,
                        LabelSnippets.class,
                        LivenessSnippets.class,
                        AssertionSnippets.class,
                        ExportSnippets.class,
                        HttpSnippets.class,
                        PushSnippets.class,
                        DoctorSnippets.class)
                .flatMap(snippets -> Arrays.stream(snippets.getDeclaredMethods()))
                .filter(method -> Modifier.isPublic(method.getModifiers()))
                .map(this::testOf);
    }

    private DynamicTest testOf(Method snippet) {
        return DynamicTest.dynamicTest(
                snippet.getName(),
                () -> {
                    try {
                        snippet.invoke(null);
                    } finally {
                        forget(); // JUnit calls it once for all dynamic tests
                    }
                });
    }

    @Test
    void helloRuns() {
        Hello.main(new String[0]);
    }

    private static Map<String, String> regions() throws IOException {
        Map<String, String> regions = new TreeMap<>();
        for (Path source : sources()) {
            Matcher matcher = REGION.matcher(Files.readString(source));
            while (matcher.find()) {
                String before = regions.put(matcher.group(1), squeezed(matcher.group(2)));
                assertThat(before).as("two regions named " + matcher.group(1)).isNull();
            }
        }
        return regions;
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT.resolve("examples"))) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> file.toString().matches(".*/src/(main|test)/java/.*"))
                    .filter(file -> !file.endsWith("ReadmeTest.java"))
                    .collect(Collectors.toList());
        }
    }

    private static String squeezed(String code) {
        return code.replaceAll("\\s+", "");
    }
}
