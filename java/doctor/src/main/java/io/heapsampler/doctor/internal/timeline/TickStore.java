// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.timeline;

import java.util.ArrayList;
import java.util.List;

/**
 * The ticks of the last day in 560 KiB: each second for ten minutes, every ten seconds for four
 * hours, and each minute before that. Counters lose no information thereby. Adding allocates
 * nothing, so it works when the heap is full. Not safe for use by many threads.
 */
final class TickStore {

    static final int FIELDS = 21;

    private static final int HEAP_COMMITTED = 3;
    private static final int ACCOUNTED = 13;

    /** Fractions of milliseconds are kept to the microsecond. */
    private static final double MICROS = 1000;

    /** The last ticks with a minimum distance in time, up to the capacity. */
    private static final class Level {
        final long apartMillis;
        final long[] values;
        final int capacity;
        long added;

        Level(long apartMillis, int capacity) {
            this.apartMillis = apartMillis;
            this.capacity = capacity;
            this.values = new long[capacity * FIELDS];
        }

        int base(long index) {
            return (int) (index % capacity) * FIELDS;
        }

        long first() {
            return Math.max(0, added - capacity);
        }

        boolean isDue(long atMillis) {
            return added == 0 || atMillis >= values[base(added - 1)] + apartMillis;
        }

        void add(Tick tick) {
            if (isDue(tick.atMillis())) {
                put(tick, values, base(added));
                added++;
            }
        }

        void add(BareTick tick, long[] last, int at) {
            if (isDue(tick.atMillis)) {
                int to = base(added);
                System.arraycopy(last, at, values, to, FIELDS);
                put(tick, values, to);
                added++;
            }
        }
    }

    private final Level[] levels = {
        new Level(60_000, 1_440), new Level(10_000, 1_440), new Level(0, 600)
    };

    void add(Tick tick) {
        for (Level level : levels) {
            level.add(tick);
        }
    }

    /**
     * Adds one of which the rest is as it was in the last one; none, and false, if there is no last
     * one.
     */
    boolean add(BareTick tick) {
        Level all = levels[levels.length - 1]; // Comes last, so that its last one stays meanwhile.
        if (all.added == 0) {
            return false;
        }
        int last = all.base(all.added - 1);
        for (Level level : levels) {
            level.add(tick, all.values, last);
        }
        return true;
    }

    /**
     * Returns the ticks, oldest first.
     *
     * @param ahead milliseconds that are added to each time
     */
    List<Tick> toList(long ahead) {
        List<Tick> all = new ArrayList<>();
        for (int i = 0; i < levels.length; i++) {
            long until = i + 1 < levels.length ? begin(levels[i + 1]) : Long.MAX_VALUE;
            addBefore(until, levels[i], ahead, all);
        }
        return all;
    }

    private static long begin(Level level) {
        return level.added == 0 ? Long.MAX_VALUE : level.values[level.base(level.first())];
    }

    private static void addBefore(long until, Level level, long ahead, List<Tick> all) {
        for (long i = level.first(); i < level.added; i++) {
            if (level.values[level.base(i)] < until) {
                all.add(get(level.values, level.base(i), ahead));
            }
        }
    }

    static void put(Tick tick, long[] to, int at) {
        int i = at;
        to[i++] = tick.atMillis();
        to[i++] = tick.allocated();
        to[i++] = tick.heapUsed();
        to[i++] = tick.heapCommitted();
        to[i++] = tick.oldUsed();
        to[i++] = tick.metaspaceUsed();
        to[i++] = tick.metaspaceCommitted();
        to[i++] = tick.classesLoaded();
        to[i++] = tick.classesUnloaded();
        to[i++] = tick.directUsed();
        to[i++] = tick.directCount();
        to[i++] = tick.mappedUsed();
        to[i++] = tick.resident();
        to[i++] = tick.accounted();
        to[i++] = tick.pendingFinalization();
        to[i++] = micros(tick.safepointMillis());
        to[i++] = micros(tick.safepointSyncMillis());
        to[i++] = micros(tick.cpuMillis());
        to[i++] = tick.residentFile();
        to[i++] = micros(tick.gcCpuMillis());
        to[i] = micros(tick.gcWaitMillis());
    }

    /** Replaces the known fields. The committed heap is a part of the accounted memory. */
    private static void put(BareTick tick, long[] to, int at) {
        to[at + ACCOUNTED] += tick.heapCommitted - to[at + HEAP_COMMITTED];
        to[at] = tick.atMillis;
        to[at + 1] = tick.allocated;
        to[at + 2] = tick.heapUsed;
        to[at + HEAP_COMMITTED] = tick.heapCommitted;
        to[at + 7] = tick.classesLoaded;
        to[at + 8] = tick.classesUnloaded;
        to[at + 12] = tick.resident;
        to[at + 15] = micros(tick.safepointMillis);
        to[at + 16] = micros(tick.safepointSyncMillis);
        to[at + 17] = micros(tick.cpuMillis);
        to[at + 18] = tick.residentFile;
        to[at + 19] = micros(tick.gcCpuMillis);
        to[at + 20] = micros(tick.gcWaitMillis);
    }

    static Tick get(long[] from, int at, long ahead) {
        int i = at;
        return new Tick(
                from[i++] + ahead,
                from[i++],
                from[i++],
                from[i++],
                from[i++],
                from[i++],
                from[i++],
                from[i++],
                from[i++],
                from[i++],
                from[i++],
                from[i++],
                from[i++],
                from[i++],
                from[i++],
                from[i++] / MICROS,
                from[i++] / MICROS,
                from[i++] / MICROS,
                from[i++],
                from[i++] / MICROS,
                from[i] / MICROS);
    }

    private static long micros(double millis) {
        return Math.round(millis * MICROS);
    }
}
