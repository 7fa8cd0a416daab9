// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import io.heapsampler.bench.Resampling.Rounds;
import java.util.ArrayList;
import java.util.List;

/**
 * What a sample costs where samples are rare, so that each finds little of its own in the
 * processor's caches: HeapSampler against the empty callback, on applications at 64 KiB, with one
 * thread. Arguments: the applications wanted, none for all.
 */
final class ColdFigures {

    private static final List<String> CELLS = List.of("h2", "javac", "jython");
    private static final List<String> TOOLS = List.of("empty", "ours");
    private static final int THREADS = 1;
    private static final int INTERVAL = 64 * 1024;
    private static final int FORKS = Effort.of(5, 2);
    private static final int ROUNDS = Effort.of(20, 3);

    private ColdFigures() {}

    public static void main(String[] arguments) {
        for (String cell : arguments.length == 0 ? CELLS : List.of(arguments)) {
            List<Object> all = new ArrayList<>(List.of(cell, THREADS, ROUNDS, INTERVAL, "off"));
            all.addAll(TOOLS);
            List<Fork> forks = new ArrayList<>();
            for (int i = 0; i < FORKS; i++) {
                forks.add(Fork.run(CostFork.class, Options.serial(), all.toArray()));
            }
            report("cold_" + cell + "_", forks);
        }
    }

    private static void report(String prefix, List<Fork> forks) {
        for (String tool : TOOLS) {
            Rounds nanos = Rounds.of(forks, tool + "_thread");
            Report.say(prefix + tool + "_thread_ns", Resampling.median(nanos));
            Report.say(prefix + tool + "_samples", Rounds.of(forks, tool + "_samples").median());
        }
        Rounds asked = Rounds.of(forks, "ours_asked");
        Report.say(prefix + "ours_asked_share", Resampling.median(asked));
    }
}
