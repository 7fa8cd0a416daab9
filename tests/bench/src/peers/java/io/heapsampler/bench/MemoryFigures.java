// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

/** How much native memory HeapSampler takes for each application, one snapshot included. */
final class MemoryFigures {

    private static final double MEBIBYTE = 1 << 20;
    private static final int SECONDS = Effort.of(12, 2);

    private MemoryFigures() {}

    public static void main(String[] arguments) {
        for (Application application : Application.values()) {
            for (int kibibytes : new int[] {512, 64}) {
                Fork fork =
                        Fork.run(
                                MemoryFork.class,
                                Options.common(),
                                application.label(),
                                SECONDS,
                                kibibytes * 1024);
                String name = "memory_" + application.label() + "_" + kibibytes + "k_";
                Report.say(name + "samples", fork.get("samples"));
                Report.say(name + "tracked", fork.get("tracked"));
                Report.say(name + "used_mib", fork.get("used") / MEBIBYTE);
                double peak = fork.get("peak") / MEBIBYTE;
                if (application == Application.H2) {
                    Report.judge(name + "peak_mib", peak, 24);
                } else {
                    Report.say(name + "peak_mib", peak); // as many stacks as there are
                }
            }
        }
    }
}
