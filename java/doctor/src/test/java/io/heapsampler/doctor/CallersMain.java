// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.util.concurrent.TimeUnit;

/**
 * A JVM whose doctor finds calls of {@code System.gc()}, twice, and prints the evidence and the
 * callers. With the argument {@code early} the first call comes before the doctor.
 */
final class CallersMain {

    static final int CALLS = 4;

    private static final long PATIENCE = TimeUnit.MINUTES.toNanos(2);

    private CallersMain() {}

    public static void main(String[] arguments) throws InterruptedException {
        if (arguments.length > 0) {
            System.gc();
        }
        for (int round = 1; round <= 2; round++) {
            try (GcDoctor doctor = GcDoctor.start()) {
                for (int i = 0; i < CALLS; i++) {
                    clean();
                }
                print(round, found(doctor));
            }
        }
        System.exit(0);
    }

    private static void clean() {
        System.gc();
    }

    /** The calls are read once a second. */
    private static Finding found(GcDoctor doctor) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE;
        int ticks = doctor.timeline().ticks().size();
        while (doctor.diagnosis().finding("gc.explicit").isEmpty()
                || doctor.timeline().ticks().size() < ticks + 3) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException(doctor.diagnosis().toText());
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
        return doctor.diagnosis().finding("gc.explicit").orElseThrow();
    }

    private static void print(int round, Finding finding) {
        for (Evidence each : finding.evidence()) {
            System.out.println(round + " evidence " + each.text());
        }
        for (CallerEvidence each : finding.callers()) {
            System.out.println(round + " caller " + each.count() + " " + each.stack());
        }
    }
}
