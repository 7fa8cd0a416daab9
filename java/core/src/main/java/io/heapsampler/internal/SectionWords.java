// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import io.heapsampler.internal.SnapshotDecoder.Section;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The numbers of one section at a time, and the checks that each of them has to pass. */
abstract class SectionWords {

    /** No figure of a JVM is as large, and the sum of so large ones is finite. */
    private static final double MOST = 1e200;

    final byte[] bytes;
    final ByteBuffer block;

    /** The section at hand, and where it starts in the block. */
    private int[] words = {};

    private int wordsStart;

    SectionWords(byte[] bytes) {
        this.bytes = bytes;
        this.block = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Copies a section whose entries are made of whole words, which is far cheaper to read from.
     */
    final void open(Section section) {
        words = new int[section.bytes() / Integer.BYTES];
        wordsStart = section.start();
        block.slice(section.start(), section.bytes())
                .order(ByteOrder.LITTLE_ENDIAN)
                .asIntBuffer()
                .get(words);
    }

    final int int32(int at) {
        return words[(at - wordsStart) >> 2];
    }

    final long int64(int at) {
        int word = (at - wordsStart) >> 2;
        return (words[word] & 0xFFFF_FFFFL) | (long) words[word + 1] << 32;
    }

    final double float64(int at) {
        return Double.longBitsToDouble(int64(at));
    }

    /** Checks that a section whose entries vary in size can hold as many as it says. */
    static int checkedCount(Section section) {
        if (section.count() > section.bytes() / 4) {
            throw SnapshotDecoder.corrupt(
                    "section %s cannot hold %d entries in %d bytes",
                    section.name(), section.count(), section.bytes());
        }
        return section.count();
    }

    static int index(Section section, int entry, int index, int count, String what) {
        if (index < 0 || index >= count) {
            throw SnapshotDecoder.corrupt(
                    "entry %d of %s names %s %s of %d",
                    entry, section.name(), what, Integer.toUnsignedString(index), count);
        }
        return index;
    }

    static int indexOrNone(Section section, int entry, int index, int count, String what) {
        return index == SnapshotData.NONE ? index : index(section, entry, index, count, what);
    }

    static long notNegative(Section section, int entry, long value, String what) {
        if (value < 0) {
            throw SnapshotDecoder.corrupt(
                    "entry %d of %s has %s of %d", entry, section.name(), what, value);
        }
        return value;
    }

    static double figure(Section section, int entry, double value) {
        if (!(value >= 0 && value <= MOST)) {
            throw SnapshotDecoder.corrupt(
                    "entry %d of %s has the figure %s", entry, section.name(), value);
        }
        return value;
    }
}
