// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import io.heapsampler.bench.Statistics.Mean;
import java.util.ArrayList;
import java.util.List;

/**
 * How much native memory HeapSampler takes for each application in its first seconds, one snapshot
 * included: means over JVMs.
 */
final class MemoryFigures {

    private static final double MEBIBYTE = 1 << 20;
    private static final int SECONDS = Effort.of(3, 1);
    private static final int FORKS = Effort.of(5, 2);

    private MemoryFigures() {}

    public static void main(String[] arguments) {
        for (Application application : Application.values()) {
            for (int kibibytes : new int[] {512, 64}) {
                measure(application, kibibytes);
            }
        }
    }

    private static void measure(Application application, int kibibytes) {
        String label = application.label();
        List<Fork> forks = new ArrayList<>();
        for (int i = 0; i < FORKS; i++) {
            List<String> flags = Options.common();
            forks.add(Fork.run(MemoryFork.class, flags, label, SECONDS, kibibytes * 1024));
        }
        String name = "memory_" + label + "_" + kibibytes + "k_";
        Report.say(name + "samples", Fork.mean(forks, "samples", 1));
        Report.say(name + "tracked", Fork.mean(forks, "tracked", 1));
        Report.say(name + "used_mib", Fork.mean(forks, "used", MEBIBYTE));
        Mean peak = Fork.mean(forks, "peak", MEBIBYTE);
        if (application == Application.H2) {
            Report.judge(name + "peak_mib", peak, 24);
        } else {
            Report.say(name + "peak_mib", peak); // as many stacks as there are
        }
    }
}
