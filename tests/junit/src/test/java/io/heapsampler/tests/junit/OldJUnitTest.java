// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.junit.HeapSamplerExtension;
import io.heapsampler.junit.MaxAllocation;
import io.heapsampler.junit.NoLeaks;
import io.heapsampler.support.JvmProcess;
import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Under a JUnit before 5.12, classes with our annotations fail with that reason; others run. */
@Tag("once")
class OldJUnitTest {

    static class Plain {

        @Test
        void passes() {}
    }

    static class OnMethod {

        @Test
        @MaxAllocation("1 MB")
        void test() {}
    }

    @NoLeaks
    static class OnClass {

        @Test
        void test() {}

        @Nested
        class Inner {

            @Test
            void test() {}
        }
    }

    static class ByCode {

        @RegisterExtension
        static final HeapSamplerExtension HEAP =
                HeapSamplerExtension.builder().maxAllocation("1 MB").build();

        @Test
        void test() {}
    }

    /** The other JVM. */
    static final class Main {

        private Main() {}

        public static void main(String[] args) {
            Launched.run(List.of(), Plain.class, OnMethod.class, OnClass.class, ByCode.class)
                    .forEach(System.out::println);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"5.11.4", "5.9.3"})
    void saysSoInOneSentence(String version) throws Exception {
        JvmProcess.End end = ForkedJvm.run(List.of("-cp", pathWith(version), Main.class.getName()));

        assertThat(end.code()).as(end.output()).isZero();
        String refused =
                " FAILED: heapsampler-junit needs JUnit 5.12 or later, but this is JUnit "
                        + version
                        + ". Raise its version in your build: with Spring Boot before 3.5, set the"
                        + " property junit-jupiter.version to 5.12.2 or later; else import a later"
                        + " org.junit:junit-bom.";
        assertThat(end.output().lines())
                .map(line -> line.replaceFirst("^OldJUnitTest\\$", ""))
                .containsExactlyInAnyOrder(
                        "passes() SUCCESSFUL",
                        "OnMethod" + refused,
                        "OnClass" + refused,
                        "ByCode" + refused);
    }

    private static String pathWith(String version) {
        Stream<String> others =
                Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                        .filter(entry -> !name(entry).matches("junit-(jupiter|platform).*"));
        return Stream.concat(others, Stream.of("target/junit-" + version + "/*"))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static String name(String entry) {
        return Path.of(entry).getFileName().toString();
    }
}
