// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import io.heapsampler.HeapSampler;
import io.heapsampler.SamplerOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * How long collections stop the JVM with and without this many tracked objects in the same heap, in
 * turns. Arguments: the log of safepoints; tracked objects; rounds; {@code young} for collections
 * that allocation brings about, {@code full} for those that are requested.
 */
final class PauseFork {

    private static final int COLLECTIONS = Effort.of(8, 3);
    private static final int LIVE_OBJECTS = 400_000; // some 20 MB, tracked or not
    private static final int GARBAGE_BYTES = 16 * 1024;

    // So large that garbage is hardly sampled, so small that start() can let another one hold.
    private static final int LARGE_INTERVAL = 8 * 1024 * 1024;

    private final SafepointLog log;
    private final boolean isYoung;
    private final Object[] live = new Object[LIVE_OBJECTS];
    private volatile Object sink = this;

    private PauseFork(SafepointLog log, boolean isYoung) {
        this.log = log;
        this.isYoung = isYoung;
    }

    public static void main(String[] arguments) throws Exception {
        int tracked = Integer.parseInt(arguments[1]);
        PauseFork fork =
                new PauseFork(new SafepointLog(Path.of(arguments[0])), arguments[3].equals("young"));
        fork.round(tracked, false);
        for (int i = 0; i < Integer.parseInt(arguments[2]); i++) {
            fork.round(tracked, true);
        }
    }

    /** With, without, or the other way round: the heap is the same, since it is filled anew. */
    private void round(int tracked, boolean counts) throws Exception {
        for (boolean isOn : new boolean[] {true, false}) {
            fill(isOn ? tracked : 0);
            if (isOn) {
                HeapSampler.setInterval(LARGE_INTERVAL);
            } else {
                HeapSampler.stop();
                HeapSampler.reset();
            }
            System.gc();
            System.gc();
            log.pauses();
            collect();
            List<Double> pauses = log.pauses();
            if (counts && !pauses.isEmpty()) {
                String name = isOn ? "with" : "without";
                Fork.answer(name + "_mean", sum(pauses) / COLLECTIONS);
                Fork.answer(name + "_max", pauses.stream().mapToDouble(p -> p).max().orElse(0));
                Fork.answer(name + "_pauses", pauses.size());
                Fork.answer(name + "_tracked", HeapSampler.status().tracked());
            }
        }
    }

    private static double sum(List<Double> values) {
        return values.stream().mapToDouble(p -> p).sum();
    }

    /** Fills the heap with objects, of which this many are tracked. */
    private void fill(int tracked) {
        Arrays.fill(live, null);
        if (HeapSampler.status().isSampling()) {
            HeapSampler.stop();
        }
        HeapSampler.reset();
        for (int i = 0; i < LIVE_OBJECTS - tracked; i++) {
            live[i] = new byte[32];
        }
        HeapSampler.start(SamplerOptions.builder().interval(0).build());
        for (int i = LIVE_OBJECTS - tracked; i < LIVE_OBJECTS; i++) {
            live[i] = new byte[32];
        }
    }

    private void collect() throws IOException {
        long first = Collector.collections();
        if (!isYoung) {
            for (int i = 0; i < COLLECTIONS; i++) {
                System.gc();
            }
            return;
        }
        while (Collector.collections() < first + COLLECTIONS) {
            for (int i = 0; i < 64; i++) {
                sink = new byte[GARBAGE_BYTES];
            }
        }
    }
}
