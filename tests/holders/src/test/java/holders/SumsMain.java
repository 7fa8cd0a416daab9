// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders;

import io.heapsampler.HeapAmount;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.HeldBy;
import io.heapsampler.Holder;
import io.heapsampler.SamplerOptions;
import io.heapsampler.support.Labels;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;

/**
 * A JVM in which five holders keep known numbers of arrays: compares what each is said to hold with
 * what it holds, first with all samples, then with a tenth of them.
 */
public final class SumsMain {

    /** Five holders and all of them; bytes and objects; all samples and some. */
    static final int COMPARISONS = 6 * 2 * 2;

    /**
     * For 1 false alarm in 1,000 runs of all cells, 40 with 24 comparisons each: Bonferroni. About
     * 4,000 samples a holder make an error of 10 % one of 6 deviations.
     */
    static final double MOST_Z = 4.9;

    private static final long INTERVAL = 2_048;
    private static final int OBJECTS = 30_000;
    private static final int LONGEST = 500;
    private static final int SOME = 2_000;
    private static final int MOST_TRACKED = 1 << 18;

    private static final Map<Integer, byte[]> MAP = new HashMap<>();
    private static final List<byte[]> LIST = new ArrayList<>();
    private static final ConcurrentLinkedQueue<byte[]> QUEUE = new ConcurrentLinkedQueue<>();
    private static final ThreadLocal<List<byte[]>> LOCAL = ThreadLocal.withInitial(ArrayList::new);

    private final SplittableRandom random = new SplittableRandom(42);
    private final CountDownLatch inPlace = new CountDownLatch(2);

    /** What a holder holds, and the variance of an estimate of it. */
    private static final class Truth {
        double bytes;
        double objects;
        double bytesVariance;
        double objectsVariance;
        double squaredBytes;
        double squaredWeights;

        void add(Truth other) {
            bytes += other.bytes;
            objects += other.objects;
            bytesVariance += other.bytesVariance;
            objectsVariance += other.objectsVariance;
            squaredBytes += other.squaredBytes;
            squaredWeights += other.squaredWeights;
        }

        byte[] of(byte[] array) {
            double size = (16 + array.length + 7) / 8 * 8;
            double p = -Math.expm1(-size / INTERVAL);
            bytes += size;
            objects++;
            bytesVariance += size * size * (1 - p) / p;
            objectsVariance += (1 - p) / p;
            squaredBytes += size * size / p;
            squaredWeights += 1 / p;
            return array;
        }
    }

    /**
     * Compares.
     *
     * @param arguments the way
     */
    public static void main(String[] arguments) throws Exception {
        new SumsMain().run(Labels.parse(Way.class, arguments[0]));
        System.exit(0);
    }

    private void run(Way way) throws Exception {
        HeapSampler.start(
                SamplerOptions.builder()
                        .interval(INTERVAL)
                        .maxOverhead(1)
                        .maxTracked(MOST_TRACKED)
                        .build());
        Map<String, Truth> truths = hold();
        HeapSampler.stop();
        HeapSnapshot snapshot = Question.snapshot();
        Question question = Question.withLongPasses(way);
        compare(question.madeBy(snapshot, "holders.SumsMain.make"), truths, way, "all");
        compare(question.madeBy(snapshot, "holders.SumsMain.make", SOME), truths, way, "some");
    }

    /** Makes arrays; the keys are parts of the texts of their holders. */
    private Map<String, Truth> hold() throws Exception {
        Map<String, Truth> truths = new HashMap<>();
        Truth map = truth(truths, "SumsMain.MAP");
        Truth list = truth(truths, "SumsMain.LIST");
        Truth queue = truth(truths, "SumsMain.QUEUE");
        Truth local = truth(truths, "of thread keeper");
        Truth frame = truth(truths, "SumsMain.stay");
        for (int i = 0; i < OBJECTS; i++) {
            MAP.put(i, map.of(make()));
            LIST.add(list.of(make()));
            QUEUE.add(queue.of(make()));
            make(); // garbage
        }
        begin("keeper", () -> keep(local));
        begin("stayer", () -> stay(frame));
        inPlace.await();
        return truths;
    }

    private static Truth truth(Map<String, Truth> truths, String holder) {
        return truths.computeIfAbsent(holder, key -> new Truth());
    }

    private void begin(String name, Runnable work) throws InterruptedException {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
        while (inPlace.getCount() > (name.equals("keeper") ? 1 : 0)) {
            Thread.sleep(1);
        }
    }

    private void keep(Truth truth) {
        for (int i = 0; i < OBJECTS; i++) {
            LOCAL.get().add(truth.of(make()));
        }
        inPlace.countDown();
        forever();
    }

    private void stay(Truth truth) {
        List<byte[]> held = new ArrayList<>();
        for (int i = 0; i < OBJECTS; i++) {
            held.add(truth.of(make()));
        }
        inPlace.countDown();
        forever();
        held.clear();
    }

    private static void forever() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private byte[] make() {
        return new byte[random.nextInt(LONGEST)];
    }

    private static void compare(HeldBy held, Map<String, Truth> truths, Way way, String round) {
        System.out.println("holders: " + round + " " + Question.figures(held));
        if (!Question.wentBy(held, way)) {
            throw new IllegalStateException("not " + way + " but " + held.way());
        }
        double samples = held.snapshot().samples().size();
        double extra = round.equals("all") ? 0 : 1 / share(held) - 1;
        Truth all = new Truth();
        truths.forEach(
                (key, truth) -> {
                    all.add(truth);
                    compare(round + " " + key, of(held, key), truth, extra);
                });
        compare(round + " total of " + samples, held.total(), all, extra);
    }

    /** Returns the share of samples that was chosen. */
    private static double share(HeldBy held) {
        long chosen = held.total().samples();
        long there =
                held.snapshot().sites().stream()
                        .filter(
                                site ->
                                        site.stack().stream()
                                                .anyMatch(
                                                        frame ->
                                                                frame.toString()
                                                                        .startsWith(
                                                                                "holders.SumsMain.make")))
                        .mapToLong(site -> site.live().samples())
                        .sum();
        System.out.printf("chosen %d of %d%n", chosen, there);
        return (double) chosen / there;
    }

    private static HeapAmount of(HeldBy held, String key) {
        return held.holders().stream()
                .filter(holder -> holder.text().contains(key))
                .map(Holder::held)
                .reduce(HeapAmount::plus)
                .orElseThrow(() -> new IllegalStateException(key + " in " + held.holders()));
    }

    private static void compare(String name, HeapAmount amount, Truth truth, double extra) {
        compare(
                name + " bytes",
                amount.bytes().value(),
                amount.bytes().standardError(),
                truth.bytes,
                truth.bytesVariance + extra * truth.squaredBytes);
        compare(
                name + " objects",
                amount.objects().value(),
                amount.objects().standardError(),
                truth.objects,
                truth.objectsVariance + extra * truth.squaredWeights);
    }

    private static void compare(
            String name, double value, double error, double truth, double variance) {
        double deviation = Math.sqrt(variance);
        System.out.printf(
                "sum %s truth=%.0f estimate=%.0f error=%.0f deviation=%.0f z=%.2f%n",
                name, truth, value, error, deviation, (value - truth) / deviation);
    }
}
