// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.doctor.internal.timeline.BareTick;
import io.heapsampler.doctor.internal.timeline.History;
import io.heapsampler.doctor.internal.timeline.Tick;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes a tick at a time. If the heap has no room for one, it records and counts a bare tick, so
 * that time goes on while memory runs out. To be run by one thread.
 */
public final class Ticks implements Runnable {

    private final Supplier<Tick> source;
    private final Supplier<BareTick> bare;
    private final History history;
    private final Consumer<Tick> seen;

    /** Written by the running thread only. */
    private volatile long withoutRoom;

    private volatile @Nullable Error lastCause;

    /**
     * Prepares to take ticks.
     *
     * @param source reads the state of the JVM
     * @param bare reads the fields that need no new object
     * @param history receives the ticks
     * @param seen also receives each complete tick
     */
    public Ticks(
            Supplier<Tick> source, Supplier<BareTick> bare, History history, Consumer<Tick> seen) {
        this.source = source;
        this.bare = bare;
        this.history = history;
        this.seen = seen;
    }

    @Override
    public void run() {
        Tick tick;
        try {
            tick = source.get();
        } catch (OutOfMemoryError | InternalError e) { // That it finds no pool, says the JVM also.
            if (history.add(bare.get())) {
                lastCause = e;
                long before = withoutRoom;
                withoutRoom = before + 1;
            }
            return;
        }
        history.add(tick);
        seen.accept(tick);
    }

    /** Returns for how many ticks there was no room. */
    long withoutRoom() {
        return withoutRoom;
    }

    /** Returns a note on figures that are older than their ticks; empty if there are none. */
    public List<String> notes() {
        long number = withoutRoom;
        return number == 0
                ? List.of()
                : List.of(
                        Text.count(number, "tick", "ticks")
                                + " of the timeline could not be read as a whole, the last one for "
                                + lastCause
                                + ". The used bytes of the old generation, of metaspace and of"
                                + " buffers in such a tick are those of the previous tick.");
    }
}
