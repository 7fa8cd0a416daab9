// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.assertions.internal.Repeats;
import io.heapsampler.assertions.internal.Rule;
import io.heapsampler.assertions.internal.Trials;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Supplier;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.platform.commons.support.AnnotationSupport;

/** Gives a method with {@link AllocationTest} as many invocations as its limits need runs. */
final class AllocationTestExtension implements TestTemplateInvocationContextProvider {

    @Override
    public boolean supportsTestTemplate(ExtensionContext context) {
        return context.getTestMethod().filter(AllocationTestExtension::isOn).isPresent();
    }

    /** Is a method such a test? */
    static boolean isOn(Method method) {
        return AnnotationLookup.isAnnotated(method, AllocationTest.class);
    }

    @Override
    public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(
            ExtensionContext context) {
        TestCase test = TestCase.of(context);
        requireAlone(test.method());
        TemplateRuns runs = new TemplateRuns(planned(test, context));
        context.getStore(TemplateRuns.NAMESPACE).put(TemplateRuns.class, runs);
        return StreamSupport.stream(
                Spliterators.spliteratorUnknownSize(runs, Spliterator.ORDERED), false);
    }

    private static Repeats planned(TestCase test, ExtensionContext context) {
        List<Rule> rules = Annotations.rules(test, context);
        if (rules.isEmpty()) {
            return test.repeats().orElse(Repeats.NONE);
        }
        int warmup = rules.stream().mapToInt(rule -> rule.repeats().warmup()).max().orElse(0);
        int total = rules.stream().mapToInt(rule -> rule.repeats().total()).max().orElse(1);
        warmup = Math.min(warmup, total - 1);
        return new Repeats(warmup, total - warmup);
    }

    /** Refuses what would add runs of its own, or have several at once. */
    private static void requireAlone(Method method) {
        for (Annotation annotation : method.getAnnotations()) {
            Class<? extends Annotation> type = annotation.annotationType();
            boolean isTest = isOrHas(type, Test.class) || isOrHas(type, TestTemplate.class);
            if (isTest && !isOrHas(type, AllocationTest.class)) {
                throw refused(method, "@" + type.getSimpleName(), "would run it as well");
            }
        }
        boolean isConcurrent =
                AnnotationSupport.findAnnotation(method, Execution.class)
                        .filter(execution -> execution.value() == ExecutionMode.CONCURRENT)
                        .isPresent();
        if (isConcurrent) {
            throw refused(method, "@Execution(CONCURRENT)", "would have runs beside each other");
        }
    }

    private static boolean isOrHas(Class<?> type, Class<? extends Annotation> wanted) {
        return type == wanted || AnnotationSupport.isAnnotated(type, wanted);
    }

    private static ExtensionConfigurationException refused(
            Method method, String annotation, String why) {
        return Placement.refused(
                method,
                "%s stands beside @AllocationTest and %s. Remove %s."
                        .formatted(annotation, why, annotation),
                null);
    }

    /**
     * The runs of one {@link AllocationTest}, and the trials that observe them. JUnit requests the
     * next invocation when the one before has ended. Used by one thread at a time; closed with the
     * test.
     */
    @SuppressWarnings("deprecation") // 5.12 closes nothing else; later ones also close this.
    static final class TemplateRuns
            implements Iterator<TestTemplateInvocationContext>,
                    Store.CloseableResource,
                    AutoCloseable {

        private static final Namespace NAMESPACE = Namespace.create(TemplateRuns.class);

        private final Repeats planned;
        private @Nullable Trials trials;
        private int begun;
        private int completed;

        private TemplateRuns(Repeats planned) {
            this.planned = planned;
        }

        /** Returns those to which an invocation belongs. */
        static TemplateRuns of(ExtensionContext invocation) {
            return invocation.getStore(NAMESPACE).get(TemplateRuns.class, TemplateRuns.class);
        }

        /** Returns the trials, which begin with the first run. */
        Trials trials(Supplier<Trials> beginning) {
            if (trials == null) {
                trials = beginning.get();
            }
            return trials;
        }

        /** The method has returned. */
        void complete() {
            completed = begun;
        }

        /** After a run that was not completed, nothing that would follow could be judged. */
        @Override
        public boolean hasNext() {
            if (begun == 0) {
                return true;
            }
            return completed == begun && trials != null && trials.needMore();
        }

        @Override
        public TestTemplateInvocationContext next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            begun++;
            return new Run(name());
        }

        private String name() {
            int judged = begun - planned.warmup();
            if (judged <= 0) {
                return "warm-up " + begun + " of " + planned.warmup();
            }
            return judged <= planned.judged()
                    ? "run " + judged + " of " + planned.judged()
                    : "run " + judged;
        }

        @Override
        public void close() {
            if (trials != null) {
                trials.close();
            }
        }

        /** One invocation. */
        private record Run(String name) implements TestTemplateInvocationContext {

            @Override
            public String getDisplayName(int invocationIndex) {
                return name;
            }
        }
    }
}
