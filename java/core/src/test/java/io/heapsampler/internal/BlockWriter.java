// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import io.heapsampler.DropCause;
import io.heapsampler.internal.shared.BlockBuilder;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Builds snapshot blocks with all sections, of any version. Allocated figures of sites are entered
 * as estimates.
 */
public final class BlockWriter extends BlockBuilder {

    private long[] info = new long[Info.values().length];
    private long[] drops = new long[DropCause.values().length];
    private int version = VERSION;

    public BlockWriter() {
        for (int tag = 4; tag <= 10; tag++) {
            section(tag, 0, new byte[0]);
        }
        info(Info.FEATURE, 25).info(Info.SAMPLES, 1000).laterDrops(0);
    }

    public BlockWriter version(int number) {
        version = number;
        return this;
    }

    public BlockWriter info(Info entry, long value) {
        info[entry.ordinal()] = value;
        numbers(1, 1, info);
        return this;
    }

    /** Adds entries to INFO that no version has yet. */
    public BlockWriter laterInfo(int count) {
        info = Arrays.copyOf(info, info.length + count);
        Arrays.fill(info, info.length - count, info.length, 99);
        numbers(1, 1, info);
        return this;
    }

    /** Adds causes that no version has yet, with 5 samples each. */
    public BlockWriter laterDrops(int count) {
        drops = Arrays.copyOf(drops, drops.length + count);
        Arrays.fill(drops, drops.length - count, drops.length, 5);
        numbers(2, drops.length, drops);
        return this;
    }

    public BlockWriter drop(int cause, long count) {
        drops[cause] = count;
        numbers(2, drops.length, drops);
        return this;
    }

    public int frame(
            String className, String raw, String method, String file, int line, int flags) {
        return frame(className, raw, method, "()V", file, line, flags);
    }

    public int frame(String className, String method, int line) {
        return frame(className, className, method, "Source.java", line, 0);
    }

    public int site(int stack, String className, long samples, double objects, double bytes) {
        return site(stack, name(className), samples, objects, 1, bytes, 100, (long) bytes, -1);
    }

    public int thread(long id, String name) {
        ByteBuffer entry = entry(64).putLong(id).putInt(name(name)).putInt(0).putLong(1);
        return add(7, entry.putDouble(1).putDouble(0).putDouble(16).putDouble(0).putLong(16));
    }

    private ByteBuffer sample(
            int bytes, int site, int thread, long size, long at, int interval, int thinning) {
        ByteBuffer entry = entry(bytes).putInt(site).putInt(thread).putLong(size).putLong(at);
        return entry.putInt(interval).put((byte) thinning);
    }

    public BlockWriter living(
            int site,
            int thread,
            long size,
            long at,
            int interval,
            int thinning,
            int liveness,
            int survived) {
        ByteBuffer entry = sample(40, site, thread, size, at, interval, thinning);
        add(8, entry.put((byte) liveness).putShort((short) 0).putInt(survived).putInt(0));
        return this;
    }

    public BlockWriter dead(
            int site, int thread, long size, long at, int survived, long seen, long found) {
        ByteBuffer entry = sample(56, site, thread, size, at, 0, 0);
        entry.put((byte) 2)
                .putShort((short) 0)
                .putInt(survived)
                .putInt(0)
                .putLong(seen)
                .putLong(found);
        add(9, entry);
        return this;
    }

    public int lifetimes(long deaths, double[] buckets) {
        ByteBuffer entry = entry(392).putLong(deaths);
        for (double bucket : buckets) {
            entry.putDouble(bucket);
        }
        return add(10, entry);
    }

    /** Adds the density before the samples of the next site that has none yet. */
    public BlockWriter density(long samples, double intervals) {
        add(11, entry(16).putLong(samples).putLong(Math.round(intervals * 65_536)));
        return this;
    }

    /** Adds a name as the given bytes, which may be no valid name. */
    @Override
    public int name(String key, byte[] bytes) {
        return super.name(key, bytes);
    }

    @Override
    public BlockWriter section(int tag, int count, byte[] bytes) {
        super.section(tag, count, bytes);
        return this;
    }

    public BlockWriter without(int tag) {
        return section(tag, 0, new byte[0]);
    }

    public byte[] write() {
        return block(version);
    }
}
