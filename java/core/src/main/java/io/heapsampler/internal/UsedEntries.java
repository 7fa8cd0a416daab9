// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import java.util.BitSet;
import java.util.function.IntPredicate;

/** Which entries of the tables of a block some rows and their samples use, by index. */
final class UsedEntries {

    final BitSet sets = new BitSet();
    final BitSet lifetimes = new BitSet();
    final BitSet stacks = new BitSet();
    final BitSet frames = new BitSet();
    final BitSet threads = new BitSet();
    final BitSet names = new BitSet();

    private final SnapshotData data;

    private UsedEntries(SnapshotData data) {
        this.data = data;
    }

    /**
     * Finds the entries.
     *
     * @param isKept the rows, see {@link SnapshotData#rows()}
     */
    static UsedEntries of(SnapshotData data, IntPredicate isKept) {
        UsedEntries used = new UsedEntries(data);
        for (int row = 0; row < data.rows().count(); row++) {
            if (isKept.test(row)) {
                used.addRow(row);
            }
        }
        for (int i = 0; i < data.samples.count; i++) {
            if (isKept.test(data.samples.row(i))) {
                set(used.threads, data.samples.thread(i));
            }
        }
        used.addNames();
        return used;
    }

    private void addRow(int row) {
        int site = data.rows().site(row);
        sets.set(data.rows().set(row));
        set(lifetimes, data.rowLifetimes[row]);
        set(stacks, data.siteStacks[site]);
        set(names, data.siteClasses[site]);
        for (int frame : data.siteFrames(site)) {
            frames.set(frame);
        }
    }

    private void addNames() {
        frames.stream().forEach(this::addNamesOfFrame);
        threads.stream().forEach(thread -> names.set(data.threadNames[thread]));
    }

    private void addNamesOfFrame(int frame) {
        for (int field = 0; field < SnapshotData.FRAME_NAMES; field++) {
            names.set(data.frames[frame * SnapshotData.FRAME_FIELDS + field]);
        }
    }

    private static void set(BitSet entries, int index) {
        if (index != SnapshotData.NONE) {
            entries.set(index);
        }
    }
}
