// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.util.List;
import java.util.Locale;

/**
 * How long a snapshot takes and how many bytes, over samples and stacks, and how long callbacks wait
 * meanwhile, beside those of windows without a snapshot, and beside what the machine does to a thread
 * that only reads the clock.
 */
final class SnapshotFigures {

    private static final double MEBIBYTE = 1 << 20;
    private static final List<String> FLAGS = List.of("-Xms1g", "-Xmx1g", "-Xmn600m");
    private static final int SNAPSHOTS = Effort.of(30, 3);
    private static final double MAX_DELAY_US = 100;
    private static final int WATCHED = Effort.of(20, 2);

    // Stacks, and samples of each.
    private static final int[][] GRID = {
        {100, 10}, {100, 100}, {100, 1000}, {1_000, 10}, {1_000, 100}, {10_000, 1}, {10_000, 10},
        {100_000, 1},
    };

    private SnapshotFigures() {}

    public static void main(String[] arguments) {
        Fork machine = Fork.run(MachineGaps.class, FLAGS, WATCHED);
        Report.say(
                "machine_gaps_over_100us_per_second", machine.get("over_100us_per_second"));
        Report.say("machine_longest_gap_us", machine.get("longest_us"));
        for (int[] cell : GRID) {
            Fork fork =
                    Fork.run(SnapshotTime.class, FLAGS, SNAPSHOTS, WATCHED, cell[0], cell[1]);
            String name =
                    String.format(
                            Locale.ROOT, "snapshot_%d_samples_%d_stacks_", cell[0] * cell[1], cell[0]);
            Report.say(name + "first_ms", fork.get("second_ms"));
            Report.say(name + "median_ms", fork.get("median_ms"));
            Report.say(name + "max_ms", fork.get("max_ms"));
            Report.say(name + "java_mib", fork.get("java_bytes") / MEBIBYTE);
            Report.say(name + "native_mib", fork.get("native_bytes") / MEBIBYTE);
            Report.say(name + "native_peak_mib", fork.get("native_peak_bytes") / MEBIBYTE);
            Report.judge(name + "callback_max_us", fork.get("with_own_max_us"), MAX_DELAY_US);
            Report.say(name + "callback_max_without_us", fork.get("without_own_max_us"));
        }
    }
}
