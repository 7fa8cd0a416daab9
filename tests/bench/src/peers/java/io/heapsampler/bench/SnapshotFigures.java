// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * How long a snapshot takes and how many bytes, over samples and stacks, and how long callbacks wait
 * meanwhile, beside those of windows without a snapshot, and beside what the machine does to a thread
 * that only reads the clock. Of {@code max} the longest in any of several JVMs, which has no
 * interval; of {@code over_100us} the number in all of them, and how many of those are to be expected
 * of the machine alone, by the time that callbacks took together; of the others the mean over them.
 */
final class SnapshotFigures {

    private static final double MEBIBYTE = 1 << 20;
    private static final List<String> FLAGS = List.of("-Xms1g", "-Xmx1g", "-Xmn600m");
    private static final int FORKS = Effort.of(5, 2);
    private static final int SNAPSHOTS = Effort.of(8, 2);
    private static final double MAX_DELAY_US = 100;
    private static final int WATCHED = Effort.of(20, 2);
    private static final int SECONDS_OF_MACHINE = Effort.of(20, 2);

    // Stacks, and samples of each.
    private static final int[][] GRID = {
        {100, 10}, {100, 100}, {100, 1000}, {1_000, 10}, {1_000, 100}, {10_000, 1}, {10_000, 10},
        {100_000, 1},
    };

    private SnapshotFigures() {}

    public static void main(String[] arguments) {
        Fork machine = Fork.run(MachineGaps.class, FLAGS, SECONDS_OF_MACHINE);
        double gapsPerSecond = machine.get("over_100us_per_second");
        Report.say("machine_gaps_over_100us_per_second", gapsPerSecond);
        Report.say("machine_longest_gap_us", machine.get("longest_us"));
        for (int[] cell : GRID) {
            measure(cell[0], cell[1], gapsPerSecond);
        }
    }

    private static void measure(int stacks, int samplesOfEach, double gapsPerSecond) {
        List<Fork> forks = new ArrayList<>();
        for (int i = 0; i < FORKS; i++) {
            forks.add(
                    Fork.run(
                            SnapshotTime.class, FLAGS, SNAPSHOTS, WATCHED, stacks, samplesOfEach));
        }
        String name =
                String.format(
                        Locale.ROOT, "snapshot_%d_samples_%d_stacks_", stacks * samplesOfEach, stacks);
        Report.say(name + "first_ms", Fork.mean(forks, "second_ms", 1));
        Report.say(name + "median_ms", Fork.mean(forks, "median_ms", 1));
        Report.say(name + "max_ms", Fork.greatest(forks, "max_ms"));
        Report.say(name + "java_mib", Fork.mean(forks, "java_bytes", MEBIBYTE));
        Report.say(name + "native_mib", Fork.mean(forks, "native_bytes", MEBIBYTE));
        Report.say(name + "native_peak_mib", Fork.mean(forks, "native_peak_bytes", MEBIBYTE));
        double longest = Fork.greatest(forks, "with_own_max_us");
        Report.judge(name + "callback_max_us", longest, MAX_DELAY_US);
        Report.say(name + "callback_max_without_us", Fork.greatest(forks, "without_own_max_us"));
        String over = name + "callback_over_100us_";
        Report.say(over + "with", sum(forks, "with_own_over_100us"));
        Report.say(over + "with_of_these_waited", sum(forks, "with_waited_over_100us"));
        Report.say(over + "by_machine", gapsPerSecond * sum(forks, "with_seconds"));
        Report.say(over + "without", sum(forks, "without_own_over_100us"));
        Report.say(over + "without_by_machine", gapsPerSecond * sum(forks, "without_seconds"));
    }

    private static double sum(List<Fork> forks, String name) {
        return forks.stream().mapToDouble(fork -> fork.get(name)).sum();
    }
}
