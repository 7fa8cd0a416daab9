// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

/** A JVM that is watched, and judged once; for {@link LoadedClassesTest}. */
public final class WatchedMain {

    static final String BEGIN = "the doctor begins";
    static final String DONE = "judged";

    private WatchedMain() {}

    /** Collects often enough that the sampler has sites with live and dead samples. */
    public static void main(String[] arguments) {
        byte[][] kept = new byte[64][];
        System.out.println(BEGIN);
        try (GcDoctor doctor = GcDoctor.start()) {
            for (int i = 0; i < 4_096; i++) {
                kept[i % kept.length] = new byte[64 << 10];
                if (i % 1_024 == 0) {
                    System.gc();
                }
            }
            System.out.println(doctor.diagnosis().checks().size() + " " + kept.length);
        }
        System.out.println(DONE);
    }
}
