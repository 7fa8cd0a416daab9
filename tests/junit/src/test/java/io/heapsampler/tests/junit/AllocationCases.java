// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import io.heapsampler.assertions.ThreadScope;
import io.heapsampler.junit.MaxAllocation;
import io.heapsampler.junit.NoAllocation;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests with limits, for {@link AllocationTest}. */
final class AllocationCases {

    private AllocationCases() {}

    @NoAllocation
    @Retention(RetentionPolicy.RUNTIME)
    @interface GarbageFree {}

    static class Passing {

        @BeforeEach
        void isNotCounted() {
            Sink.kilobytes(5_000);
        }

        @Test
        @NoAllocation
        void nothing() {}

        @Test
        @NoAllocation(warmup = 0, minOf = 1)
        void nothingAtOnce() {}

        @Test
        @GarbageFree
        void nothingByAnAnnotationOfOnesOwn() {}

        @Test
        @MaxAllocation("1100 KB")
        void aMegabyte() {
            Sink.kilobytes(1_000);
        }

        @Test
        @MaxAllocation(value = "1 KB", types = StringBuilder.class)
        void otherTypesDoNotCount() {
            Sink.kilobytes(1_000);
        }

        @Test
        @MaxAllocation(value = "1 KB", packages = "io.heapsampler")
        void otherPackagesDoNotCount() {
            Sink.kilobytes(1_000);
        }

        @Test
        @MaxAllocation(value = "1 KB", exclude = "io.heapsampler.tests.junit.Sink.kilobytes")
        void whatIsExcludedDoesNotCount() {
            Sink.kilobytes(1_000);
        }

        @Test
        @MaxAllocation(value = "1100 KB", types = byte[].class)
        @MaxAllocation(value = "0 B", types = StringBuilder.class)
        void severalLimits() {
            Sink.kilobytes(1_000);
        }

        @Test
        @MaxAllocation(value = "16 KB")
        void otherThreadsDoNotCount() throws InterruptedException {
            inAnotherThread();
        }

        @Test
        @MaxAllocation(value = "2 MB", threads = ThreadScope.INHERITED)
        void threadsThatAreStarted() throws InterruptedException {
            inAnotherThread();
        }

        @Test
        @MaxAllocation(value = "2 MB", threads = ThreadScope.ALL)
        void allThreads() throws InterruptedException {
            inAnotherThread();
        }
    }

    private static void inAnotherThread() throws InterruptedException {
        Thread thread = new Thread(() -> Sink.kilobytes(1_000));
        thread.start();
        thread.join();
    }

    static class Object16 {
        @Test
        @NoAllocation
        void one() {
            Sink.last = new Object();
        }
    }

    static class OneObjectAtOnce {
        @Test
        @NoAllocation(warmup = 0, minOf = 1)
        void one() {
            Sink.last = new Object();
        }
    }

    static class TooMuch {
        @Test
        @MaxAllocation("1 MB")
        void aMegabyteAndMore() {
            Sink.kilobytes(1_200);
        }
    }

    static class TooMuchOfAType {
        @Test
        @MaxAllocation(value = "1 MB", types = byte[].class)
        void aMegabyteAndMore() {
            Sink.kilobytes(1_200);
        }
    }

    static class TooMuchInherited {
        @Test
        @MaxAllocation(value = "900 KB", threads = ThreadScope.INHERITED)
        void aMegabyte() throws InterruptedException {
            inAnotherThread();
        }
    }

    static class TooMuchInAll {
        @Test
        @MaxAllocation(value = "900 KB", threads = ThreadScope.ALL)
        void aMegabyte() throws InterruptedException {
            inAnotherThread();
        }
    }

    static class TwiceTooMuch {
        @Test
        @MaxAllocation(value = "1 MB")
        @MaxAllocation(value = "1 MB", types = byte[].class)
        void aMegabyteAndMore() {
            Sink.kilobytes(1_200);
        }
    }

    @MaxAllocation("1 MB")
    static class OnAClass {

        @Test
        void little() {}

        @Test
        void much() {
            Sink.kilobytes(1_200);
        }

        @Test
        @MaxAllocation("2 MB")
        void muchIsAllowedHere() {
            Sink.kilobytes(1_200);
        }

        @Nested
        class Inside {
            @Test
            void muchInside() {
                Sink.kilobytes(1_200);
            }
        }
    }

    static class InvokedOften {

        @ParameterizedTest
        @ValueSource(ints = {10, 2_000})
        @MaxAllocation("1 MB")
        void parameterized(int kilobytes) {
            Sink.kilobytes(kilobytes);
        }

        @RepeatedTest(2)
        @MaxAllocation("1 MB")
        void repeated() {
            Sink.kilobytes(2_000);
        }

        @TestFactory
        @MaxAllocation("1 MB")
        Stream<DynamicTest> dynamic() {
            return Stream.of(10, 2_000)
                    .map(
                            count ->
                                    DynamicTest.dynamicTest(
                                            "dynamic " + count, () -> Sink.kilobytes(count)));
        }

        @TestFactory
        @MaxAllocation("1 MB")
        DynamicContainer inContainers() {
            DynamicTest much = DynamicTest.dynamicTest("much", () -> Sink.kilobytes(2_000));
            DynamicTest little = DynamicTest.dynamicTest("little", () -> Sink.kilobytes(10));
            return DynamicContainer.dynamicContainer("inside", List.of(little, much));
        }

        @TestTemplate
        @ExtendWith(LittleAndMuch.class)
        @MaxAllocation("1 MB")
        void template(Integer kilobytes) {
            Sink.kilobytes(kilobytes);
        }
    }

    /** Two invocations of a template, each with its argument. */
    static class LittleAndMuch implements TestTemplateInvocationContextProvider {

        @Override
        public boolean supportsTestTemplate(ExtensionContext context) {
            return true;
        }

        @Override
        public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(
                ExtensionContext context) {
            return Stream.of(10, 2_000).map(Invocation::new);
        }

        private record Invocation(Integer kilobytes)
                implements TestTemplateInvocationContext, ParameterResolver {

            @Override
            public String getDisplayName(int index) {
                return "with " + kilobytes;
            }

            @Override
            public List<Extension> getAdditionalExtensions() {
                return List.of(this);
            }

            @Override
            public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
                return parameter.getParameter().getType() == Integer.class;
            }

            @Override
            public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
                return kilobytes;
            }
        }
    }

    static class NotRepeatable {

        private int runs;

        @Test
        @MaxAllocation(value = "1 KB", minOf = 2)
        void once() {
            if (++runs > 1) {
                throw new IllegalStateException("used up");
            }
            Sink.kilobytes(10);
        }
    }

    static class FailingByItself {
        @Test
        @MaxAllocation("1 KB")
        void fails() {
            Sink.kilobytes(10);
            throw new IllegalStateException("the test's own");
        }
    }
}
