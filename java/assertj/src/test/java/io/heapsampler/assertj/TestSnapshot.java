// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import io.heapsampler.Blocks;
import io.heapsampler.DropCause;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplingStrategy;
import io.heapsampler.internal.BlockWriter;
import io.heapsampler.internal.Info;

/** Snapshots without a JVM that samples. Every sample is of an object of 64 bytes. */
final class TestSnapshot {

    static final int SIZE = 64;

    private final BlockWriter writer = new BlockWriter();
    private final int thread;
    private final int interval;

    TestSnapshot(int interval) {
        this.interval = interval;
        writer.info(Info.INTERVAL, interval).info(Info.TAKEN_AT, 1_000_000);
        writer.info(Info.INTERVAL_IN_FORCE, interval);
        thread = writer.thread(1, "main");
    }

    TestSnapshot afterGc() {
        writer.info(Info.FLAGS, Info.FLAG_GC_ASKED | Info.FLAG_GC_DONE);
        return this;
    }

    TestSnapshot takenAt(long seconds) {
        writer.info(Info.TAKEN_AT, seconds * 1_000_000);
        return this;
    }

    /** As the process-wide sampler writes it with another strategy than by bytes. */
    TestSnapshot strategy(SamplingStrategy.Kind kind, long amount) {
        writer.info(Info.STRATEGY, kind.ordinal()).info(Info.STRATEGY_AMOUNT, amount);
        return this;
    }

    TestSnapshot drop(DropCause cause, long count) {
        writer.drop(cause.ordinal(), count);
        return this;
    }

    BlockWriter writer() {
        return writer;
    }

    /** A site with samples, java.util.Arrays.copyOf as leaf and Caller.run at the end. */
    TestSnapshot site(String className, String at, int samples, int live, int unconfirmed) {
        int dot = at.lastIndexOf('.');
        int stack =
                writer.stack(
                        false,
                        writer.frame("java.util.Arrays", "copyOf", 3537),
                        writer.frame(at.substring(0, dot), at.substring(dot + 1), 42),
                        writer.frame("com.acme.Caller", "run", 7));
        return site(stack, className, samples, live, unconfirmed);
    }

    TestSnapshot site(int stack, String className, int samples, int live, int unconfirmed) {
        double chance = interval == 0 ? 1 : 1 - Math.exp(-(double) SIZE / interval);
        double objects = samples / chance;
        double objectsVariance = samples * (1 - chance) / (chance * chance);
        int site =
                writer.site(
                        stack,
                        writer.name(className),
                        samples,
                        objects,
                        objectsVariance,
                        objects * SIZE,
                        objectsVariance * SIZE * SIZE,
                        (long) samples * SIZE,
                        -1);
        for (int i = 0; i < live + unconfirmed; i++) {
            writer.living(site, thread, SIZE, i, interval, 0, i < live ? 1 : 0, 1);
        }
        return this;
    }

    HeapSnapshot take() {
        return Blocks.decode(writer.write());
    }
}
