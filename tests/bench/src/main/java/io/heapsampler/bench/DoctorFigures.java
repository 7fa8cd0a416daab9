// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.util.List;

/**
 * What the doctor costs a healthy application: {@code tests/bench/run doctor}. Its own thread, and
 * the JVM's that reports collections, may take half a per cent of one processor, with the sampler
 * at 512 KiB; what it keeps in the heap may be 9 MiB. The first ten seconds, in which its classes
 * are loaded, are distinguished.
 */
final class DoctorFigures {

    private static final int SECONDS = Effort.of(120, 15);

    private DoctorFigures() {}

    public static void main(String[] arguments) {
        Fork fork =
                Fork.run(
                        DoctorFork.class, List.of("-XX:+UseG1GC", "-Xms512m", "-Xmx512m"), SECONDS);
        Report.say("doctor_seconds", fork.get("seconds"));
        Report.say("doctor_collections", fork.get("collections"));
        Report.say("doctor_begin_cpu_ms", fork.get("begin_cpu_ms"));
        Report.say("doctor_thread_cpu_percent", fork.get("thread_cpu_percent"));
        Report.say("doctor_notification_cpu_percent", fork.get("notification_cpu_percent"));
        Report.judge("doctor_cpu_percent", fork.get("cpu_percent"), 0.5);
        Report.judge("doctor_heap_mib", fork.get("heap_mib"), 8);
        Report.say("doctor_warnings", fork.get("warnings"));
    }
}
