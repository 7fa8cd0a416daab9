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
import java.io.IOException;
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

    private final TestCase test;
    private final Configuration configuration;
    private final Allowances allowed;

    /** How often the test is run where an annotation does not say it. */
    private final Optional<Repeats> ofTest;

    private Annotations(TestCase test, ExtensionContext context) {
        this.test = test;
        this.configuration = Configuration.of(context);
        this.allowed = Ledger.of(context).allowances(test);
        try {
            this.ofTest = test.repeats();
        } catch (IllegalArgumentException e) {
            throw Placement.refused(test.method(), String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * Reads the rules of a test: of each kind, those of the nearest element.
     *
     * @throws ExtensionConfigurationException if one cannot be understood; with the place
     */
    static List<Rule> rules(TestCase test, ExtensionContext context) {
        Annotations reader = new Annotations(test, context);
        List<Rule> rules = new ArrayList<>();
        rules.addAll(reader.nearest(reader::allocation));
        rules.addAll(reader.nearest(reader::retention));
        rules.addAll(reader.nearest(reader::leaks));
        rules.addAll(reader.nearest(reader::baseline));
        return rules;
    }

    private List<Rule> nearest(Function<AnnotatedElement, List<Rule>> reader) {
        for (AnnotatedElement element : test.elements()) {
            try {
                List<Rule> rules = reader.apply(element);
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
        AnnotationLookup.find(element, NoLeaks.class).ifPresent(a -> scopes.add(a.threads()));
        return scopes;
    }

    /** Adds a limit unless there is one about the same. */
    static void add(Map<Scope, Rule> rules, Rule rule, String what) {
        if (rules.putIfAbsent(rule.scope(), rule) != null) {
            throw new IllegalArgumentException(
                    """
                    %s and another limit are about the same %s. Keep one, or let types, \
                    packages, exclude or threads tell them apart.\
                    """
                            .formatted(rule.name(), what));
        }
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

    private List<Rule> allocation(AnnotatedElement element) {
        Map<Scope, Rule> rules = new LinkedHashMap<>();
        one(element, NoAllocation.class)
                .map(this::none)
                .ifPresent(rule -> add(rules, rule, "allocations"));
        for (MaxAllocation a : AnnotationLookup.findRepeated(element, MaxAllocation.class)) {
            Repeats runs = runs(a.warmup(), a.minOf());
            Rule rule =
                    new AllocationRule(
                            "@MaxAllocation(\"" + a.value() + "\")",
                            scope(threads(a.threads()), a.types(), a.packages(), a.exclude()),
                            a.value(),
                            ByteSize.parse(a.value()),
                            runs.warmup(),
                            runs.judged(),
                            interval(a.interval()));
            add(rules, rule, "allocations");
        }
        return List.copyOf(rules.values());
    }

    private Rule none(NoAllocation a) {
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

    private List<Rule> retention(AnnotatedElement element) {
        Map<Scope, Rule> rules = new LinkedHashMap<>();
        for (MaxRetained a : AnnotationLookup.findRepeated(element, MaxRetained.class)) {
            Repeats runs = runs(a.warmup(), a.minOf());
            Rule rule =
                    new RetentionRule(
                            "@MaxRetained(\"" + a.value() + "\")",
                            scope(a.threads(), a.types(), a.packages(), a.exclude()),
                            a.value(),
                            ByteSize.parse(a.value()),
                            runs.warmup(),
                            runs.judged(),
                            interval(a.interval()),
                            allowed);
            add(rules, rule, "objects");
        }
        return List.copyOf(rules.values());
    }

    private List<Rule> leaks(AnnotatedElement element) {
        return one(element, NoLeaks.class).stream().map(this::leak).toList();
    }

    private Rule leak(NoLeaks a) {
        return new LeakRule(
                "@NoLeaks",
                scope(a.threads(), a.types(), a.packages(), a.exclude()),
                a.iterations() == -1 ? configuration.iterations : a.iterations(),
                new Runs(a.warmup(), -1).or(ofTest.orElse(LeakRule.REPEATS)).warmup(),
                a.perSite().isBlank() ? configuration.perSite : ByteSize.parse(a.perSite()),
                allowed);
    }

    private List<Rule> baseline(AnnotatedElement element) {
        return one(element, AllocationBaseline.class).stream().map(this::compared).toList();
    }

    private Rule compared(AllocationBaseline a) {
        Runs runs = new Runs(a.warmup(), a.minOf());
        return new BaselineLimit("@AllocationBaseline", a.file(), a.tolerance(), runs)
                .rule(test, configuration);
    }

    private Repeats runs(int warmup, int minOf) {
        return new Runs(warmup, minOf).or(ofTest.orElse(Repeats.NONE));
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

    /**
     * How often a test is run for a limit, as its author wrote it.
     *
     * @param warmup runs before those that are judged; -1 if that is not written
     * @param minOf runs that are judged; -1 if that is not written
     */
    record Runs(int warmup, int minOf) {

        /** Checks both numbers. */
        Runs {
            least("warmup", warmup, warmup == -1 ? -1 : 0, ", or -1 for the default");
            least("minOf", minOf, minOf == -1 ? -1 : 1, ", or -1 for the default");
        }

        /** Returns the runs for a limit at a test that is otherwise run as often as given. */
        Repeats or(Repeats otherwise) {
            return new Repeats(
                    warmup == -1 ? otherwise.warmup() : warmup,
                    minOf == -1 ? otherwise.judged() : minOf);
        }

        /** Returns how often a test is run of which each run is an invocation of its own. */
        static Repeats of(AllocationTest test) {
            return new Repeats(
                    least("warmup", test.warmup(), 0, ""), least("minOf", test.minOf(), 1, ""));
        }

        private static int least(String name, int count, int least, String otherwise) {
            if (count < least) {
                throw new IllegalArgumentException(
                        "%s must be %s or more%s, but is %s."
                                .formatted(name, least, otherwise, count));
            }
            return count;
        }
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
                    tolerance.isBlank() ? configuration.tolerance : tolerance,
                    configuration.updates,
                    repeats.warmup(),
                    repeats.judged());
        }

        /** Refuses tests whose entry is missing. */
        static void requireEntries(List<Rule> rules) {
            for (Rule rule : rules) {
                if (rule instanceof BaselineRule baseline && !baseline.updates()) {
                    requireEntry(baseline);
                }
            }
        }

        private static void requireEntry(BaselineRule rule) {
            Baseline baseline = rule.baseline();
            try {
                String missing = baseline.missing(rule.key());
                if (missing != null) {
                    throw new ExtensionConfigurationException("At " + rule.key() + ": " + missing);
                }
            } catch (IOException e) {
                throw unreadable(
                        rule,
                        """
                        %s (%s). Correct its permissions, or set \
                        heapsampler.junit.baseline.directory.\
                        """
                                .formatted(baseline.file(), e),
                        e);
            } catch (IllegalArgumentException e) {
                throw unreadable(rule, String.valueOf(e.getMessage()), e);
            }
        }

        private static ExtensionConfigurationException unreadable(
                BaselineRule rule, String why, Exception cause) {
            return new ExtensionConfigurationException(
                    "At " + rule.key() + ": its baseline cannot be read: " + why, cause);
        }
    }
}
