// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.ByteSize;
import io.heapsampler.assertions.ThreadScope;
import io.heapsampler.assertions.internal.Allowances;
import io.heapsampler.assertions.internal.Pattern;
import io.heapsampler.assertions.internal.Rule;
import io.heapsampler.assertions.internal.Scope;
import io.heapsampler.junit.Limits.Runs;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Turns annotations into rules, with the defaults of a configuration. */
final class Annotations {

    /** All that assert something, for the search for misplaced ones. */
    static final List<Class<? extends Annotation>> ALL =
            List.of(
                    MaxAllocation.class,
                    MaxAllocation.Several.class,
                    NoAllocation.class,
                    MaxRetained.class,
                    MaxRetained.Several.class,
                    NoLeaks.class,
                    AllocationBaseline.class,
                    AllowedLeak.class,
                    AllowedLeak.Several.class);

    private final TestCase test;
    private final Configuration configuration;
    private final Allowances allowed;

    private Annotations(TestCase test, ExtensionContext context) {
        this.test = test;
        this.configuration = Configuration.of(context);
        this.allowed = Ledger.of(context).allowances(test);
    }

    /**
     * Reads the rules of a test: of each kind, those of the nearest element.
     *
     * @throws ExtensionConfigurationException if one cannot be understood; with the place
     */
    static List<Rule> rules(TestCase test, ExtensionContext context) {
        Annotations reader = new Annotations(test, context);
        try {
            test.repeats();
        } catch (IllegalArgumentException e) {
            throw Placement.refused(test.method(), String.valueOf(e.getMessage()), e);
        }
        return Stream.<BiConsumer<AnnotatedElement, Limits>>of(
                        reader::allocation, reader::survivors, reader::leaks, reader::baseline)
                .map(reader::nearest)
                .flatMap(List::stream)
                .toList();
    }

    private List<Rule> nearest(BiConsumer<AnnotatedElement, Limits> kind) {
        for (AnnotatedElement element : test.elements()) {
            try {
                Limits limits = new Limits();
                kind.accept(element, limits);
                List<Rule> rules = limits.rules(test, configuration, allowed);
                if (!rules.isEmpty()) {
                    return rules;
                }
            } catch (IllegalArgumentException e) {
                throw Placement.refused(element, String.valueOf(e.getMessage()), e);
            }
        }
        return List.of();
    }

    /** Whose allocations count, according to the annotations of an element. */
    static Set<ThreadScope> threads(AnnotatedElement element) {
        Set<ThreadScope> scopes = EnumSet.noneOf(ThreadScope.class);
        AnnotationLookup.findRepeated(element, MaxAllocation.class)
                .forEach(a -> scopes.add(a.threads()));
        AnnotationLookup.findRepeated(element, MaxRetained.class)
                .forEach(a -> scopes.add(a.threads()));
        AnnotationLookup.find(element, NoAllocation.class).ifPresent(a -> scopes.add(a.threads()));
        AnnotationLookup.find(element, NoLeaks.class)
                .ifPresent(a -> scopes.add(a.classLoaders() ? ThreadScope.ALL : a.threads()));
        return scopes;
    }

    /**
     * Returns the only annotation of a type.
     *
     * @throws IllegalArgumentException if there are several that differ, of which one would win
     */
    private static <A extends Annotation> Optional<A> one(AnnotatedElement element, Class<A> type) {
        if (!AnnotationLookup.mayHave(element, type)) {
            return Optional.empty();
        }
        Set<A> found = new HashSet<>();
        collect(element.getDeclaredAnnotations(), type, found, new HashSet<>());
        if (found.size() > 1) {
            throw new IllegalArgumentException(
                    "there are %s @%s that differ, as part of other annotations. Keep one."
                            .formatted(found.size(), type.getSimpleName()));
        }
        return AnnotationLookup.find(element, type);
    }

    private static <A extends Annotation> void collect(
            Annotation[] annotations, Class<A> type, Set<A> found, Set<Class<?>> seen) {
        for (Annotation annotation : annotations) {
            Class<? extends Annotation> own = annotation.annotationType();
            if (own == type) {
                found.add(type.cast(annotation));
            } else if (seen.add(own)) {
                collect(own.getDeclaredAnnotations(), type, found, seen);
            }
        }
    }

    private void allocation(AnnotatedElement element, Limits limits) {
        one(element, NoAllocation.class)
                .ifPresent(
                        a ->
                                limits.allocation(
                                        "@NoAllocation",
                                        scope(
                                                threads(a.threads()),
                                                a.types(),
                                                a.packages(),
                                                a.exclude()),
                                        new Runs(a.warmup(), a.minOf()),
                                        "0 B",
                                        0,
                                        -1));
        for (MaxAllocation a : AnnotationLookup.findRepeated(element, MaxAllocation.class)) {
            limits.allocation(
                    "@MaxAllocation(\"" + a.value() + "\")",
                    scope(threads(a.threads()), a.types(), a.packages(), a.exclude()),
                    new Runs(a.warmup(), a.minOf()),
                    a.value(),
                    ByteSize.parse(a.value()),
                    interval(a.interval()));
        }
    }

    private void survivors(AnnotatedElement element, Limits limits) {
        for (MaxRetained a : AnnotationLookup.findRepeated(element, MaxRetained.class)) {
            limits.survivors(
                    "@MaxRetained(\"" + a.value() + "\")",
                    scope(a.threads(), a.types(), a.packages(), a.exclude()),
                    new Runs(a.warmup(), a.minOf()),
                    a.value(),
                    ByteSize.parse(a.value()),
                    interval(a.interval()));
        }
    }

    private void leaks(AnnotatedElement element, Limits limits) {
        one(element, NoLeaks.class).ifPresent(a -> leaks(a, limits));
    }

    private void leaks(NoLeaks a, Limits limits) {
        int iterations = a.iterations() == -1 ? configuration.iterations : a.iterations();
        limits.leaks(
                "@NoLeaks",
                scope(a.threads(), a.types(), a.packages(), a.exclude()),
                a.warmup(),
                iterations,
                a.perSite().isBlank() ? configuration.perSite : ByteSize.parse(a.perSite()));
        if (a.classLoaders()) {
            limits.loaders(
                    "@NoLeaks(classLoaders = true)",
                    Pattern.all(a.exclude()),
                    a.warmup(),
                    iterations);
        }
    }

    private void baseline(AnnotatedElement element, Limits limits) {
        one(element, AllocationBaseline.class)
                .ifPresent(
                        a ->
                                limits.baseline(
                                        "@AllocationBaseline",
                                        new Runs(a.warmup(), a.minOf()),
                                        a.file(),
                                        a.tolerance()));
    }

    private ThreadScope threads(ThreadScope written) {
        return written == ThreadScope.DEFAULT ? configuration.threads : written;
    }

    static Scope scope(ThreadScope threads, Class<?>[] types, String[] packages, String[] exclude) {
        return new Scope(
                threads,
                Arrays.stream(types).map(Class::getTypeName).toList(),
                List.of(packages),
                List.of(),
                Pattern.all(exclude));
    }

    private static long interval(String text) {
        return text.isBlank() ? -1 : ByteSize.parse(text);
    }
}
