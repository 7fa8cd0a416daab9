// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.assertions.ThreadScope;
import java.util.List;

/**
 * Code that is run again and again leaves no class loader behind: their number does not grow from
 * run to run, and no run leaves one that stays until the next run puts another in its place. Every
 * class loader of the JVM counts, whichever thread made it.
 *
 * <p>What is made once, or during the first runs, is a cache and no leak. So is a loader that only
 * soft references hold, and what a full cache of several loaders replaces.
 *
 * @param name as its author wrote it
 * @param iterations how often the code is run before it is decided whether loaders were left; 5 or
 *     more
 * @param warmup how often it is run before, at least once
 * @param exclude patterns of the classes of loaders that do not count
 * @param allowed what may stay
 */
public record LoaderRule(
        String name, int iterations, int warmup, List<Pattern> exclude, Allowances allowed)
        implements Rule {

    /** The JDK makes one for each method that it calls often by reflection, up to JDK 17. */
    private static final String OF_REFLECTION = "jdk.internal.reflect.DelegatingClassLoader";

    /** Checks the iterations. */
    public LoaderRule {
        LeakRule.checkedIterations(iterations);
        exclude = List.copyOf(exclude);
    }

    /** Loaders are those of the whole JVM, so nothing else may run beside it. */
    @Override
    public Scope scope() {
        return new Scope(ThreadScope.ALL, List.of(), List.of(), List.of(), exclude);
    }

    @Override
    public Repeats repeats() {
        return new Repeats(Math.max(1, warmup), iterations);
    }

    @Override
    public Trial start(Settings settings) {
        return new LoaderTrial(this, settings);
    }

    /** Does a loader of this class count? */
    boolean counts(String className) {
        return !className.equals(OF_REFLECTION) && scope().mayAccept(className);
    }

    /** The rule about objects with the same number of runs and the same permissions. */
    LeakRule runs() {
        return new LeakRule(name, Scope.TEST, iterations, warmup, 0, allowed);
    }
}
