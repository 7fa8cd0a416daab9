// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import io.heapsampler.DropCause;
import io.heapsampler.HeapLabels;
import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.LabelTotals;
import io.heapsampler.RecordingOptions;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Virtual threads that allocate with labels. Arguments: threads. Each opens a scope with one of
 * 1,000 sets, allocates objects of the class that belongs to the set, and yields to others between
 * them. Some of the first threads die with their scopes open. So a class and a set that do not
 * belong together are a wrong label.
 */
final class LabelThreads {

    private static final String KEY = "n";
    private static final int SETS = 1_000;
    private static final int OBJECTS = 3; // a carrier may lose some of its samples
    private static final int BATCH = 2_000;
    private static final int LEFT_OPEN = 4;

    // Until the interval is in force for each carrier.
    private static final int PRIMING_OBJECTS = 4;
    private static final int PRIMING_BYTES = 256 * 1024;

    /** When the tables have been filled and native memory is measured first: after a fifth. */
    private static final int FILLED = 5;

    @SuppressWarnings("unused") // objects may not be optimised away
    private static volatile Object sink;

    static final class A {}

    static final class B {}

    static final class C {}

    static final class D {}

    private static final List<Class<?>> CLASSES = List.of(A.class, B.class, C.class, D.class);

    private static final List<HeapLabels> LABELS =
            IntStream.range(0, SETS)
                    .mapToObj(i -> HeapLabels.of(KEY, Integer.toString(i)).and("kind", "request"))
                    .toList();

    private LabelThreads() {}

    public static void main(String[] arguments) throws InterruptedException {
        int threads = Integer.parseInt(arguments[0]);
        RecordingOptions.Builder options = RecordingOptions.builder().interval(0);
        CLASSES.forEach(options::className);
        try (HeapRecording recording = HeapSampler.record(options.build())) {
            run(0, threads / FILLED, LEFT_OPEN); // which fills the engine's map as far as it goes
            check(recording.snapshot()); // takes memory as the last one does
            Fork.answer("before", HeapSampler.status().memoryUsed());
            run(threads / FILLED, threads, threads);
            HeapSnapshot snapshot = recording.snapshot();
            Fork.answer("after", HeapSampler.status().memoryUsed());
            Fork.answer("threads", threads);
            Fork.answer("samples", snapshot.totals().allocated().samples());
            Fork.answer("full", snapshot.dropped().get(DropCause.LABELS_FULL));
            check(snapshot);
        }
    }

    private static void run(int from, int to, int leftOpen) throws InterruptedException {
        for (int next = from; next < to; next += BATCH) {
            Thread[] batch = new Thread[Math.min(BATCH, to - next)];
            for (int i = 0; i < batch.length; i++) {
                int number = next + i;
                batch[i] =
                        NamedThreads.startVirtual(
                                "request-" + number, () -> work(number, leftOpen));
            }
            for (Thread each : batch) {
                each.join();
            }
        }
    }

    /** One thread in {@code leftOpen} leaves its scope open. */
    private static void work(int number, int leftOpen) {
        for (int i = 0; number < BATCH && i < PRIMING_OBJECTS; i++) {
            sink = new byte[PRIMING_BYTES];
        }
        int set = number % SETS;
        HeapLabels.Scope scope = LABELS.get(set).open();
        for (int i = 0; i < OBJECTS; i++) {
            sink = make(set % CLASSES.size());
            Thread.yield();
        }
        if (number % leftOpen != 0) {
            scope.close();
        }
    }

    private static Object make(int kind) {
        return switch (kind) {
            case 0 -> new A();
            case 1 -> new B();
            case 2 -> new C();
            default -> new D();
        };
    }

    /** Counts samples whose set is not one of their class, and those that have none. */
    private static void check(HeapSnapshot snapshot) {
        long wrong = 0;
        long without = 0;
        for (HeapSite site : snapshot.sites()) {
            for (LabelTotals totals : site.labels(KEY)) {
                long samples = totals.allocated().samples();
                if (totals.isNone() || totals.isOther()) {
                    without += samples;
                } else if (!nameOf(totals.value()).equals(site.className())) {
                    wrong += samples;
                }
            }
        }
        Fork.answer("wrong", wrong);
        Fork.answer("without", without);
    }

    /** Returns the class that the requests of a set allocate. */
    private static String nameOf(String set) {
        return CLASSES.get(Integer.parseInt(set) % CLASSES.size()).getName();
    }
}
