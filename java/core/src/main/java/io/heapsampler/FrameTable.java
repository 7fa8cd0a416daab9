// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.internal.SnapshotData;
import java.util.AbstractList;
import java.util.List;
import java.util.Objects;
import java.util.RandomAccess;
import org.jspecify.annotations.Nullable;

/**
 * Makes the frames and stacks of a snapshot on first use. Safe for many threads: two may make the
 * same frame at once, and frames are immutable and equal.
 */
final class FrameTable extends AbstractList<HeapFrame> implements RandomAccess {

    private final SnapshotData data;
    private final HeapFrame[] made;

    FrameTable(SnapshotData data) {
        this.data = data;
        this.made = new HeapFrame[data.frameCount()];
    }

    /** Returns the stack of a site as a view, leaf first. */
    List<HeapFrame> stackOf(int site) {
        int depth = data.siteDepth(site);
        return depth == 0 ? List.of() : new Stack(this, site, depth);
    }

    @Override
    public int size() {
        return made.length;
    }

    @Override
    public HeapFrame get(int index) {
        HeapFrame frame = made[index];
        if (frame == null) {
            String raw = data.frameText(index, 1);
            String file = data.frameText(index, 4);
            frame =
                    new HeapFrame(
                            data.frameText(index, 0),
                            raw.isEmpty() ? data.frameText(index, 0) : raw,
                            data.frameText(index, 2),
                            data.frameText(index, 3),
                            file.isEmpty() ? null : file,
                            data.frameLine(index),
                            data.frameFirstLine(index),
                            data.frameFlags(index));
            made[index] = frame;
        }
        return frame;
    }

    private static final class Stack extends AbstractList<HeapFrame> implements RandomAccess {

        private final FrameTable table;
        private final int site;
        private final int depth;

        Stack(FrameTable table, int site, int depth) {
            this.table = table;
            this.site = site;
            this.depth = depth;
        }

        @Override
        public HeapFrame get(int index) {
            return table.get(table.data.siteFrame(site, Objects.checkIndex(index, depth)));
        }

        @Override
        public int size() {
            return depth;
        }

        // What lists inherit makes iterators, and differences compare many stacks.

        @Override
        public boolean equals(@Nullable Object other) {
            if (!(other instanceof Stack that)) {
                return super.equals(other);
            }
            boolean isEqual = depth == that.depth;
            for (int i = 0; isEqual && i < depth; i++) {
                isEqual = get(i).equals(that.get(i));
            }
            return isEqual;
        }

        @Override
        public int hashCode() {
            int hash = 1;
            for (int i = 0; i < depth; i++) {
                hash = 31 * hash + get(i).hashCode();
            }
            return hash;
        }
    }
}
