// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplerState;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Each allocation is reported once, and live objects as they are. */
class DeltasTest {

    private final AtomicReference<HeapSnapshot> heap = new AtomicReference<>();
    private final AtomicReference<SamplerState> state = new AtomicReference<>(SamplerState.RUNNING);
    private final Deltas deltas =
            new Deltas(Heaps.source(state::get, () -> Objects.requireNonNull(heap.get())));

    private static long allocated(Deltas.Delta delta) {
        return Math.round(delta.allocated().bytes().value());
    }

    private static long live(Deltas.Delta delta) {
        return Math.round(delta.now().totals().live().bytes().value());
    }

    private Deltas.Delta next(HeapSnapshot snapshot) {
        heap.set(snapshot);
        return deltas.next();
    }

    @Test
    void allocationsOfTheIntervalAndAllThatIsLive() {
        heap.set(Heaps.at(100, 8_000, 64));
        deltas.begin();

        Deltas.Delta first = next(Heaps.at(115, 9_000, 72));
        Deltas.Delta second = next(Heaps.at(130, 9_500, 72));

        assertThat(allocated(first)).isEqualTo(1_000);
        assertThat(live(first)).isEqualTo(72);
        assertThat(first.from()).isEqualTo(Heaps.START.plusSeconds(100));
        assertThat(first.until()).isEqualTo(Heaps.START.plusSeconds(115));
        assertThat(allocated(second)).isEqualTo(500);
        assertThat(live(second)).isEqualTo(72);
        assertThat(second.from()).isEqualTo(first.until());
    }

    @Test
    void afterAResetTheIntervalBeginsThere() {
        heap.set(Heaps.at(100, 8_000, 64));
        deltas.begin();
        Instant reset = Heaps.START.plusSeconds(110);

        Deltas.Delta delta = next(Heaps.at(reset, 5, 300, 8));

        assertThat(allocated(delta)).isEqualTo(300);
        assertThat(delta.from()).isEqualTo(reset);
        assertThat(delta.until()).isEqualTo(reset.plusSeconds(5));
    }

    @Test
    void aSamplerThatStartsLaterIsReportedFromItsStart() {
        state.set(SamplerState.NEW);
        deltas.begin();
        assertThat(deltas.next()).isNull();
        state.set(SamplerState.RUNNING);

        Deltas.Delta delta = next(Heaps.at(10, 700, 8));

        assertThat(allocated(delta)).isEqualTo(700);
        assertThat(delta.from()).isEqualTo(Heaps.START);
    }

    @Test
    void aStoppedSamplerIsReportedOnceMore() {
        heap.set(Heaps.at(100, 8_000, 64));
        deltas.begin();
        state.set(SamplerState.STOPPED);

        assertThat(allocated(next(Heaps.at(110, 8_100, 64)))).isEqualTo(100);
        assertThat(next(Heaps.at(115, 8_100, 64))).isNull();
        state.set(SamplerState.RUNNING);
        assertThat(allocated(next(Heaps.at(130, 8_250, 64)))).isEqualTo(150);
    }

    @Test
    void whatWasBeforeABeginningThatFailedIsNoIntervalsOwn() {
        heap.set(null);
        assertThatThrownBy(deltas::begin).isInstanceOf(NullPointerException.class);

        assertThat(next(Heaps.at(100, 8_000, 64))).isNull();
        assertThat(allocated(next(Heaps.at(115, 9_000, 64)))).isEqualTo(1_000);
    }

    @Test
    void anEmptyIntervalIsNotReported() {
        heap.set(Heaps.at(100, 8_000, 0));
        deltas.begin();

        assertThat(next(Heaps.at(115, 8_000, 0))).isNull();
        assertThat(live(next(Heaps.at(130, 8_000, 16)))).isEqualTo(16);
    }
}
