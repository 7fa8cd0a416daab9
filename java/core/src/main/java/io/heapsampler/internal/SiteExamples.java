// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import io.heapsampler.internal.SnapshotDecoder.Section;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * The section EXAMPLES: traces in which the rows of SITES have allocated. The ids stay in the block
 * until they are read. Immutable.
 */
public final class SiteExamples {

    static final int TRACE_BYTES = 16;
    static final int SPAN_BYTES = 8;

    /** The row and 0 come before the ids. */
    static final int IDS_AT = 8;

    static final int ENTRY_BYTES = IDS_AT + TRACE_BYTES + SPAN_BYTES;

    /** The most entries of a row. */
    private static final int MOST = 3;

    private final byte[] block;
    private final int start;

    /** The row of each entry, in ascending order. */
    private final int[] rows;

    private SiteExamples(byte[] block, int start, int[] rows) {
        this.block = block;
        this.start = start;
        this.rows = rows;
    }

    /** Those of a block without the section. */
    static SiteExamples none() {
        return new SiteExamples(new byte[0], 0, new int[0]);
    }

    /**
     * Reads and checks the section.
     *
     * @param block is kept
     * @param rowCount entries of SITES
     */
    static SiteExamples read(byte[] block, Section section, int rowCount) {
        section.ofEntries(ENTRY_BYTES);
        ByteBuffer in = ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN);
        int[] rows = new int[section.count()];
        SiteExamples examples = new SiteExamples(block, section.start(), rows);
        for (int i = 0; i < rows.length; i++) {
            rows[i] = SectionWords.index(section, i, in.getInt(examples.at(i)), rowCount, "site");
            examples.check(i);
        }
        return examples;
    }

    private void check(int entry) {
        int row = rows[entry];
        if (entry > 0 && row < rows[entry - 1]) {
            throw SnapshotDecoder.corrupt("EXAMPLES has site %d after a later one", row);
        }
        if (entry >= MOST && row == rows[entry - MOST]) {
            throw SnapshotDecoder.corrupt("EXAMPLES has more than %d of site %d", MOST, row);
        }
        int ids = at(entry) + IDS_AT;
        if (isZero(ids, TRACE_BYTES) || isZero(ids + TRACE_BYTES, SPAN_BYTES)) {
            throw SnapshotDecoder.corrupt("entry %d of EXAMPLES has an id of zeros", entry);
        }
    }

    private boolean isZero(int at, int length) {
        return Arrays.equals(block, at, at + length, new byte[length], 0, length);
    }

    private int at(int entry) {
        return start + entry * ENTRY_BYTES;
    }

    /** The number of entries. */
    public int count() {
        return rows.length;
    }

    /** The row of an entry. */
    public int row(int entry) {
        return rows[entry];
    }

    /** Returns the first entry of a row or of one after it; {@link #count()} if there is none. */
    public int firstOf(int row) {
        int found = Arrays.binarySearch(rows, row);
        if (found < 0) {
            return -found - 1;
        }
        while (found > 0 && rows[found - 1] == row) {
            found--;
        }
        return found;
    }

    /** The trace id of an entry: 32 digits. */
    public String traceId(int entry) {
        int ids = at(entry) + IDS_AT;
        return HexFormat.of().formatHex(block, ids, ids + TRACE_BYTES);
    }

    /** The span id of an entry: 16 digits. */
    public String spanId(int entry) {
        int span = at(entry) + IDS_AT + TRACE_BYTES;
        return HexFormat.of().formatHex(block, span, span + SPAN_BYTES);
    }
}
