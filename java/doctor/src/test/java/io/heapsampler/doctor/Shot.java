// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.Blocks;
import io.heapsampler.DropCause;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.internal.BlockWriter;
import io.heapsampler.internal.Info;
import java.util.Map;

/** A snapshot under construction. Each sample stands for itself: figures are exact. */
public final class Shot {

    private static final long MICROS = 1000;
    private static final int LIVE = 1;
    private static final int UNCONFIRMED = 0;

    private final BlockWriter writer = new BlockWriter();
    private final int thread = writer.thread(1, "main");

    /** Of each site from now on. */
    public long samples = 100;

    /** Of living objects from now on: how many bytes a smaller one stands for. */
    public int interval;

    public Shot(long startedMillis, long takenMillis) {
        writer.info(Info.STARTED_AT, startedMillis * MICROS);
        writer.info(Info.TAKEN_AT, takenMillis * MICROS);
        writer.info(Info.SAMPLED_MICROS, (takenMillis - startedMillis) * MICROS);
        writer.info(Info.INTERVAL, 512 * 1024);
    }

    public int site(String className, String method, double allocated) {
        int stack = writer.stack(false, writer.frame("shop.Cart", method, 12));
        return writer.site(stack, className, samples, 100, allocated);
    }

    /** Gives a site a label. Sites that differ in nothing else are one. */
    public int labelled(int site, String key, String value) {
        return labelled(site, Map.of(key, value));
    }

    public int labelled(int site, Map<String, String> labels) {
        writer.labelSite(site, writer.labels(labels));
        return site;
    }

    /** One where the method makes a class. */
    public int defining(String className, String method, double allocated) {
        int[] frames = {
            writer.frame("java.lang.ClassLoader", "defineClass1", 1),
            writer.frame("java.net.URLClassLoader", "findClass", 2),
            writer.frame("shop.Cart", method, 12)
        };
        return writer.site(writer.stack(false, frames), className, samples, 100, allocated);
    }

    /** One that the constructor of another object makes. */
    public int part(String className, String maker, String method, double allocated) {
        int[] frames = {writer.frame(maker, "<init>", 1), writer.frame("shop.Cart", method, 12)};
        return writer.site(writer.stack(false, frames), className, samples, 100, allocated);
    }

    /** One of which no frame is shared with others. */
    public int deepSite(String className, String name, int depth, double allocated) {
        int[] frames = new int[depth];
        for (int i = 0; i < depth; i++) {
            frames[i] = writer.frame("com.example.shop." + name + ".Layer" + i, "handle" + i, i);
        }
        return writer.site(writer.stack(false, frames), className, samples, 100, allocated);
    }

    public int site(
            String className, String method, double allocated, long deaths, double[] lifetimes) {
        int stack = writer.stack(false, writer.frame("shop.Cart", method, 12));
        int histogram = writer.lifetimes(deaths, lifetimes);
        return writer.site(
                stack,
                writer.name(className),
                samples,
                100,
                1,
                allocated,
                1,
                (long) allocated,
                histogram);
    }

    public Shot live(int site, int count, long size, long bornMillis, int survived) {
        for (int i = 0; i < count; i++) {
            writer.living(site, thread, size, bornMillis * MICROS, interval, 0, LIVE, survived);
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

    /** Neither found dead nor seen alive by a collection. */
    public Shot unconfirmed(int site, int count, long size, long bornMillis) {
        for (int i = 0; i < count; i++) {
            writer.living(site, thread, size, bornMillis * MICROS, 0, 0, UNCONFIRMED, 0);
        }
        return this;
    }

    /** The given number of dead samples before those of this snapshot were forgotten. */
    public Shot forgotten(long count) {
        writer.drop(DropCause.DEAD_FORGOTTEN.ordinal(), count);
        return this;
    }

    /** The given number of samples were not tracked. */
    public Shot thinned(long count) {
        writer.drop(DropCause.THINNED.ordinal(), count);
        return this;
    }

    public HeapSnapshot take() {
        return Blocks.decode(writer.write());
    }
}
