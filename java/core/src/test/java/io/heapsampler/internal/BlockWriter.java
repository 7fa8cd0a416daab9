// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import io.heapsampler.DropCause;
import io.heapsampler.internal.shared.BlockSections;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Writes snapshot blocks, from {@code native/doc/snapshot-format.md} alone. Sites are entered with
 * a first weight for the allocations; every table has at least the room that the entries need.
 */
public final class BlockWriter {

    /** One section under construction. */
    private static final class Section {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private int count;

        private void add(ByteBuffer entry) {
            bytes.write(entry.array(), 0, entry.position());
            count++;
        }
    }

    private final Map<Integer, Section> sections = new TreeMap<>();
    private final Map<String, Integer> names = new LinkedHashMap<>();
    private long[] info = new long[Info.values().length];
    private long[] drops = new long[DropCause.values().length];
    private int version = 1;

    public BlockWriter() {
        for (int tag = 3; tag <= 10; tag++) {
            sections.put(tag, new Section());
        }
        name("");
        info(Info.FEATURE, 25).info(Info.SAMPLES, 1000);
    }

    public BlockWriter version(int number) {
        version = number;
        return this;
    }

    public BlockWriter info(Info entry, long value) {
        info[entry.ordinal()] = value;
        return this;
    }

    /** Adds entries to INFO that no version has yet. */
    public BlockWriter laterInfo(int count) {
        info = Arrays.copyOf(info, info.length + count);
        Arrays.fill(info, info.length - count, info.length, 99);
        return this;
    }

    /** Adds causes that no version has yet, with 5 samples each. */
    public BlockWriter laterDrops(int count) {
        drops = Arrays.copyOf(drops, drops.length + count);
        Arrays.fill(drops, drops.length - count, drops.length, 5);
        return this;
    }

    public BlockWriter drop(int cause, long count) {
        drops[cause] = count;
        return this;
    }

    public int name(String name) {
        return name(name, name.getBytes(StandardCharsets.UTF_8));
    }

    public int name(String key, byte[] bytes) {
        Integer known = names.putIfAbsent(key, names.size());
        if (known != null) {
            return known;
        }
        sections.get(3).add(entry(4 + bytes.length).putInt(bytes.length).put(bytes));
        return names.size() - 1;
    }

    public int frame(
            String className, String raw, String method, String file, int line, int flags) {
        ByteBuffer entry = entry(28).putInt(name(className)).putInt(name(raw)).putInt(name(method));
        entry.putInt(name("()V")).putInt(name(file)).putInt(line).putInt(flags);
        return add(4, entry);
    }

    public int frame(String className, String method, int line) {
        return frame(className, className, method, "Source.java", line, 0);
    }

    public int stack(boolean truncated, int... frames) {
        ByteBuffer entry =
                entry(4 + 4 * frames.length).putInt(frames.length | (truncated ? 1 << 31 : 0));
        for (int frame : frames) {
            entry.putInt(frame);
        }
        return add(5, entry);
    }

    public int site(int stack, String className, long samples, double objects, double bytes) {
        return site(stack, name(className), samples, objects, 1, bytes, 100, (long) bytes, -1);
    }

    public int site(
            int stack,
            int className,
            long samples,
            double objects,
            double objectsVariance,
            double bytes,
            double bytesVariance,
            long sampledBytes,
            int lifetimes) {
        ByteBuffer entry = entry(64).putInt(stack).putInt(className).putLong(samples);
        entry.putDouble(objects)
                .putDouble(objectsVariance)
                .putDouble(bytes)
                .putDouble(bytesVariance);
        return add(6, entry.putLong(sampledBytes).putInt(lifetimes).putInt(0));
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
        sections.computeIfAbsent(11, tag -> new Section());
        add(11, entry(16).putLong(samples).putLong(Math.round(intervals * 65_536)));
        return this;
    }

    /** Adds a section as it is. */
    public BlockWriter section(int tag, int count, byte[] bytes) {
        Section section = new Section();
        section.bytes.writeBytes(bytes);
        section.count = count;
        sections.put(tag, section);
        return this;
    }

    public BlockWriter without(int tag) {
        sections.put(tag, new Section());
        return this;
    }

    private int add(int tag, ByteBuffer entry) {
        sections.get(tag).add(entry);
        return sections.get(tag).count - 1;
    }

    private static ByteBuffer entry(int bytes) {
        return BlockSections.buffer(bytes);
    }

    public byte[] write() {
        BlockSections all = new BlockSections();
        all.add(1, 1, info).add(2, drops.length, drops);
        sections.forEach((tag, each) -> all.add(tag, each.count, each.bytes.toByteArray()));
        return all.block(version);
    }
}
