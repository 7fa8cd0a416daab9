// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.DropCause;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplingStrategy;
import io.heapsampler.internal.BlockWriter;
import io.heapsampler.internal.Info;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Random;

/** Snapshots of which a reader of the report can check each figure. */
final class ReportHeaps {

    static final String HOSTILE =
            "com.acme.\"><script>window.hacked=1</script></script ><img src=x"
                    + " onerror=alert(1)>'&\u2028\u2029\n";

    private static final long SECOND = 1_000_000;
    private static final long START = 1_767_225_600 * SECOND;
    private static final int MIB = 1 << 20;
    private static final int CHUNK = 1 << 16;

    private ReportHeaps() {}

    private static HeapSnapshot read(BlockWriter writer) {
        try {
            return HeapSnapshot.read(new ByteArrayInputStream(writer.write()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static BlockWriter writer(long seconds) {
        return new BlockWriter()
                .info(Info.STARTED_AT, START)
                .info(Info.TAKEN_AT, START + seconds * SECOND)
                .info(Info.SAMPLED_MICROS, seconds * SECOND)
                .info(Info.INTERVAL, 524_288)
                .info(Info.COLLECTIONS, 6)
                .info(Info.COLLECTOR, 2);
    }

    /** A site with the given MiB allocated, give or take 5 %, and live chunks of 64 KiB. */
    private static int site(
            BlockWriter writer, int stack, String className, double mib, int lifetimes) {
        double bytes = mib * MIB;
        double objects = bytes / CHUNK;
        long samples = (long) (20 * mib);
        return writer.site(
                stack,
                writer.name(className),
                samples,
                objects,
                Math.pow(0.05 * objects, 2),
                bytes,
                Math.pow(0.05 * bytes, 2),
                (long) bytes / 4,
                lifetimes);
    }

    private static void alive(BlockWriter writer, int site, int chunks, long bornAt) {
        for (int i = 0; i < chunks; i++) {
            writer.living(site, 0, CHUNK, START + bornAt * SECOND, 0, 0, 1, 3);
        }
    }

    /** Cart 1 MiB, 0.25 MiB of it alive; index 2 MiB, all alive. */
    static HeapSnapshot before() {
        BlockWriter writer = writer(60);
        int[] stacks = stacks(writer);
        alive(writer, site(writer, stacks[0], "byte[]", 1, -1), 4, 10);
        alive(writer, site(writer, stacks[1], "java.lang.Object[]", 2, -1), 32, 5);
        return read(writer);
    }

    /**
     * Cart 4 MiB, 1.25 MiB of it alive since 20 s; index 2 MiB, 1 MiB of it alive since 95 s;
     * sessions 1 MiB, all dead, after 4 to 7 ms.
     */
    static HeapSnapshot after() {
        BlockWriter writer = writer(100).drop(DropCause.STACKS_FULL.ordinal(), 31);
        int[] stacks = stacks(writer);
        double[] lives = new double[48];
        lives[3] = 16;
        lives[32] = 16;
        alive(writer, site(writer, stacks[0], "byte[]", 4, -1), 20, 80);
        alive(writer, site(writer, stacks[1], "java.lang.Object[]", 2, -1), 16, 5);
        site(writer, stacks[2], "com.acme.Session", 1, writer.lifetimes(16, lives));
        return read(writer);
    }

    /**
     * Cart 4 MiB for orders, 1.25 MiB of it alive since 20 s, and 1 MiB for carts, 0.25 MiB of it
     * alive since 90 s, both of acme; index 2 MiB without labels; sessions 1 MiB without room for
     * labels.
     */
    static HeapSnapshot labelled() {
        BlockWriter writer = writer(100);
        int[] stacks = stacks(writer);
        int orders = site(writer, stacks[0], "byte[]", 4, -1);
        int carts = site(writer, stacks[0], "byte[]", 1, -1);
        alive(writer, orders, 20, 80);
        alive(writer, carts, 4, 10);
        alive(writer, site(writer, stacks[1], "java.lang.Object[]", 2, -1), 16, 5);
        double[] lives = new double[48];
        lives[3] = 16;
        int other = site(writer, stacks[2], "com.acme.Session", 1, writer.lifetimes(16, lives));
        writer.labelSite(orders, writer.labels(LabelledHeaps.ORDERS));
        writer.labelSite(carts, writer.labels(LabelledHeaps.CARTS));
        writer.labelSite(other, writer.otherLabels());
        return read(writer);
    }

    /** A key and values that would be more than texts in HTML. */
    static HeapSnapshot hostileLabels() {
        BlockWriter writer = writer(10);
        int[] stacks = stacks(writer);
        int site = site(writer, stacks[0], "byte[]", 1, -1);
        alive(writer, site, 2, 1);
        writer.labelSite(site, writer.labels(Map.of(HOSTILE, HOSTILE, "__proto__", "constructor")));
        site(writer, stacks[1], "byte[]", 1, -1);
        return read(writer);
    }

    private static int[] stacks(BlockWriter writer) {
        writer.thread(1, "main");
        writer.thread(7, "importer");
        int main = writer.frame("com.acme.Main", "main", 7);
        int add = writer.frame("com.acme.cart.Cart", "add", 42);
        int load = writer.frame("com.acme.index.Index", "load", 11);
        int grow = writer.frame("java.util.ArrayList", "grow", 237);
        int open = writer.frame("com.acme.Session", "open", 3);
        return new int[] {
            writer.stack(false, add, main),
            writer.stack(false, grow, load, main),
            writer.stack(true, open, main)
        };
    }

    static HeapSnapshot hostile() {
        BlockWriter writer = writer(10);
        writer.thread(1, HOSTILE);
        int frame = writer.frame(HOSTILE, HOSTILE, HOSTILE, HOSTILE, 1, 0);
        alive(writer, site(writer, writer.stack(false, frame), HOSTILE, 1, -1), 2, 1);
        return read(writer);
    }

    static HeapSnapshot empty() {
        return read(writer(0));
    }

    /** Sampled with another strategy than by bytes. */
    static HeapSnapshot with(SamplingStrategy.Kind kind, long amount, long interval) {
        BlockWriter writer =
                writer(10)
                        .info(Info.STRATEGY, kind.ordinal())
                        .info(Info.STRATEGY_AMOUNT, amount)
                        .info(Info.INTERVAL, interval);
        alive(writer, site(writer, stacks(writer)[0], "byte[]", 1, -1), 2, 1);
        return read(writer);
    }

    /**
     * The sites of a large application: stacks of 14 to 90 frames that begin alike, figures over
     * many orders of magnitude, ages and lifetimes at each.
     */
    static HeapSnapshot large(int sites) {
        BlockWriter writer = writer(3600);
        Random random = new Random(7);
        for (int i = 0; i < 40; i++) {
            writer.thread(i + 1, "http-nio-8080-exec-" + i);
        }
        int[] frames = new int[6_000];
        for (int i = 0; i < frames.length; i++) {
            String owner = (i % 3 == 0 ? "java.util.T" : "com.acme.shop.p" + i % 40 + ".Service");
            frames[i] = writer.frame(owner + i / 8, "method" + i % 8, 1 + i % 900);
        }
        int[][] stacks = new int[sites][];
        for (int i = 0; i < sites; i++) {
            stacks[i] = stack(random, i == 0 ? new int[0] : stacks[random.nextInt(i)], frames);
            largeSite(writer, random, writer.stack(false, stacks[i]));
        }
        return read(writer);
    }

    /** Another stack that begins, which is at its end, as one that is there. */
    private static int[] stack(Random random, int[] like, int[] frames) {
        int same = (int) (like.length * (0.5 + random.nextDouble() / 2));
        int depth = Math.min(90, Math.max(same + 1, 14 + random.nextInt(22)));
        int[] stack = random.ints(depth, 0, frames.length).map(i -> frames[i]).toArray();
        System.arraycopy(like, like.length - same, stack, depth - same, same);
        return stack;
    }

    private static void largeSite(BlockWriter writer, Random random, int stack) {
        double bytes = Math.exp(random.nextGaussian() * 1.8 + 13.5);
        double size = 16 + 8 * random.nextInt(64);
        double[] lives = new double[48];
        double middle = random.nextInt(14);
        for (int i = 0; i < 20; i++) {
            int bucket = (int) Math.max(0, middle + random.nextGaussian() * 2);
            lives[bucket] += bytes / size / 20;
            lives[32 + Math.min(15, bucket / 3)] += bytes / size / 20;
        }
        long samples = Math.max(1, (long) (bytes / 524_288));
        int site =
                writer.site(
                        stack,
                        writer.name("com.acme.T" + random.nextInt(900)),
                        samples,
                        bytes / size,
                        Math.pow(bytes / size, 2) / samples,
                        bytes,
                        bytes * bytes / samples,
                        (long) (samples * size),
                        writer.lifetimes(20, lives));
        int living = random.nextInt(4) == 0 ? 1 + random.nextInt(20) : random.nextInt(3);
        for (int i = 0; i < living; i++) {
            long at = START + (long) (3600 * SECOND * random.nextDouble());
            writer.living(site, i, (long) size, at, 524_288, 0, i % 6 == 0 ? 0 : 1, i);
        }
    }
}
