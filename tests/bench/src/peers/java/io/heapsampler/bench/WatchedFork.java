// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import io.heapsampler.doctor.Finding;
import io.heapsampler.doctor.GcDoctor;
import java.util.concurrent.TimeUnit;

/**
 * An application under the eyes of the doctor, who should have nothing to say. Prints a line for
 * each finding when it opens, and for each at the end. {@code tests/doctor} starts it.
 */
public final class WatchedFork {

    private WatchedFork() {}

    /**
     * Runs an application.
     *
     * @param arguments its label, and for how many seconds
     */
    public static void main(String[] arguments) throws Exception {
        Workload work = Application.of(arguments[0]).create();
        int seconds = Integer.parseInt(arguments[1]);
        try (GcDoctor doctor = GcDoctor.start()) {
            doctor.addListener(finding -> print("opened", finding));
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
            while (System.nanoTime() - end < 0) {
                work.work();
            }
            for (Finding finding : doctor.diagnosis().findings()) {
                print("finding", finding);
            }
            System.out.println(doctor.diagnosis().toText());
        }
        work.end();
        System.exit(0);
    }

    private static void print(String what, Finding finding) {
        System.out.printf(
                "%s %s %s %s%n", what, finding.id(), finding.severity(), finding.title());
    }
}
