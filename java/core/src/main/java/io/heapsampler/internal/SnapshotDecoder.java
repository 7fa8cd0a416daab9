// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import io.heapsampler.internal.shared.BlockBuilder;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the frame of a snapshot block and hands each section to {@link SectionReader}. A block that
 * deviates from {@code native/doc/snapshot-format.md} is refused with an {@link
 * IllegalArgumentException}; sections with unknown tags are skipped.
 */
public final class SnapshotDecoder {

    public static final int MAGIC = 'H' | 'S' << 8 | 'N' << 16 | 'P' << 24;
    public static final int HEADER_BYTES = 32;
    public static final int SECTION_HEADER_BYTES = 16;

    public static final int TAG_INFO = 1;
    static final int TAG_DROPS = 2;
    public static final int TAG_NAMES = 3;
    public static final int TAG_FRAMES = 4;
    public static final int TAG_STACKS = 5;
    public static final int TAG_SITES = 6;
    static final int TAG_THREADS = 7;
    static final int TAG_LIVE = 8;
    static final int TAG_DEAD = 9;
    static final int TAG_LIFETIMES = 10;
    static final int TAG_DENSITY = 11;
    static final int TAG_REACH = 12;
    static final int TAG_PLACES = 13;
    public static final int TAG_HELD = 14;
    public static final int TAG_LABELS = 15;
    public static final int TAG_SITE_LABELS = 16;
    public static final int TAG_EXAMPLES = 17;

    /** A section: its name for messages, its number of entries, and where its payload lies. */
    record Section(String name, int count, int start, int bytes) {

        int end() {
            return start + bytes;
        }

        /** Checks the size of a section whose entries are all of one size. */
        Section ofEntries(int entryBytes) {
            if (bytes != (long) count * entryBytes) {
                throw corrupt(
                        "section %s has %d entries of %d bytes, but %d bytes",
                        name, count, entryBytes, bytes);
            }
            return this;
        }
    }

    private final byte[] bytes;
    private final ByteBuffer block;
    private final Map<Integer, Section> sections = new HashMap<>();

    private SnapshotDecoder(byte[] bytes) {
        this.bytes = bytes;
        this.block = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Decodes a block.
     *
     * @param block the bytes, which are kept and must not change any more
     * @return the content
     * @throws IllegalArgumentException if the block is damaged or of another version; the message
     *     says where
     */
    public static SnapshotData decode(byte[] block) {
        return new SnapshotDecoder(block).decode();
    }

    /** Returns where the sections of a block are, by tag, without their names. */
    static Map<Integer, Section> sections(byte[] block) {
        SnapshotDecoder decoder = new SnapshotDecoder(block);
        decoder.readSections(decoder.readHeader());
        return decoder.sections;
    }

    public static IllegalArgumentException corrupt(String format, @Nullable Object... details) {
        return new IllegalArgumentException(
                "The snapshot block is damaged: " + String.format(format, details) + ".");
    }

    private SnapshotData decode() {
        readSections(readHeader());
        SectionReader reader = new SectionReader(bytes);
        if (!sections.containsKey(TAG_INFO)) {
            throw corrupt("section INFO is missing");
        }
        reader.readInfo(section(TAG_INFO, "INFO"));
        reader.readDrops(section(TAG_DROPS, "DROPS"));
        reader.readNames(section(TAG_NAMES, "NAMES"));
        reader.readFrames(section(TAG_FRAMES, "FRAMES"));
        reader.readStacks(section(TAG_STACKS, "STACKS"));
        reader.readLifetimes(section(TAG_LIFETIMES, "LIFETIMES"));
        reader.readSites(section(TAG_SITES, "SITES"));
        reader.readLabels(section(TAG_LABELS, "LABELS"), section(TAG_SITE_LABELS, "SITE_LABELS"));
        reader.readExamples(section(TAG_EXAMPLES, "EXAMPLES"));
        reader.readDensity(section(TAG_DENSITY, "DENSITY"));
        reader.readThreads(section(TAG_THREADS, "THREADS"));
        SampleReader samples = reader.samples();
        samples.readSamples(section(TAG_LIVE, "LIVE"), section(TAG_DEAD, "DEAD"));
        samples.readReach(section(TAG_REACH, "REACH"));
        samples.readPlaces(section(TAG_PLACES, "PLACES"));
        if (sections.containsKey(TAG_HELD)) {
            samples.readHeld(section(TAG_HELD, "HELD"));
        }
        return reader.finish();
    }

    private Section section(int tag, String name) {
        Section found = sections.get(tag);
        return found == null
                ? new Section(name, 0, 0, 0)
                : new Section(name, found.count, found.start, found.bytes);
    }

    /** Returns where the sections begin. */
    private int readHeader() {
        int length = block.limit();
        if (length < HEADER_BYTES) {
            throw corrupt("%d bytes are less than its header of %d", length, HEADER_BYTES);
        }
        if (block.getInt(0) != MAGIC) {
            throw corrupt("it does not begin with HSNP");
        }
        int version = Short.toUnsignedInt(block.getShort(4));
        if (version != BlockBuilder.VERSION) {
            throw new IllegalArgumentException(
                    "The snapshot block is of version "
                            + version
                            + ", this library reads version "
                            + BlockBuilder.VERSION
                            + ". Read it with the HeapSampler version that wrote it, or a later"
                            + " one.");
        }
        int header = Short.toUnsignedInt(block.getShort(6));
        if (header < HEADER_BYTES || header % 8 != 0 || header > length) {
            throw corrupt("a header of %d bytes in %d", header, length);
        }
        if (block.getLong(16) != length) {
            throw corrupt(
                    "it says that it has %s bytes, but has %d",
                    Long.toUnsignedString(block.getLong(16)), length);
        }
        return header;
    }

    private void readSections(int start) {
        int count = block.getInt(8);
        int position = start;
        int lastTag = 0;
        for (int i = 0; i < count || count < 0; i++) {
            if (block.limit() - position < SECTION_HEADER_BYTES) {
                throw corrupt(
                        "it ends within section %d of %s", i + 1, Integer.toUnsignedString(count));
            }
            int tag = block.getInt(position);
            int entries = block.getInt(position + 4);
            long length = block.getLong(position + 8);
            position += SECTION_HEADER_BYTES;
            if (Integer.compareUnsigned(tag, lastTag) <= 0) {
                throw corrupt("tag %d follows tag %d", tag, lastTag);
            }
            if (length < 0 || length > block.limit() - position || entries < 0) {
                throw corrupt(
                        "section %d has %d entries in %d bytes, where %d bytes are left",
                        tag, entries, length, block.limit() - position);
            }
            sections.put(tag, new Section("", entries, position, (int) length));
            lastTag = tag;
            position = (int) Math.min(block.limit(), (position + length + 7) & ~7L);
        }
    }
}
