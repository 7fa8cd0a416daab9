// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import static io.heapsampler.internal.SnapshotDecoder.TAG_DEAD;
import static io.heapsampler.internal.SnapshotDecoder.TAG_DENSITY;
import static io.heapsampler.internal.SnapshotDecoder.TAG_FRAMES;
import static io.heapsampler.internal.SnapshotDecoder.TAG_INFO;
import static io.heapsampler.internal.SnapshotDecoder.TAG_LABELS;
import static io.heapsampler.internal.SnapshotDecoder.TAG_LIFETIMES;
import static io.heapsampler.internal.SnapshotDecoder.TAG_LIVE;
import static io.heapsampler.internal.SnapshotDecoder.TAG_NAMES;
import static io.heapsampler.internal.SnapshotDecoder.TAG_PLACES;
import static io.heapsampler.internal.SnapshotDecoder.TAG_REACH;
import static io.heapsampler.internal.SnapshotDecoder.TAG_SITES;
import static io.heapsampler.internal.SnapshotDecoder.TAG_SITE_LABELS;
import static io.heapsampler.internal.SnapshotDecoder.TAG_STACKS;
import static io.heapsampler.internal.SnapshotDecoder.TAG_THREADS;

import io.heapsampler.internal.SnapshotDecoder.Section;
import io.heapsampler.internal.shared.BlockBuilder;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Map;
import java.util.function.IntPredicate;

/**
 * Makes a block of some rows of another one, with their samples. Tables to which rows and samples
 * refer keep their order, but entries that only other rows use become empty, so the block names
 * nothing of these. The figures of threads are 0, because they are not kept by row. An answer about
 * holders, and sections that this version does not know, are left out.
 */
public final class FilteredBlock {

    private static final int SITE_BYTES = 64;
    private static final int SAMPLES_OF_SITE = 8;
    private static final int THREAD_BYTES = 64;
    private static final int FIGURES_OF_THREAD = 16;
    private static final int DEPTH = Integer.MAX_VALUE;

    private final SnapshotData data;
    private final ByteBuffer block;
    private final Map<Integer, Section> sections;
    private final BlockBuilder out = new BlockBuilder();

    /** The new number of each row; −1: left out. */
    private final int[] numbers;

    private final UsedEntries used;

    private FilteredBlock(SnapshotData data, IntPredicate isKept) {
        this.data = data;
        this.block = ByteBuffer.wrap(data.block()).order(ByteOrder.LITTLE_ENDIAN);
        this.sections = SnapshotDecoder.sections(data.block());
        this.numbers = new int[data.rows().count()];
        int next = 0;
        for (int row = 0; row < numbers.length; row++) {
            numbers[row] = isKept.test(row) ? next++ : SnapshotData.NONE;
        }
        this.used = UsedEntries.of(data, row -> numbers[row] >= 0);
    }

    /**
     * Makes the block.
     *
     * @param isKept the rows, see {@link SnapshotData#rows()}
     */
    public static byte[] of(SnapshotData data, IntPredicate isKept) {
        return new FilteredBlock(data, isKept).make();
    }

    private byte[] make() {
        for (int tag = TAG_INFO; tag <= TAG_SITE_LABELS; tag++) {
            Section section = sections.get(tag);
            if (section != null && tag != SnapshotDecoder.TAG_HELD) {
                write(tag, section);
            }
        }
        addExamples();
        return out.block();
    }

    private void write(int tag, Section section) {
        SampleColumns samples = data.samples;
        switch (tag) {
            case TAG_INFO -> writeInfo(section);
            case TAG_SITES, TAG_DENSITY, TAG_SITE_LABELS ->
                    writeSome(tag, section, entry -> numbers[entry] >= 0);
            case TAG_LIVE -> writeSamples(tag, section, 0);
            case TAG_DEAD -> writeSamples(tag, section, samples.living);
            case TAG_REACH, TAG_PLACES ->
                    writeSome(tag, section, entry -> numbers[samples.row(entry)] >= 0);
            case TAG_NAMES -> writeTexts(tag, section, used.names);
            case TAG_LABELS -> writeTexts(tag, section, used.sets);
            case TAG_STACKS -> writeStacks(section);
            case TAG_FRAMES -> writeUsed(tag, section, used.frames);
            case TAG_LIFETIMES -> writeUsed(tag, section, used.lifetimes);
            case TAG_THREADS -> writeThreads(section);
            default -> out.section(tag, section.count(), payload(section));
        }
    }

    private void addExamples() {
        SiteExamples examples = data.examples();
        for (int i = 0; i < examples.count(); i++) {
            int number = numbers[examples.row(i)];
            if (number >= 0) {
                out.example(number, examples.traceId(i), examples.spanId(i));
            }
        }
    }

    private byte[] payload(Section section) {
        return Arrays.copyOfRange(data.block(), section.start(), section.end());
    }

    private void writeInfo(Section section) {
        byte[] payload = payload(section);
        Section sites = sections.get(TAG_SITES);
        long samples = 0;
        for (int row = 0; row < numbers.length && sites != null; row++) {
            int at = sites.start() + row * SITE_BYTES + SAMPLES_OF_SITE;
            samples += numbers[row] < 0 ? 0 : block.getLong(at);
        }
        long tracked = 0;
        for (int i = 0; i < data.samples.living; i++) {
            tracked += numbers[data.samples.row(i)] < 0 ? 0 : 1;
        }
        set(payload, Info.SAMPLES, samples);
        set(payload, Info.TRACKED, tracked);
        set(payload, Info.FLAGS, data.info(Info.FLAGS) | Info.FLAG_FILTERED);
        out.section(TAG_INFO, section.count(), payload);
    }

    private static void set(byte[] payload, Info entry, long value) {
        ByteBuffer.wrap(payload)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(entry.ordinal() * Long.BYTES, value);
    }

    /** Writes some entries of a section whose entries are all of one size. */
    private void writeSome(int tag, Section section, IntPredicate isKept) {
        int size = section.count() == 0 ? 0 : section.bytes() / section.count();
        byte[] payload = new byte[section.bytes()];
        int count = 0;
        for (int i = 0; i < section.count(); i++) {
            if (isKept.test(i)) {
                block.get(section.start() + i * size, payload, count * size, size);
                count++;
            }
        }
        out.section(tag, count, Arrays.copyOf(payload, count * size));
    }

    /** Writes samples with the new numbers of their rows, which come first in an entry. */
    private void writeSamples(int tag, Section section, int first) {
        int size = section.count() == 0 ? 0 : section.bytes() / section.count();
        ByteBuffer payload = ByteBuffer.allocate(section.bytes()).order(ByteOrder.LITTLE_ENDIAN);
        int count = 0;
        for (int i = 0; i < section.count(); i++) {
            int number = numbers[data.samples.row(first + i)];
            if (number >= 0) {
                payload.put(count * size, data.block(), section.start() + i * size, size);
                payload.putInt(count * size, number);
                count++;
            }
        }
        out.section(tag, count, Arrays.copyOf(array(payload), count * size));
    }

    @SuppressWarnings("ByteBufferBackingArray") // it is allocated here
    private static byte[] array(ByteBuffer allocated) {
        return allocated.array();
    }

    /** Writes texts with their lengths; those that are not used become empty. */
    private void writeTexts(int tag, Section section, BitSet isUsed) {
        ByteBuffer payload = ByteBuffer.allocate(section.bytes()).order(ByteOrder.LITTLE_ENDIAN);
        int at = section.start();
        for (int i = 0; i < section.count(); i++) {
            int length = block.getInt(at);
            at += Integer.BYTES;
            int kept = isUsed.get(i) ? length : 0;
            payload.putInt(kept).put(data.block(), at, kept);
            at += length;
        }
        out.section(tag, section.count(), Arrays.copyOf(array(payload), payload.position()));
    }

    /** Writes stacks; those that are not used have no frames. */
    private void writeStacks(Section section) {
        ByteBuffer payload = ByteBuffer.allocate(section.bytes()).order(ByteOrder.LITTLE_ENDIAN);
        int at = section.start();
        for (int i = 0; i < section.count(); i++) {
            int bytes = Integer.BYTES * (1 + (block.getInt(at) & DEPTH));
            if (used.stacks.get(i)) {
                payload.put(data.block(), at, bytes);
            } else {
                payload.putInt(0);
            }
            at += bytes;
        }
        out.section(TAG_STACKS, section.count(), Arrays.copyOf(array(payload), payload.position()));
    }

    /** Writes entries of one size; those that are not used become zeros. */
    private void writeUsed(int tag, Section section, BitSet isUsed) {
        out.section(tag, section.count(), usedPart(section, isUsed));
    }

    private byte[] usedPart(Section section, BitSet isUsed) {
        int size = section.count() == 0 ? 0 : section.bytes() / section.count();
        byte[] payload = payload(section);
        for (int i = 0; i < section.count(); i++) {
            if (!isUsed.get(i)) {
                Arrays.fill(payload, i * size, (i + 1) * size, (byte) 0);
            }
        }
        return payload;
    }

    private void writeThreads(Section section) {
        byte[] payload = usedPart(section, used.threads);
        for (int i = 0; i < section.count(); i++) {
            int at = i * THREAD_BYTES;
            Arrays.fill(payload, at + FIGURES_OF_THREAD, at + THREAD_BYTES, (byte) 0);
        }
        out.section(TAG_THREADS, section.count(), payload);
    }
}
