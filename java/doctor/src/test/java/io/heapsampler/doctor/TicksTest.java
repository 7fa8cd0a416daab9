// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** T8: time goes on while the heap is full. */
class TicksTest {

    private final History history = new History();
    private final List<Tick> seen = new ArrayList<>();
    private @Nullable Error full;
    private @Nullable Error failed;
    private long now;
    private final VmClock clock = new VmClock(() -> now, () -> now, 0);
    private final Ticks ticks = new Ticks(this::read, clock, history, seen::add);

    private void read(long[] row) {
        if (full != null) {
            row[4] = 77; // Some figures are read before there is no room.
            throw full;
        }
        System.arraycopy(Samples.row(Samples.tick(now)), 0, row, 0, row.length);
    }

    private void second() {
        now += 1_000;
        try {
            ticks.run();
        } catch (OutOfMemoryError | InternalError e) {
            failed = e;
        }
    }

    private List<Tick> ticks() {
        return history.timeline(Samples.settings(), 0).ticks();
    }

    @Test
    void aTickWithoutRoomIsTheLastOneAtItsTimeAndFails() {
        second();
        full = new OutOfMemoryError("Java heap space");
        second();
        assertThat(failed).isSameAs(full);
        full = new InternalError("Memory Pool not found"); // Seen on JDK 17 then.
        second();
        full = null;
        second();

        assertThat(ticks()).extracting(Tick::atMillis).containsExactly(1000L, 2000L, 3000L, 4000L);
        assertThat(ticks().get(1).allocated()).isEqualTo(Samples.tick(1_000).allocated());
        assertThat(seen).containsExactly(Samples.tick(1_000), Samples.tick(4_000));
    }

    @Test
    void beforeTheFirstTickThereIsNoneToRepeat() {
        full = new OutOfMemoryError("Java heap space");
        second();

        assertThat(ticks()).isEmpty();
    }

    @Test
    void aTickWithoutRoomAllocatesNothing() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        second();
        full = new OutOfMemoryError("Java heap space");
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 5; round++) { // The first ones look things up.
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 50; i++) {
                second();
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }

        assertThat(least).isZero();
    }
}
