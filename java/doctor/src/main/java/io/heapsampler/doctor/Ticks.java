// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.util.function.Consumer;

/**
 * Takes a tick at a time. If the heap has no room for one, it repeats the last one at the present
 * time, so that time goes on while memory runs out. To be run by one thread.
 */
final class Ticks implements Runnable {

    private final Consumer<long[]> source;
    private final VmClock clock;
    private final History history;
    private final Consumer<Tick> seen;
    private final long[] row = new long[Tick.FIELDS];
    private boolean hasTick;

    /** With what fills a row of {@link Tick#FIELDS}, and what also receives each complete tick. */
    Ticks(Consumer<long[]> source, VmClock clock, History history, Consumer<Tick> seen) {
        this.source = source;
        this.clock = clock;
        this.history = history;
        this.seen = seen;
    }

    /** What it throws is for the caller to count. */
    @Override
    public void run() {
        Tick tick;
        try {
            source.accept(row);
            tick = Tick.of(row);
        } catch (OutOfMemoryError | InternalError e) { // That it finds no pool, says the JVM also.
            if (hasTick) {
                row[0] = clock.now();
                history.add(row);
            }
            throw e;
        }
        hasTick = true;
        history.add(row);
        seen.accept(tick);
    }
}
