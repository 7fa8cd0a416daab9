// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.assertions.ThreadScope;
import io.heapsampler.junit.AllocationTest;
import io.heapsampler.junit.MaxAllocation;
import io.heapsampler.junit.NoAllocation;
import io.heapsampler.junit.NoLeaks;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opentest4j.AssertionFailedError;

/** What other extensions do with a test does not make it pass unseen. */
class ForeignExtensionsTest {

    private static final String HERE = "io.heapsampler.tests.junit.ForeignExtensionsTest$";

    private static int runs;

    @AfterEach
    void forget() {
        Sink.forget();
        runs = 0;
    }

    // ---- what they do around each test ----

    /** Does its work in the thread of the test. */
    static final class Around implements InvocationInterceptor {

        @Override
        public void interceptTestMethod(
                Invocation<Void> invocation,
                ReflectiveInvocationContext<Method> call,
                ExtensionContext context)
                throws Throwable {
            invocation.proceed();
        }
    }

    @ExtendWith(Around.class)
    static class Intercepted {

        @Test
        @NoLeaks
        void test() {}
    }

    /** Gives each invocation an extension that JUnit does not show to others. */
    static final class Invocations implements TestTemplateInvocationContextProvider {

        @Override
        public boolean supportsTestTemplate(ExtensionContext context) {
            return true;
        }

        @Override
        public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(
                ExtensionContext context) {
            return Stream.of(
                    new TestTemplateInvocationContext() {
                        @Override
                        public List<Extension> getAdditionalExtensions() {
                            return List.of((BeforeEachCallback) each -> runs = 0);
                        }
                    });
        }
    }

    static class OfTemplate {

        @TestTemplate
        @ExtendWith(Invocations.class)
        @NoAllocation(warmup = 1)
        void test() {
            Sink.last = runs++ == 0 ? new byte[1_000] : Sink.last;
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {Intercepted.class, OfTemplate.class})
    void repetitionIsRefused(Class<?> type) {
        String extension = type == Intercepted.class ? "Around" : "Invocations";

        assertThat(Kit.problem(type))
                .isInstanceOf(ExtensionConfigurationException.class)
                .hasMessageStartingWith("At " + HERE + type.getSimpleName() + ".test: @No")
                .hasMessageEndingWith(
                        " needs several runs, and a method that is only called again finds used"
                                + " what JUnit makes anew for each test: the extension "
                                + HERE
                                + extension
                                + ". Write @AllocationTest in place of @Test: each run then has a"
                                + " fresh instance with its set-up.");
    }

    // ---- the thread of the body ----

    /** Has the body, and extensions that are registered later, run in another thread. */
    static final class Elsewhere implements InvocationInterceptor {

        @Override
        public void interceptTestMethod(
                Invocation<Void> invocation,
                ReflectiveInvocationContext<Method> call,
                ExtensionContext context)
                throws Throwable {
            move(invocation);
        }

        @Override
        public void interceptTestTemplateMethod(
                Invocation<Void> invocation,
                ReflectiveInvocationContext<Method> call,
                ExtensionContext context)
                throws Throwable {
            move(invocation);
        }

        private static void move(Invocation<Void> invocation) throws Exception {
            FutureTask<Void> task =
                    new FutureTask<>(
                            () -> {
                                try {
                                    return invocation.proceed();
                                } catch (Throwable e) {
                                    throw new IllegalStateException(e);
                                }
                            });
            new Thread(task).start();
            task.get();
        }
    }

    @MaxAllocation("100 KB")
    static class Moved {

        @Test
        @ExtendWith(Elsewhere.class)
        void test() {
            runs++;
        }
    }

    @NoLeaks(iterations = 5)
    static class MovedTemplate {

        @AllocationTest
        @ExtendWith(Elsewhere.class)
        void test() {
            runs++;
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {Moved.class, MovedTemplate.class})
    void bodyThatMayRunInAnotherThreadIsNoPass(Class<?> type) {
        String limit = type == Moved.class ? "@MaxAllocation(\"100 KB\")" : "@NoLeaks";

        assertThat(Kit.problem(type))
                .isInstanceOf(ExtensionConfigurationException.class)
                .hasMessage(
                        "At "
                                + HERE
                                + type.getSimpleName()
                                + ".test: "
                                + limit
                                + " counts the thread of the test, and the extension "
                                + HERE
                                + "Elsewhere is called between HeapSampler and the body of the"
                                + " test, where it may change the thread. Register it before"
                                + " HeapSampler: with the class or in a static field, while the"
                                + " limit is at the test. Or let all threads count, with threads ="
                                + " ALL.");
        assertThat(runs).isZero();
    }

    static class Measured {

        @Test
        @ExtendWith(Around.class)
        @NoAllocation
        void inThisThread() {}

        @Test
        @ExtendWith(Elsewhere.class)
        @NoAllocation
        void inTheThreadOfTheExtension() {}

        @Test
        @MaxAllocation(value = "1 MB", threads = ThreadScope.INHERITED)
        @ExtendWith(Elsewhere.class)
        void whereThreadsCount() {
            Sink.last = new byte[10_000];
        }

        @Test
        @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
        @NoAllocation
        void inTheThreadOfTimeout() {}
    }

    @Test
    void bodyIsMeasuredWhereItRuns() {
        Kit.assertPasses(Measured.class, 4);
    }

    // ---- the end of the body ----

    static final class Swallow implements TestExecutionExceptionHandler {

        @Override
        public void handleTestExecutionException(ExtensionContext context, Throwable e) {}
    }

    static final class Skip implements InvocationInterceptor {

        @Override
        public void interceptTestMethod(
                Invocation<Void> invocation,
                ReflectiveInvocationContext<Method> call,
                ExtensionContext context) {
            invocation.skip();
        }
    }

    static class Swallowed {

        @Test
        @NoAllocation
        @ExtendWith(Swallow.class)
        void test() {
            throw new IllegalStateException("hidden");
        }
    }

    static class SwallowedTemplate {

        @AllocationTest(warmup = 1)
        @NoAllocation
        @ExtendWith(Swallow.class)
        void test() {
            if (runs++ == 1) {
                throw new IllegalStateException("hidden");
            }
        }
    }

    @ExtendWith(Skip.class)
    static class Skipped {

        @Test
        @NoAllocation
        void test() {
            Sink.last = new byte[10_000];
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {Swallowed.class, SwallowedTemplate.class, Skipped.class})
    void bodyThatDoesNotEndIsNoPass(Class<?> type) {
        assertThat(Kit.problem(type))
                .isInstanceOf(AssertionFailedError.class)
                .message()
                .startsWith(type.getSimpleName() + ".test()")
                .endsWith(
                        " was not judged: its method did not run to its end, and another extension"
                                + " hid that. Let the extension not skip the test, nor swallow what"
                                + " it throws; expect an exception with assertThrows.");
    }
}
