// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.assertions.ThreadScope;
import io.heapsampler.assertions.internal.AllocationRule;
import io.heapsampler.assertions.internal.Allowances;
import io.heapsampler.assertions.internal.Baseline;
import io.heapsampler.assertions.internal.BaselineRule;
import io.heapsampler.assertions.internal.BaselineRule.Share;
import io.heapsampler.assertions.internal.LeakRule;
import io.heapsampler.assertions.internal.LoaderRule;
import io.heapsampler.assertions.internal.Pattern;
import io.heapsampler.assertions.internal.Repeats;
import io.heapsampler.assertions.internal.RetentionRule;
import io.heapsampler.assertions.internal.Rule;
import io.heapsampler.assertions.internal.Scope;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;

/**
 * Limits as their author wrote them, at one element or in one {@link HeapSamplerExtension}. Each is
 * checked when it is added, and becomes a rule of each test. A limit that cannot be understood, or
 * that there is already, is an {@link IllegalArgumentException}.
 */
final class Limits {

    /** A limit, of any test. */
    private interface Limit {
        Rule of(TestCase test, Configuration configuration, Allowances allowed);
    }

    /** A limit, for any number of runs. */
    private interface Factory {
        Rule of(Repeats runs, Allowances allowed);
    }

    private final List<Limit> limits = new ArrayList<>();
    private final Set<Map.Entry<String, Scope>> subjects = new HashSet<>();

    /** The first limit in which all threads count; empty if there is none. */
    private String processWide = "";

    Limits() {}

    /** Copies limits, to which others may be added. */
    Limits(Limits others) {
        limits.addAll(others.limits);
        processWide = others.processWide;
    }

    String processWide() {
        return processWide;
    }

    /** Returns the rules of a test. */
    List<Rule> rules(TestCase test, Configuration configuration, Allowances allowed) {
        return limits.stream().map(limit -> limit.of(test, configuration, allowed)).toList();
    }

    /** Adds a limit of allocated bytes. */
    void allocation(String name, Scope scope, Runs runs, String text, long bytes, long interval) {
        add(
                "allocations",
                runs,
                Repeats.NONE,
                (often, allowed) ->
                        new AllocationRule(
                                name,
                                scope,
                                text,
                                bytes,
                                often.warmup(),
                                often.judged(),
                                interval));
    }

    /** Adds a limit of bytes that are left behind. */
    void survivors(String name, Scope scope, Runs runs, String text, long bytes, long interval) {
        add(
                "objects",
                runs,
                Repeats.NONE,
                (often, allowed) ->
                        new RetentionRule(
                                name,
                                scope,
                                text,
                                bytes,
                                often.warmup(),
                                often.judged(),
                                interval,
                                allowed));
    }

    /** Adds a search for leaks. */
    void leaks(String name, Scope scope, int warmup, int iterations, long perSite) {
        add(
                "leaks",
                new Runs(warmup, -1),
                LeakRule.REPEATS,
                (often, allowed) ->
                        new LeakRule(name, scope, iterations, often.warmup(), perSite, allowed));
    }

    /** Adds a search for class loaders that stay. */
    void loaders(String name, List<Pattern> exclude, int warmup, int iterations) {
        add(
                "class loaders",
                new Runs(warmup, -1),
                LeakRule.REPEATS,
                (often, allowed) ->
                        new LoaderRule(name, iterations, often.warmup(), exclude, allowed));
    }

    private void add(String kind, Runs runs, Repeats byDefault, Factory factory) {
        Rule checked = factory.of(runs.or(byDefault), Allowances.NONE);
        if (!subjects.add(Map.entry(kind, checked.scope()))) {
            throw new IllegalArgumentException(
                    """
                    %s and another limit are about the same %s. Keep one, or let types, \
                    packages, exclude or threads tell them apart.\
                    """
                            .formatted(checked.name(), kind));
        }
        if (checked.scope().threads() == ThreadScope.ALL && processWide.isEmpty()) {
            processWide = checked.name();
        }
        limits.add(
                (test, configuration, allowed) ->
                        factory.of(runs.or(test.repeats().orElse(byDefault)), allowed));
    }

    /**
     * Adds a comparison with a file.
     *
     * @param file blank for that of the class
     * @param tolerance blank for the configured one
     */
    void baseline(String name, Runs runs, String file, String tolerance) {
        if (!tolerance.isBlank()) {
            Share.of(tolerance, 0);
        }
        if (!subjects.add(Map.entry("baseline", Scope.TEST))) {
            throw new IllegalArgumentException(
                    name
                            + " is a second baseline, and a test is compared with one entry. Keep"
                            + " one.");
        }
        limits.add(
                (test, configuration, allowed) -> {
                    Repeats often = runs.or(test.repeats().orElse(Repeats.NONE));
                    return new BaselineRule(
                            name,
                            new Baseline(configuration.baseline(file, test.type())),
                            test.key(),
                            tolerance.isBlank() ? configuration.tolerance : tolerance,
                            configuration.updates,
                            often.warmup(),
                            often.judged());
                });
    }

    /** Refuses tests that have no entry in their baseline. */
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
                    %s (%s). Correct its permissions, or set heapsampler.junit.baseline.directory.\
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

    /**
     * How often a test is run for a limit, as its author wrote it.
     *
     * @param warmup runs before those that are judged; -1 if that is not written
     * @param minOf runs that are judged; -1 if that is not written
     */
    record Runs(int warmup, int minOf) {

        /** Neither is written. */
        static final Runs DEFAULT = new Runs(-1, -1);

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
}
