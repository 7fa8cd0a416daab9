// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.ByteSize;
import io.heapsampler.assertions.ThreadScope;
import io.heapsampler.assertions.internal.AllocationRule;
import io.heapsampler.assertions.internal.Allowances;
import io.heapsampler.assertions.internal.Baseline;
import io.heapsampler.assertions.internal.BaselineRule;
import io.heapsampler.assertions.internal.BaselineRule.Share;
import io.heapsampler.assertions.internal.LeakRule;
import io.heapsampler.assertions.internal.Pattern;
import io.heapsampler.assertions.internal.Repeats;
import io.heapsampler.assertions.internal.RetentionRule;
import io.heapsampler.assertions.internal.Rule;
import io.heapsampler.assertions.internal.Scope;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * From annotations to rules, with the defaults of a configuration. What cannot be understood is an
 * {@link IllegalArgumentException}.
 */
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

    private final Configuration configuration;
    private final Allowances allowed;
    private final Optional<Repeats> ofTest;

    /**
     * Reads the annotations of a test.
     *
     * @param ofTest how often the test is run where an annotation does not say it; empty for the
     *     default of each
     */
    Annotations(Configuration configuration, Allowances allowed, Optional<Repeats> ofTest) {
        this.configuration = configuration;
        this.allowed = allowed;
        this.ofTest = ofTest;
    }

    /**
     * Reads the rules of a test: of each kind, those of the nearest element.
     *
     * @throws ExtensionConfigurationException if one cannot be understood; with the place
     */
    static List<Rule> rules(TestCase test, ExtensionContext context) {
        Configuration configuration = new Configuration(context);
        Annotations reader =
                new Annotations(configuration, Ledger.of(context).allowances(test), repeats(test));
        List<Rule> rules = new ArrayList<>();
        rules.addAll(nearest(test, reader::allocation));
        rules.addAll(nearest(test, reader::retention));
        rules.addAll(nearest(test, reader::leaks));
        rules.addAll(nearest(test, element -> reader.baseline(element, test)));
        return rules;
    }

    private static Optional<Repeats> repeats(TestCase test) {
        try {
            return test.repeats();
        } catch (IllegalArgumentException e) {
            throw Rules.refused(test.method(), String.valueOf(e.getMessage()), e);
        }
    }

    private static List<Rule> nearest(
            TestCase test, Function<AnnotatedElement, List<Rule>> reader) {
        for (AnnotatedElement element : test.elements()) {
            try {
                List<Rule> rules = reader.apply(element);
                if (!rules.isEmpty()) {
                    return rules;
                }
            } catch (IllegalArgumentException e) {
                throw Rules.refused(element, String.valueOf(e.getMessage()), e);
            }
        }
        return List.of();
    }

    /** Whose allocations count, according to the annotations of an element. */
    static Set<ThreadScope> threads(AnnotatedElement element) {
        Set<ThreadScope> scopes = EnumSet.noneOf(ThreadScope.class);
        repeated(element, MaxAllocation.class).forEach(a -> scopes.add(a.threads()));
        repeated(element, MaxRetained.class).forEach(a -> scopes.add(a.threads()));
        AnnotationLookup.find(element, NoAllocation.class).ifPresent(a -> scopes.add(a.threads()));
        AnnotationLookup.find(element, NoLeaks.class).ifPresent(a -> scopes.add(a.threads()));
        return scopes;
    }

    private static <A extends Annotation> List<A> repeated(
            AnnotatedElement element, Class<A> type) {
        return AnnotationLookup.findRepeated(element, type);
    }

    /** Adds a limit unless there is one about the same. */
    static void add(Map<Scope, Rule> rules, Scope scope, Rule rule, String what) {
        if (rules.putIfAbsent(scope, rule) != null) {
            throw new IllegalArgumentException(
                    """
                    %s and another limit are about the same %s. Keep one, or let types, \
                    packages, exclude or threads tell them apart.\
                    """
                            .formatted(rule.name(), what));
        }
    }

    /**
     * Returns what is found once.
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
                    """
                    there are %s @%s that differ, as part of other annotations. Keep one.\
                    """
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

    /** Limits of allocated bytes. */
    List<Rule> allocation(AnnotatedElement element) {
        Map<Scope, Rule> rules = new LinkedHashMap<>();
        one(element, NoAllocation.class)
                .map(this::none)
                .ifPresent(rule -> rules.put(rule.scope(), rule));
        for (MaxAllocation a : repeated(element, MaxAllocation.class)) {
            Scope scope = scope(threads(a.threads()), a.types(), a.packages(), a.exclude());
            Repeats runs = runs(a.warmup(), a.minOf());
            Rule rule =
                    new AllocationRule(
                            "@MaxAllocation(\"" + a.value() + "\")",
                            scope,
                            a.value(),
                            ByteSize.parse(a.value()),
                            runs.warmup(),
                            runs.judged(),
                            interval(a.interval()));
            add(rules, scope, rule, "allocations");
        }
        return List.copyOf(rules.values());
    }

    private AllocationRule none(NoAllocation a) {
        Repeats runs = runs(a.warmup(), a.minOf());
        return new AllocationRule(
                "@NoAllocation",
                scope(threads(a.threads()), a.types(), a.packages(), a.exclude()),
                "0 B",
                0,
                runs.warmup(),
                runs.judged(),
                -1);
    }

    /** Limits of bytes left behind. */
    List<Rule> retention(AnnotatedElement element) {
        Map<Scope, Rule> rules = new LinkedHashMap<>();
        for (MaxRetained a : repeated(element, MaxRetained.class)) {
            Scope scope = scope(a.threads(), a.types(), a.packages(), a.exclude());
            Repeats runs = runs(a.warmup(), a.minOf());
            Rule rule =
                    new RetentionRule(
                            "@MaxRetained(\"" + a.value() + "\")",
                            scope,
                            a.value(),
                            ByteSize.parse(a.value()),
                            runs.warmup(),
                            runs.judged(),
                            interval(a.interval()),
                            allowed);
            add(rules, scope, rule, "objects");
        }
        return List.copyOf(rules.values());
    }

    /** Leaks. */
    List<Rule> leaks(AnnotatedElement element) {
        return one(element, NoLeaks.class).stream().<Rule>map(this::leak).toList();
    }

    private LeakRule leak(NoLeaks a) {
        return new LeakRule(
                "@NoLeaks",
                scope(a.threads(), a.types(), a.packages(), a.exclude()),
                a.iterations() == -1 ? configuration.iterations() : a.iterations(),
                new Runs(a.warmup(), -1).or(ofTest.orElse(LeakRule.REPEATS)).warmup(),
                a.perSite().isBlank() ? configuration.perSite() : ByteSize.parse(a.perSite()),
                allowed);
    }

    /** Comparison with a file. */
    List<Rule> baseline(AnnotatedElement element, TestCase test) {
        return one(element, AllocationBaseline.class).stream()
                .<Rule>map(
                        a ->
                                new BaselineLimit(
                                                "@AllocationBaseline",
                                                a.file(),
                                                a.tolerance(),
                                                new Runs(a.warmup(), a.minOf()))
                                        .rule(test, configuration))
                .toList();
    }

    private Repeats runs(int warmup, int minOf) {
        return new Runs(warmup, minOf).or(ofTest.orElse(Repeats.NONE));
    }

    private ThreadScope threads(ThreadScope written) {
        return written == ThreadScope.DEFAULT ? configuration.threads() : written;
    }

    private static Scope scope(
            ThreadScope threads, Class<?>[] types, String[] packages, String[] exclude) {
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

    /**
     * A comparison with a file as it is written, for any test.
     *
     * @param name its name in messages
     * @param file blank for that of the class
     * @param tolerance blank for the configured one
     * @param runs how often the test is run
     */
    record BaselineLimit(String name, String file, String tolerance, Runs runs) {

        /** Checks the tolerance. */
        BaselineLimit {
            if (!tolerance.isBlank()) {
                Share.of(tolerance, 0);
            }
        }

        /** Returns the limit of a test. */
        BaselineRule rule(TestCase test, Configuration configuration) {
            Repeats repeats = runs.or(test.repeats().orElse(Repeats.NONE));
            return new BaselineRule(
                    name,
                    new Baseline(configuration.baseline(file, test.type())),
                    test.key(),
                    tolerance.isBlank() ? configuration.tolerance() : tolerance,
                    configuration.updates(),
                    repeats.warmup(),
                    repeats.judged());
        }
    }
}
