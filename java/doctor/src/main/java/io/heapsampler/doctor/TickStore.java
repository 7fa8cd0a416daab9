// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.util.ArrayList;
import java.util.List;

/**
 * The ticks of the last day in 640 KiB: each second for ten minutes, every ten seconds for four
 * hours, and each minute before that. Counters lose no information thereby. Adding allocates
 * nothing, so it works when the heap is full. Not safe for use by many threads.
 */
final class TickStore {

    /** The last rows that are no closer to each other than this. */
    private static final class Level {
        final long apartMillis;
        final long[][] rows;
        long added;

        Level(long apartMillis, int capacity) {
            this.apartMillis = apartMillis;
            this.rows = new long[capacity][Tick.FIELDS];
        }

        long[] row(long index) {
            return rows[(int) (index % rows.length)];
        }

        long first() {
            return Math.max(0, added - rows.length);
        }

        void add(long[] row) {
            if (added == 0 || row[0] >= row(added - 1)[0] + apartMillis) {
                System.arraycopy(row, 0, row(added), 0, Tick.FIELDS);
                added++;
            }
        }
    }

    private final Level[] levels = {
        new Level(60_000, 1_440), new Level(10_000, 1_440), new Level(0, 600)
    };

    /** Copies a row, see {@link Tick#FIELDS}. */
    void add(long[] row) {
        for (Level level : levels) {
            level.add(row);
        }
    }

    /** Returns the ticks, oldest first. */
    List<Tick> toList() {
        List<Tick> all = new ArrayList<>();
        for (int i = 0; i < levels.length; i++) {
            Level finer = i + 1 < levels.length && levels[i + 1].added > 0 ? levels[i + 1] : null;
            long until = finer == null ? Long.MAX_VALUE : finer.row(finer.first())[0];
            for (long j = levels[i].first(); j < levels[i].added; j++) {
                if (levels[i].row(j)[0] < until) {
                    all.add(Tick.of(levels[i].row(j)));
                }
            }
        }
        return all;
    }
}
