// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heapsampler.junit.AllocationTest;
import io.heapsampler.junit.AllowedLeak;
import io.heapsampler.junit.HeapSamplerExtension;
import io.heapsampler.junit.NoLeaks;
import io.heapsampler.support.JvmProcess;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.opentest4j.MultipleFailuresError;

/** Limits on class loaders as annotations and by code, and a JVM that unloads no class. */
@ExtendWith(HoldersAreSearched.class)
class ClassLoaderLimitsTest {

    private static final List<Object> KEPT = new ArrayList<>();

    @BeforeEach
    void needsCollections() {
        Collections.assumeCollections();
    }

    @AfterEach
    void forget() {
        KEPT.clear();
    }

    static class Leaving {
        @Test
        @NoLeaks(classLoaders = true, iterations = 5)
        void leaves() {
            KEPT.add(Plugins.open());
        }
    }

    @Test
    void bothRulesOfTheAnnotationFail() {
        Throwable problem = Kit.problem(Leaving.class);

        assertThat(((MultipleFailuresError) problem).getFailures())
                .satisfiesExactly(
                        objects ->
                                assertThat(objects)
                                        .hasMessageStartingWith("Leaving.leaves() leaks: "),
                        loaders ->
                                assertThat(loaders)
                                        .hasMessageStartingWith(
                                                "Leaving.leaves() leaves class loaders behind: ")
                                        .hasMessageContaining("Held by: "));
    }

    static class Dropping {

        private Object field;

        @Test
        @NoLeaks(classLoaders = true, iterations = 5)
        void drops() throws Exception {
            Plugins.start().run();
        }

        @AllocationTest
        @NoLeaks(classLoaders = true, iterations = 5)
        void dropsWithFreshInstances() throws Exception {
            field = Plugins.start();
        }

        @Test
        @NoLeaks(classLoaders = true, iterations = 5)
        void keepsInItsInstance() throws Exception {
            field = Plugins.start();
        }

        @Test
        @NoLeaks(classLoaders = true, iterations = 5)
        @AllowedLeak(
                reason = "for the test",
                frames = {"java.net.URLClassLoader", "io.heapsampler.tests.junit.*"})
        void keepsWhatItMay() {
            KEPT.add(Plugins.open());
        }
    }

    @Test
    void testsThatLeaveNonePass() {
        EngineExecutionResults results = Kit.run(Dropping.class);

        assertThat(Kit.problems(results)).isEmpty();
        assertThat(Kit.entries(results))
                .contains("PASSED: no class loader stays in 8 runs")
                .contains("PASSED: no class loader stays in 14 runs; 11 loaders allowed");
    }

    static class ByCode {

        @RegisterExtension
        static final HeapSamplerExtension HEAP =
                HeapSamplerExtension.builder().noClassLoadersLeft(5).build();

        @Test
        void leaves() {
            KEPT.add(Plugins.open());
        }
    }

    @Test
    @Tag("once")
    void aLimitThatIsSetByCodeFails() {
        assertThat(Kit.problem(ByCode.class))
                .hasMessageStartingWith("ByCode.leaves() leaves class loaders behind: ");
        assertThatThrownBy(() -> HeapSamplerExtension.builder().noClassLoadersLeft(4))
                .hasMessageStartingWith("iterations must be from 5 to 1000, but is 4.");
        assertThatThrownBy(
                        () ->
                                HeapSamplerExtension.builder()
                                        .noClassLoadersLeft(5)
                                        .noClassLoadersLeft(6))
                .hasMessage(
                        "noClassLoadersLeft(6) and another limit are about the same class loaders."
                                + " Keep one, or let types, packages, exclude or threads tell them"
                                + " apart.");
    }

    /** In a JVM that unloads no class. */
    static final class Main {

        private Main() {}

        public static void main(String[] args) {
            System.out.println(Kit.problem(ByCode.class).getMessage());
        }
    }

    @Test
    @Tag("once")
    void nothingIsMeasuredWhereTheJvmUnloadsNoClasses() throws Exception {
        JvmProcess.End end =
                ForkedJvm.run(
                        List.of(
                                "-XX:-ClassUnloading",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Main.class.getName()));

        assertThat(end.code()).as(end.output()).isZero();
        assertThat(end.output())
                .contains(
                        "noClassLoadersLeft(5) of ByCode.leaves() was not measured. This JVM"
                            + " unloads no classes (-XX:-ClassUnloading or -Xnoclassgc), so that"
                            + " each class loader stays. Run the test without that option.");
    }
}
