// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import io.heapsampler.HeapSampler;
import io.heapsampler.SamplerOptions;
import io.heapsampler.StackLookups;

/**
 * A thread for each request, with five samples each. Arguments: threads; {@code virtual} or {@code
 * platform}. The requests take turns among some stacks. Answers the time of a request for each
 * sample, with samples and without.
 */
final class ThreadsFork {

    /** Objects that a request allocates; each is sampled. */
    static final int SAMPLES = 5;

    private static final int BATCH = 500;
    private static final int KINDS = 20;
    private static final int LEVELS = 26; // about 32 frames
    private static final int WARM_UP_BATCHES = 20;

    // Enough for each carrier to pass the sample point that was drawn with the interval before.
    private static final int PRIMING_THREADS = 256;
    private static final int PRIMING_OBJECTS = 4;
    private static final int PRIMING_BYTES = 256 * 1024;

    private final boolean isVirtual;
    private final long[] nanos = new long[BATCH];
    private int requests;

    @SuppressWarnings("unused") // objects may not be optimised away
    private static volatile Object sink;

    private ThreadsFork(boolean isVirtual) {
        this.isVirtual = isVirtual;
    }

    public static void main(String[] arguments) throws InterruptedException {
        int batches = Integer.parseInt(arguments[0]) / BATCH;
        ThreadsFork fork = new ThreadsFork(arguments[1].equals("virtual"));
        for (int i = 0; i < WARM_UP_BATCHES; i++) {
            fork.batch(null);
        }
        for (int i = 0; i < WARM_UP_BATCHES; i++) {
            fork.batch("off_ns");
        }
        HeapSampler.start(SamplerOptions.builder().interval(0).build());
        fork.prime();
        long before = HeapSampler.status().samples();
        StackLookups first = HeapSampler.status().stackLookups();
        for (int i = 0; i < batches; i++) {
            fork.batch("on_ns");
        }
        Fork.answer("samples", HeapSampler.status().samples() - before);
        answer(first, HeapSampler.status().stackLookups(), batches * BATCH);
        Fork.answer("cpu_ns", HeapSampler.status().meanSampleCost().toNanos());
    }

    /** Of the samples in requests alone; the thread that makes the threads has others. */
    private static void answer(StackLookups before, StackLookups now, int threads) {
        double all = (double) threads * SAMPLES / 100;
        long compared = now.verified() - before.verified();
        long asked = now.asked() - before.asked() + now.unwalkable() - before.unwalkable();
        Fork.answer("threads", threads);
        Fork.answer("compared_percent", compared / all);
        Fork.answer("asked_percent", (asked + compared) / all);
    }

    private Thread start(Runnable request) {
        String name = "request-" + requests++;
        return isVirtual
                ? NamedThreads.startVirtual(name, request)
                : NamedThreads.start(name, request);
    }

    /** Lets the interval hold for each carrier. */
    private void prime() throws InterruptedException {
        Runnable work =
                () -> {
                    for (int i = 0; i < PRIMING_OBJECTS; i++) {
                        sink = new byte[PRIMING_BYTES];
                    }
                };
        Thread[] all = new Thread[PRIMING_THREADS];
        for (int i = 0; i < all.length; i++) {
            all[i] = start(work);
        }
        for (Thread each : all) {
            each.join();
        }
    }

    /** One request after the other, so that none waits for a processor that another has. */
    private void batch(String name) throws InterruptedException {
        for (int i = 0; i < BATCH; i++) {
            int place = i;
            int kind = requests % KINDS;
            start(() -> nanos[place] = request(kind)).join();
        }
        if (name != null) {
            double[] each = new double[BATCH];
            for (int i = 0; i < BATCH; i++) {
                each[i] = (double) nanos[i] / SAMPLES;
            }
            Fork.answer(name, Statistics.median(each));
            Fork.answer(name + "_mean", Statistics.mean(each).value());
        }
    }

    /** Returns how long its allocations took. */
    private static long request(int kind) {
        long began = System.nanoTime();
        DeepCalls.ofLevels(LEVELS, BOTTOM).call(kind);
        return System.nanoTime() - began;
    }

    private static final Runnable BOTTOM =
            () -> {
                for (int i = 1; i < SAMPLES; i++) { // the first is the object with the calls
                    sink = new byte[16];
                }
            };
}
