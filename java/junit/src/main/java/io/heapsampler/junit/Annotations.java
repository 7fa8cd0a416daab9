// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.assertions.ThreadScope;
import io.heapsampler.assertions.internal.AllocationRule;
import io.heapsampler.assertions.internal.Allowances;
import io.heapsampler.assertions.internal.Baseline;
import io.heapsampler.assertions.internal.BaselineRule;
import io.heapsampler.assertions.internal.Bytes;
import io.heapsampler.assertions.internal.LeakRule;
import io.heapsampler.assertions.internal.Pattern;
import io.heapsampler.assertions.internal.RetentionRule;
import io.heapsampler.assertions.internal.Rule;
import io.heapsampler.assertions.internal.Scope;
import io.heapsampler.assertions.internal.Share;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.platform.commons.support.AnnotationSupport;

/** From annotations to rules. What cannot be understood is an {@link IllegalArgumentException}. */
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

    private Annotations() {}

    /** Whose allocations count, according to the annotations of an element. */
    static Set<ThreadScope> threads(AnnotatedElement element) {
        Set<ThreadScope> scopes = EnumSet.noneOf(ThreadScope.class);
        repeated(element, MaxAllocation.class).forEach(a -> scopes.add(a.threads()));
        repeated(element, MaxRetained.class).forEach(a -> scopes.add(a.threads()));
        AnnotationSupport.findAnnotation(element, NoAllocation.class)
                .ifPresent(a -> scopes.add(a.threads()));
        AnnotationSupport.findAnnotation(element, NoLeaks.class)
                .ifPresent(a -> scopes.add(a.threads()));
        return scopes;
    }

    private static <A extends Annotation> List<A> repeated(
            AnnotatedElement element, Class<A> type) {
        return AnnotationSupport.findRepeatableAnnotations(element, type);
    }

    /** Limits of what is allocated. */
    static List<Rule> allocation(AnnotatedElement element) {
        List<Rule> rules = new ArrayList<>();
        Set<Scope> scopes = new HashSet<>();
        AnnotationSupport.findAnnotation(element, NoAllocation.class)
                .map(Annotations::none)
                .ifPresent(
                        rule -> {
                            scopes.add(rule.scope());
                            rules.add(rule);
                        });
        for (MaxAllocation a : repeated(element, MaxAllocation.class)) {
            Scope scope = scope(a.threads(), a.types(), a.packages(), a.exclude());
            String name = "@MaxAllocation(\"" + a.value() + "\")";
            if (!scopes.add(scope)) {
                throw new IllegalArgumentException(
                        name
                                + " and another limit are about the same allocations. Keep one, or"
                                + " let types, packages, exclude or threads tell them apart.");
            }
            rules.add(
                    new AllocationRule(
                            name,
                            scope,
                            a.value(),
                            Bytes.parse(a.value()),
                            a.warmup(),
                            a.minOf(),
                            interval(a.interval())));
        }
        return rules;
    }

    private static AllocationRule none(NoAllocation a) {
        Scope scope = scope(a.threads(), a.types(), a.packages(), a.exclude());
        return new AllocationRule("@NoAllocation", scope, "0 B", 0, a.warmup(), a.minOf(), -1);
    }

    /** Limits of what stays alive. */
    static List<Rule> retention(AnnotatedElement element, Allowances allowed) {
        List<Rule> rules = new ArrayList<>();
        Set<Scope> scopes = new HashSet<>();
        for (MaxRetained a : repeated(element, MaxRetained.class)) {
            Scope scope = scope(a.threads(), a.types(), a.packages(), a.exclude());
            String name = "@MaxRetained(\"" + a.value() + "\")";
            if (!scopes.add(scope)) {
                throw new IllegalArgumentException(
                        name
                                + " and another limit are about the same objects. Keep one, or let"
                                + " types, packages, exclude or threads tell them apart.");
            }
            rules.add(
                    new RetentionRule(
                            name,
                            scope,
                            a.value(),
                            Bytes.parse(a.value()),
                            a.warmup(),
                            a.minOf(),
                            interval(a.interval()),
                            allowed));
        }
        return rules;
    }

    /** Leaks. */
    static List<Rule> leaks(AnnotatedElement element, Allowances allowed) {
        return AnnotationSupport.findAnnotation(element, NoLeaks.class).stream()
                .<Rule>map(
                        a ->
                                new LeakRule(
                                        "@NoLeaks",
                                        scope(a.threads(), a.types(), a.packages(), a.exclude()),
                                        a.iterations(),
                                        a.warmup(),
                                        Bytes.parse(a.perSite()),
                                        interval(a.interval()),
                                        allowed))
                .toList();
    }

    /** Comparison with a file. */
    static List<Rule> baseline(
            AnnotatedElement element, TestCase test, Configuration configuration) {
        return AnnotationSupport.findAnnotation(element, AllocationBaseline.class).stream()
                .<Rule>map(
                        a -> {
                            Share.of(a.tolerance(), 0);
                            return new BaselineRule(
                                    "@AllocationBaseline",
                                    new Baseline(configuration.baseline(a.file(), test.type())),
                                    test.key(),
                                    a.tolerance(),
                                    configuration.updates(),
                                    a.warmup(),
                                    a.minOf());
                        })
                .toList();
    }

    private static Scope scope(
            ThreadScope threads, Class<?>[] types, String[] packages, String[] exclude) {
        return new Scope(
                threads,
                Arrays.stream(types).map(Annotations::name).toList(),
                List.of(packages),
                List.of(),
                Pattern.all(exclude));
    }

    private static String name(Class<?> type) {
        return type.isArray() ? name(type.getComponentType()) + "[]" : type.getName();
    }

    static long interval(String text) {
        return text.isBlank() ? -1 : Bytes.parse(text);
    }
}
