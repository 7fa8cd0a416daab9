// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import io.heapsampler.internal.Info;
import io.heapsampler.internal.ModifiedUtf8;
import io.heapsampler.internal.SnapshotDecoder;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;

/**
 * Builds a snapshot block from names, frames, stacks and sites, as {@code
 * native/doc/snapshot-format.md} describes it. Each of them gets a number, by which the others
 * refer to it. For one thread.
 */
public class BlockBuilder {

    /** The format version that this library reads and writes. */
    public static final int VERSION = 1;

    private static final class Section {

        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private int count;

        int paddedBytes() {
            return (bytes.size() + 7) / 8 * 8;
        }
    }

    private final Map<Integer, Section> sections = new TreeMap<>();
    private final Map<String, Integer> names = new HashMap<>();
    private final Map<Integer, Integer> labelsOfSites = new HashMap<>();

    /** Begins a block. Its first name is empty, for missing names. */
    public BlockBuilder() {
        name("");
    }

    /**
     * Sets the general information.
     *
     * @param takenAt the time of the snapshot and of the start of its recording
     * @param feature the Java feature version; older ones add notes to the snapshot
     * @param samples the number of samples
     */
    public final BlockBuilder info(Instant takenAt, int feature, long samples) {
        long[] info = new long[Info.values().length];
        info[Info.STARTED_AT.ordinal()] = ChronoUnit.MICROS.between(Instant.EPOCH, takenAt);
        info[Info.TAKEN_AT.ordinal()] = info[Info.STARTED_AT.ordinal()];
        info[Info.FEATURE.ordinal()] = feature;
        info[Info.SAMPLES.ordinal()] = samples;
        return numbers(SnapshotDecoder.TAG_INFO, 1, info);
    }

    /** Adds a name, unless it was added before; returns its number. */
    public final int name(String text) {
        return name(text, ModifiedUtf8.encode(text));
    }

    /** Adds a name as the given bytes. */
    protected int name(String key, byte[] bytes) {
        Integer known = names.putIfAbsent(key, names.size());
        if (known != null) {
            return known;
        }
        ByteBuffer entry = entry(Integer.BYTES + bytes.length).putInt(bytes.length).put(bytes);
        return add(SnapshotDecoder.TAG_NAMES, entry);
    }

    /**
     * Adds a frame; returns its number.
     *
     * @param rawClass the name of the class in the JVM, which differs for hidden classes
     * @param file the source file; empty if unknown
     * @param line the line; −1 if unknown
     * @param flags 1 native, 2 hidden class
     */
    public final int frame(
            String className,
            String rawClass,
            String method,
            String descriptor,
            String file,
            int line,
            int flags) {
        ByteBuffer entry = entry(28).putInt(name(className)).putInt(name(rawClass));
        entry.putInt(name(method)).putInt(name(descriptor)).putInt(name(file));
        return add(SnapshotDecoder.TAG_FRAMES, entry.putInt(line).putInt(flags));
    }

    /**
     * Adds a stack; returns its number.
     *
     * @param frames the numbers of the frames, innermost first
     */
    public final int stack(boolean isTruncated, int... frames) {
        ByteBuffer entry = entry(Integer.BYTES * (1 + frames.length));
        entry.putInt(frames.length | (isTruncated ? 1 << 31 : 0));
        for (int frame : frames) {
            entry.putInt(frame);
        }
        return add(SnapshotDecoder.TAG_STACKS, entry);
    }

    /**
     * Adds a site; returns its number.
     *
     * @param stack the number of its stack; −1 for the sum of other sites
     * @param className the number of the name
     * @param objects an estimate, as are {@code bytes}; each has its variance
     * @param sampledBytes the bytes of the samples themselves
     * @param lifetimes the number of its lifetimes; −1 for none
     */
    public final int site(
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
        entry.putDouble(objects).putDouble(objectsVariance);
        entry.putDouble(bytes).putDouble(bytesVariance);
        return add(
                SnapshotDecoder.TAG_SITES, entry.putLong(sampledBytes).putInt(lifetimes).putInt(0));
    }

    /**
     * Adds a set of labels; returns its number. Number 0 is the empty set.
     *
     * @param labels values by key, without the character U+0000
     */
    public final int labels(Map<String, String> labels) {
        ByteArrayOutputStream set = new ByteArrayOutputStream();
        new TreeMap<>(labels)
                .forEach(
                        (key, value) -> {
                            set.writeBytes(ModifiedUtf8.encode(key));
                            set.write(0);
                            set.writeBytes(ModifiedUtf8.encode(value));
                            set.write(0);
                        });
        return labels(set.toByteArray());
    }

    /** Adds the set "(other)", which stands for all that found no room; returns its number. */
    public final int otherLabels() {
        return labels(new byte[1]);
    }

    private int labels(byte[] set) {
        if (!sections.containsKey(SnapshotDecoder.TAG_LABELS)) {
            add(SnapshotDecoder.TAG_LABELS, entry(Integer.BYTES).putInt(0));
        }
        return add(
                SnapshotDecoder.TAG_LABELS,
                entry(Integer.BYTES + set.length).putInt(set.length).put(set));
    }

    /**
     * Gives a site a set of labels. Sites that differ in nothing else are read as one.
     *
     * @param site the number of the site
     * @param labels the number of the set
     */
    public final BlockBuilder labelSite(int site, int labels) {
        labelsOfSites.put(site, labels);
        return this;
    }

    @SuppressWarnings("ByteBufferBackingArray") // entry() allocates it.
    private void writeLabelsOfSites() {
        Section sites = sections.get(SnapshotDecoder.TAG_SITES);
        if (sites == null || labelsOfSites.isEmpty()) {
            return;
        }
        ByteBuffer payload = entry(Integer.BYTES * sites.count);
        for (int site = 0; site < sites.count; site++) {
            payload.putInt(labelsOfSites.getOrDefault(site, 0));
        }
        section(SnapshotDecoder.TAG_SITE_LABELS, sites.count, payload.array());
    }

    /**
     * Adds a trace in which a site has allocated. A site has three at most, the oldest first, and
     * those of one site follow those of the sites with smaller numbers.
     *
     * @param site the number of the site
     * @param traceId 32 hexadecimal digits, not all of them 0
     * @param spanId 16 hexadecimal digits, not all of them 0
     */
    public final BlockBuilder example(int site, String traceId, String spanId) {
        byte[] ids = HexFormat.of().parseHex(traceId + spanId);
        ByteBuffer entry = entry(2 * Integer.BYTES + ids.length).putInt(site).putInt(0).put(ids);
        add(SnapshotDecoder.TAG_EXAMPLES, entry);
        return this;
    }

    /** Returns an empty entry in the byte order of the format. */
    protected static ByteBuffer entry(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Adds what was put into an entry to a section; returns the number of the entry. */
    @SuppressWarnings("ByteBufferBackingArray") // entry() allocates it.
    protected final int add(int tag, ByteBuffer entry) {
        Section section = sections.computeIfAbsent(tag, any -> new Section());
        section.bytes.write(entry.array(), 0, entry.position());
        return section.count++;
    }

    /** Replaces a section. */
    public BlockBuilder section(int tag, int count, byte[] payload) {
        Section section = new Section();
        section.bytes.writeBytes(payload);
        section.count = count;
        sections.put(tag, section);
        return this;
    }

    /** Replaces a section with numbers. */
    public final BlockBuilder numbers(int tag, int count, long... payload) {
        sections.put(tag, new Section());
        ByteBuffer entry = entry(payload.length * Long.BYTES);
        for (long number : payload) {
            entry.putLong(number);
        }
        add(tag, entry);
        sections.get(tag).count = count;
        return this;
    }

    /** Returns the block. */
    public final byte[] block() {
        return block(VERSION);
    }

    /** Returns a block that claims another format version; for tests. */
    @SuppressWarnings("ByteBufferBackingArray") // entry() allocates it.
    protected final byte[] block(int version) {
        writeLabelsOfSites();
        int total = SnapshotDecoder.HEADER_BYTES;
        for (Section each : sections.values()) {
            total += SnapshotDecoder.SECTION_HEADER_BYTES + each.paddedBytes();
        }
        ByteBuffer block = entry(total).putInt(SnapshotDecoder.MAGIC).putShort((short) version);
        block.putShort((short) SnapshotDecoder.HEADER_BYTES).putInt(sections.size()).putInt(0);
        block.putLong(total).putLong(0);
        sections.forEach(
                (tag, each) -> {
                    block.putInt(tag).putInt(each.count).putLong(each.bytes.size());
                    int end = block.position() + each.paddedBytes();
                    block.put(each.bytes.toByteArray()).position(end);
                });
        return block.array();
    }
}
