// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.Blocks;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.internal.BlockWriter;
import io.heapsampler.internal.Info;

/** A snapshot under construction. Each sample stands for itself: figures are exact. */
public final class Shot {

    private static final long MICROS = 1000;
    private static final int LIVE = 1;

    private final BlockWriter writer = new BlockWriter();
    private final int thread = writer.thread(1, "main");

    public Shot(long startedMillis, long takenMillis) {
        writer.info(Info.STARTED_AT, startedMillis * MICROS);
        writer.info(Info.TAKEN_AT, takenMillis * MICROS);
        writer.info(Info.SAMPLED_MICROS, (takenMillis - startedMillis) * MICROS);
        writer.info(Info.INTERVAL, 512 * 1024);
    }

    public int site(String className, String method, double allocated) {
        int stack = writer.stack(false, writer.frame("shop.Cart", method, 12));
        return writer.site(stack, className, 100, 100, allocated);
    }

    public int site(
            String className, String method, double allocated, long deaths, double[] lifetimes) {
        int stack = writer.stack(false, writer.frame("shop.Cart", method, 12));
        int histogram = writer.lifetimes(deaths, lifetimes);
        return writer.site(
                stack,
                writer.name(className),
                100,
                100,
                1,
                allocated,
                1,
                (long) allocated,
                histogram);
    }

    public Shot live(int site, int count, long size, long bornMillis, int survived) {
        for (int i = 0; i < count; i++) {
            writer.living(site, thread, size, bornMillis * MICROS, 0, 0, LIVE, survived);
        }
        return this;
    }

    public Shot dead(
            int site,
            int count,
            long size,
            long bornMillis,
            int survived,
            long seenMillis,
            long foundMillis) {
        for (int i = 0; i < count; i++) {
            writer.dead(
                    site,
                    thread,
                    size,
                    bornMillis * MICROS,
                    survived,
                    seenMillis * MICROS,
                    foundMillis * MICROS);
        }
        return this;
    }

    public HeapSnapshot take() {
        return Blocks.decode(writer.write());
    }
}
