// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import static io.heapsampler.doctor.Until.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.doctor.Samples;
import io.heapsampler.doctor.internal.timeline.History;
import io.heapsampler.doctor.internal.timeline.Tick;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** T8: time goes on while the heap is full. */
class TicksTest {

    private final History history = new History();

    /** Also written by the thread of a Watcher. */
    private final List<Tick> seen = new CopyOnWriteArrayList<>();

    private volatile @Nullable Error full;

    /** By one thread after the other. */
    private long now;

    private volatile boolean hasRoomForBare = true;

    private final Ticks ticks = new Ticks(this::read, history, seen::add);

    /** Where there is no room, some figures are read nevertheless. */
    private void read(long[] row, boolean isBare) {
        Error error = full;
        if (error != null && !isBare) {
            row[4] = 77;
            throw error;
        }
        if (isBare && !hasRoomForBare) {
            throw new OutOfMemoryError("Java heap space");
        }
        now += 1_000;
        if (isBare) {
            row[0] = now;
        } else {
            System.arraycopy(Samples.row(Samples.tick(now)), 0, row, 0, row.length);
        }
    }

    private List<Tick> ticks() {
        return history.timeline(Samples.settings(), List.of(), 0).ticks();
    }

    @Test
    void whatHasNoRoomIsRecordedBareAndCounted() {
        ticks.run();
        assertThat(ticks.notes()).isEmpty();
        full = new OutOfMemoryError("Java heap space");
        ticks.run();
        assertThat(ticks.notes())
                .containsExactly(
                        "1 tick of the timeline could not be read as a whole, the last one for"
                                + " java.lang.OutOfMemoryError: Java heap space. The used bytes of"
                                + " the old generation, of metaspace and of buffers in such a tick"
                                + " are those of the previous tick.");
        full = new InternalError("Memory Pool not found"); // Seen on JDK 17 then.
        ticks.run();
        full = null;
        ticks.run();

        assertThat(ticks()).extracting(Tick::atMillis).containsExactly(1000L, 2000L, 3000L, 4000L);
        assertThat(ticks.withoutRoom()).isEqualTo(2);
        assertThat(seen).containsExactly(Samples.tick(1_000), Samples.tick(4_000));
    }

    @Test
    void theThreadOutlivesItAndTicksAreWholeAgain() throws InterruptedException {
        ticks.run();
        full = new OutOfMemoryError("Java heap space");
        try (Watcher watcher = new Watcher(ticks)) {
            watcher.start();
            until("a tick without room", () -> ticks.withoutRoom() >= 1);
            full = null;
            until("a whole tick", () -> seen.size() >= 2);

            assertThat(watcher.failures()).isZero();
        }
    }

    @Test
    void withNothingBeforeItABareTickIsNone() {
        full = new OutOfMemoryError("Java heap space");
        ticks.run();

        assertThat(ticks()).isEmpty();
        assertThat(ticks.notes()).isEmpty();
    }

    /** Not even that much: it is lost, and told among what failed. */
    @Test
    void whatCannotBeRecordedBareEitherIsAFailure() throws InterruptedException {
        ticks.run();
        full = new OutOfMemoryError("Java heap space");
        hasRoomForBare = false;
        try (Watcher watcher = new Watcher(ticks)) {
            watcher.start();
            until("a failure", () -> watcher.failures() >= 1);
            full = null;
            until("a whole tick", () -> ticks().size() >= 2);

            assertThat(watcher.lastFailure()).isInstanceOf(OutOfMemoryError.class);
        }
        assertThat(ticks.withoutRoom()).isZero();
    }
}
