// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

/**
 * Code that is run again and again does not keep more and more alive: no site has a net growth of
 * live objects or bytes that goes on from run to run. Every allocation is recorded, so the counts
 * are exact.
 *
 * <p>A cache that is still filling up over all runs looks like a leak: fill it before, or warm it
 * up. Chance does so too, as {@link Trend} says: at most one in 720 sites whose counts come and go.
 *
 * @param name as its author wrote it
 * @param scope which allocations are checked
 * @param iterations how often the code is run before it is decided whether anything has grown; 5 or
 *     more
 * @param warmup how often it is run before, at least once
 * @param perSite bytes per run and site that are accepted
 * @param allowed what may stay alive
 */
public record LeakRule(
        String name, Scope scope, int iterations, int warmup, long perSite, Allowances allowed)
        implements Rule {

    /**
     * Iterations by default: with the warm-up as many as it takes until the default tables of the
     * usual collections grow, the last of which is that of an IdentityHashMap, at its 22nd entry.
     */
    public static final int ITERATIONS = 20;

    /** The fewest runs after soft references were cleared, in which caches drop what died. */
    static final int CLEARED_RUNS = 5;

    /** The fewest iterations that tell a leak from chance. */
    public static final int FEWEST = 5;

    /** The most iterations. */
    public static final int MOST = 1000;

    /** Accepted bytes per run and site by default: none. */
    public static final long PER_SITE = 0;

    /** Runs by default. */
    public static final Repeats REPEATS = new Repeats(3, ITERATIONS);

    /** The maximum number of runs that are inspected one by one. */
    private static final int MOST_LOOKS = 10;

    /** Looks after these, at greater distances; enough for {@link Trend} to compare thirds. */
    static final int LATER_LOOKS = 12;

    /** How many times more runs they stretch over: in that time an array doubles twice. */
    private static final int STRETCH = 3;

    /** Checks the threads and the iterations. */
    public LeakRule {
        scope.requireForSurvivors();
        checkedIterations(iterations);
    }

    /** Checks a number of iterations. */
    public static int checkedIterations(int iterations) {
        if (iterations < FEWEST || iterations > MOST) {
            throw new IllegalArgumentException(
                    "iterations must be from 5 to 1000, but is "
                            + iterations
                            + ". Fewer cannot tell a leak from chance: use 10.");
        }
        return iterations;
    }

    /** All that is needed unless something grows. */
    @Override
    public Repeats repeats() {
        return new Repeats(warmupRuns(), iterations);
    }

    @Override
    public Trial start(Settings settings) {
        return new LeakTrial(this, settings);
    }

    /** Runs before anything is judged; the first of them is not recorded. */
    int warmupRuns() {
        return Math.max(1, warmup);
    }

    /** Runs that are checked one by one where something has grown; the first is their base. */
    int proofRuns() {
        return Math.min(iterations, MOST_LOOKS) + 1;
    }

    /** Runs between two later looks, after the given number of runs. */
    static int distance(int runs) {
        return Math.max(1, STRETCH * runs / LATER_LOOKS);
    }

    /** All looks that there can be: two more before the proof. */
    int looks() {
        return 2 + proofRuns() + LATER_LOOKS;
    }
}
