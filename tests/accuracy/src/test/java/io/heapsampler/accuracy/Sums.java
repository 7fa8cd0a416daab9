// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.accuracy;

import io.heapsampler.Estimate;
import io.heapsampler.HeapAmount;
import io.heapsampler.HeapFigures;
import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.RecordingOptions;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;

/** Recordings, and sums over sites of their snapshots. */
final class Sums {

    private Sums() {}

    /** Opens a recording of this thread alone. */
    static HeapRecording ofThisThread(long interval) {
        return HeapSampler.record(
                RecordingOptions.builder()
                        .interval(interval)
                        .thread(Thread.currentThread())
                        .build());
    }

    /** Returns the sites with a method of a class of ours on the stack. */
    static List<HeapSite> through(HeapSnapshot snapshot, Class<?> type, String method) {
        return snapshot.sites().stream()
                .filter(
                        site ->
                                site.stack().stream()
                                        .anyMatch(
                                                frame ->
                                                        frame.className().equals(type.getName())
                                                                && frame.methodName()
                                                                        .equals(method)))
                .toList();
    }

    /** Returns the figures of several sites together; nothing of none. */
    static HeapAmount sum(
            Collection<? extends HeapFigures> figures, Function<HeapFigures, HeapAmount> of) {
        HeapAmount nothing = HeapAmount.of(Estimate.of(0, 0, 0, 0), Estimate.of(0, 0, 0, 0), 0, 0);
        return figures.stream().map(of).reduce(nothing, HeapAmount::plus);
    }

    static HeapAmount allocated(HeapSnapshot snapshot, Class<?> type, String method) {
        return sum(through(snapshot, type, method), HeapFigures::allocated);
    }

    static HeapAmount live(HeapSnapshot snapshot, Class<?> type, String method) {
        return sum(through(snapshot, type, method), HeapFigures::live);
    }
}
