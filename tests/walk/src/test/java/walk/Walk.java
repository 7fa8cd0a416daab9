// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

import io.heapsampler.HeapSampler;
import io.heapsampler.SamplerOptions;

/**
 * The JVM that is sampled: runs a scenario, every fast stack of which is compared with the JVM's
 * own, and prints one line of counts. Fails on a mismatch, when the fast path is off, and when
 * there was too little to compare. Goes on until the share of stacks that are known is what it is
 * in the long run: how many are requested at first is a matter of the compiler's pace.
 */
public final class Walk {

    private static final int MOST_STACKS = 1 << 17;
    private static final int MOST_NAMES = 1 << 18;

    private Walk() {}

    /**
     * Runs a scenario; with {@code -Dwalk.rounds=n} this many rounds of it, whatever comes.
     *
     * @param arguments its label, the stacks to verify, the least rounds, the seconds at most
     */
    public static void main(String[] arguments) throws Exception {
        Kind kind = Kind.of(arguments[0]);
        long stacks = Long.parseLong(arguments[1]);
        int rounds = Integer.parseInt(arguments[2]);
        long nanos = Long.parseLong(arguments[3]) * 1_000_000_000L;
        Scenario scenario = kind.create();
        start(kind.setup());
        long begin = System.nanoTime();
        int fixed = Integer.getInteger("walk.rounds", 0);
        for (int i = 0; i < fixed; i++) {
            scenario.round();
        }
        Counts counts = Counts.now();
        int done = 0;
        while (fixed == 0
                && counts.isGood()
                && System.nanoTime() - begin < nanos
                && (done < rounds
                        || counts.verified() < stacks
                        || counts.hits() < kind.setup().hits())) {
            scenario.round();
            done++;
            counts = Counts.now();
        }
        HeapSampler.stop();
        counts = Counts.now();
        System.out.printf(
                "%s scenario=%s rounds=%d ms=%d%n",
                counts, kind.label(), done, (System.nanoTime() - begin) / 1_000_000);
        HeapSampler.snapshot().notes().forEach(note -> System.out.println("note: " + note));
        System.exit(counts.isGood() && counts.verified() > 0 ? 0 : 1);
    }

    private static void start(Kind.Setup setup) {
        HeapSampler.start(
                SamplerOptions.builder()
                        .interval(setup.interval())
                        .maxOverhead(1) // many stacks, whatever they cost
                        .maxDepth(setup.depth())
                        .maxStacks(MOST_STACKS)
                        .maxSites(MOST_STACKS)
                        .maxNames(MOST_NAMES)
                        .maxTracked(4_096)
                        .build());
    }
}
