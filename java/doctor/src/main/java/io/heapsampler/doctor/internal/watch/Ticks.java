// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.doctor.internal.timeline.History;
import io.heapsampler.doctor.internal.timeline.Tick;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes a tick at a time. If the heap has no room for one, it records and counts a bare tick, so
 * that time goes on while memory runs out. To be run by one thread.
 */
public final class Ticks implements Runnable {

    /** Reads the state of the JVM into a row of {@link Tick#FIELDS}. */
    public interface Source {

        /** Fills the row; if it is bare, only the fields that need no new object. */
        void read(long[] row, boolean isBare);
    }

    private final Source source;
    private final History history;
    private final Consumer<Tick> seen;
    private final long[] row = new long[Tick.FIELDS];
    private boolean hasTick;

    /** Written by the running thread only. */
    private volatile long withoutRoom;

    private volatile @Nullable Error lastCause;

    /** With what also receives each complete tick. */
    public Ticks(Source source, History history, Consumer<Tick> seen) {
        this.source = source;
        this.history = history;
        this.seen = seen;
    }

    @Override
    public void run() {
        Tick tick;
        try {
            source.read(row, false);
            tick = Tick.of(row, 0);
        } catch (OutOfMemoryError | InternalError e) { // That it finds no pool, says the JVM also.
            if (hasTick) {
                source.read(row, true);
                history.add(row);
                long before = withoutRoom;
                withoutRoom = before + 1;
                lastCause = e;
            }
            return;
        }
        hasTick = true;
        history.add(row);
        seen.accept(tick);
    }

    /** Returns for how many ticks there was no room. */
    long withoutRoom() {
        return withoutRoom;
    }

    /** Returns a note on figures that are older than their ticks; empty if there are none. */
    public List<String> notes() {
        String note =
                """
                {} of the timeline could not be read as a whole, the last one for {}. The used \
                bytes of the old generation, of metaspace and of buffers in such a tick are those \
                of the previous tick.\
                """;
        Error cause = lastCause;
        return cause == null
                ? List.of()
                : List.of(Text.of(note, Text.count(withoutRoom, "tick", "ticks"), cause));
    }
}
