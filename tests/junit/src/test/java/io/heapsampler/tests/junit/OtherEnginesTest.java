// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static io.heapsampler.assertions.AllocationAssertions.assertAllocations;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.support.JvmProcess;
import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.AssumptionViolatedException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;
import org.opentest4j.TestAbortedException;
import org.testng.ITestListener;
import org.testng.ITestResult;
import org.testng.SkipException;
import org.testng.TestNG;

/**
 * Assertions under JUnit 4 and TestNG: what passes, what fails with its message, and what becomes
 * of a test that could not be measured. In a JVM of its own, without JUnit 5, and under Epsilon,
 * where nothing can say what leaks.
 */
@Tag("once")
class OtherEnginesTest {

    private static void within() {
        assertAllocations(() -> Sink.kilobytes(10)).allocatesAtMost("10 KB");
    }

    private static void beyond() {
        assertAllocations(() -> Sink.kilobytes(10)).allocatesAtMost("1 KB");
    }

    private static void unmeasured() {
        assertAllocations(() -> Sink.kilobytes(10)).iterations(5).leaksAtMost("1 KB");
    }

    /** Run by JUnit 4. */
    public static final class JUnit4Cases {

        @org.junit.Test
        public void passes() {
            within();
        }

        @org.junit.Test
        public void fails() {
            beyond();
        }

        @org.junit.Test
        public void aborts() {
            unmeasured();
        }

        @org.junit.Test
        public void skips() {
            try {
                unmeasured();
            } catch (TestAbortedException e) {
                throw new AssumptionViolatedException(e.getMessage(), e);
            }
        }
    }

    /** Run by TestNG. */
    public static final class TestNgCases {

        @org.testng.annotations.Test
        public void passes() {
            within();
        }

        @org.testng.annotations.Test
        public void fails() {
            beyond();
        }

        @org.testng.annotations.Test
        public void aborts() {
            unmeasured();
        }

        @org.testng.annotations.Test
        public void skips() {
            try {
                unmeasured();
            } catch (TestAbortedException e) {
                throw new SkipException(e.getMessage(), e);
            }
        }
    }

    /** Prints what JUnit 4 says. */
    private static final class JUnit4Report extends RunListener {

        @Override
        public void testFailure(Failure failure) {
            print("JUnit 4", "failed", name(failure), failure.getException());
        }

        @Override
        public void testAssumptionFailure(Failure failure) {
            print("JUnit 4", "skipped", name(failure), failure.getException());
        }

        @Override
        public void testFinished(Description test) {
            print("JUnit 4", "finished", test.getMethodName(), null);
        }

        private static String name(Failure failure) {
            return failure.getDescription().getMethodName();
        }
    }

    /** Prints what TestNG says. */
    private static final class TestNgReport implements ITestListener {

        @Override
        public void onTestSuccess(ITestResult result) {
            print("TestNG", "finished", result.getName(), null);
        }

        @Override
        public void onTestFailure(ITestResult result) {
            print("TestNG", "failed", result.getName(), result.getThrowable());
        }

        @Override
        public void onTestSkipped(ITestResult result) {
            print("TestNG", "skipped", result.getName(), result.getThrowable());
        }
    }

    private static void print(String engine, String what, String test, Throwable problem) {
        String text = problem == null ? "" : ": " + problem;
        System.out.println(engine + ": " + test + " " + what + text);
    }

    /** The other JVM. */
    static final class Main {

        private Main() {}

        public static void main(String[] args) {
            try {
                Class.forName("org.junit.jupiter.api.Test");
            } catch (ClassNotFoundException e) {
                System.out.println("no JUnit 5");
            }
            JUnitCore junit = new JUnitCore();
            junit.addListener(new JUnit4Report());
            junit.run(JUnit4Cases.class);
            TestNG testng = new TestNG(false);
            testng.setTestClasses(new Class<?>[] {TestNgCases.class});
            testng.addListener(new TestNgReport());
            testng.run();
        }
    }

    @Test
    void eachReportsItsOwnWay() throws Exception {
        JvmProcess.End end =
                ForkedJvm.run(
                        List.of(
                                "-XX:+UnlockExperimentalVMOptions",
                                "-XX:+UseEpsilonGC",
                                "-cp",
                                pathWithoutJUnit5(),
                                Main.class.getName()));

        assertThat(end.code()).as(end.output()).isZero();
        assertThat(end.output()).contains("no JUnit 5");
        for (String engine : List.of("JUnit 4", "TestNG")) {
            assertThat(end.output())
                    .contains(engine + ": passes finished\n")
                    .doesNotContain(engine + ": passes failed")
                    .contains(
                            engine
                                    + ": fails failed: org.opentest4j.AssertionFailedError: The"
                                    + " code allocated 10,160 bytes, limit 1 KB (1,024 bytes): ")
                    .contains(
                            engine
                                    + ": aborts failed: org.opentest4j.TestAbortedException:"
                                    + " leaksAtMost(\"1 KB\") of the code was not measured."
                                    + " The Epsilon collector collects")
                    .containsPattern(
                            engine
                                    + ": skips skipped: org\\.(junit|testng)\\.\\w+:"
                                    + " leaksAtMost\\(\"1 KB\"\\) of the code was not"
                                    + " measured\\.");
        }
    }

    private static String pathWithoutJUnit5() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !name(entry).matches("(junit-(jupiter|platform)|surefire).*"))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static String name(String entry) {
        return Path.of(entry).getFileName().toString();
    }
}
