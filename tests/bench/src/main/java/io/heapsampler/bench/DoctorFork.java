// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import io.heapsampler.doctor.GcDoctor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.management.JMException;

/**
 * A bank with a doctor. The processor time of threads is the kernel's, since the JVM hides some of
 * its own. Argument: seconds.
 */
final class DoctorFork {

    private static final int BEGIN_SECONDS = 10;

    /** The kernel cuts names off after 15 characters. */
    private static final String DOCTOR = "heapsampler-doc";

    private static final String NOTIFICATIONS = "Notification Th";

    /** For what the bank leaves to threads that end. */
    private static final long SETTLE_MILLIS = 3_000;

    private DoctorFork() {}

    private static long collections() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionCount)
                .sum();
    }

    public static void main(String[] arguments) throws Exception {
        int seconds = Integer.parseInt(arguments[0]);
        GcDoctor doctor = GcDoctor.start();
        try (Bank bank = new Bank()) {
            work(bank, BEGIN_SECONDS);
            double[] before = cpuMillis();
            long began = System.nanoTime();
            work(bank, seconds);
            double millis = (System.nanoTime() - began) / 1e6;
            double[] after = cpuMillis();
            Fork.answer("seconds", millis / 1000);
            Fork.answer("begin_cpu_ms", before[0] + before[1]);
            Fork.answer("thread_cpu_percent", 100 * (after[0] - before[0]) / millis);
            Fork.answer("notification_cpu_percent", 100 * (after[1] - before[1]) / millis);
            Fork.answer(
                    "cpu_percent", 100 * (after[0] + after[1] - before[0] - before[1]) / millis);
            Fork.answer("collections", collections());
            Fork.answer("warnings", doctor.diagnosis().hasWarnings() ? 1 : 0);
        }
        Thread.sleep(SETTLE_MILLIS);
        long with = liveBytes();
        doctor.close();
        doctor = null;
        Fork.answer("heap_mib", (with - liveBytes()) / 1048576.0);
    }

    /** Half of one processor, as a service that has time left. */
    private static void work(Bank bank, int seconds) throws Exception {
        long end = System.nanoTime() + seconds * 1_000_000_000L;
        while (System.nanoTime() - end < 0) {
            long before = System.nanoTime();
            bank.work();
            Thread.sleep(Math.max(1, (System.nanoTime() - before) / 1_000_000));
        }
    }

    /**
     * Returns the bytes of all objects that live, by a single collection: after several, or some
     * time after one, the doctor would have opened the JVM's log to look closer.
     */
    private static long liveBytes() throws JMException {
        String histogram = DiagnosticCommand.run("gcClassHistogram");
        String[] words = histogram.strip().split("\\s+");
        return Long.parseLong(words[words.length - 1]); // Total, instances, bytes
    }

    /** Returns that of the doctor's thread and that of the one that makes notifications. */
    private static double[] cpuMillis() throws IOException {
        double[] sums = new double[2];
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path thread : threads) {
                add(thread, sums);
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        return sums;
    }

    private static void add(Path thread, double[] sums) {
        try {
            String name = Files.readString(thread.resolve("comm")).strip();
            String nanos = Files.readString(thread.resolve("schedstat")).split(" ")[0];
            if (name.equals(DOCTOR)) {
                sums[0] += Long.parseLong(nanos) / 1e6;
            } else if (name.equals(NOTIFICATIONS)) {
                sums[1] += Long.parseLong(nanos) / 1e6;
            }
        } catch (IOException e) {
            // It has ended meanwhile.
        }
    }
}
