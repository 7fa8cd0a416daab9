// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSample;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SnapshotOptions;
import java.util.Objects;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Lets {@link io.heapsampler.internal.shared.HeapReach} into the facade without an API. Each class
 * of the facade opens up for its own instances when it is initialised, so it is open whenever there
 * is one.
 */
public final class ReachAccess {

    /** Takes snapshots that say how objects are reachable. */
    @FunctionalInterface
    public interface Snapshots {

        /** Takes one; the JVM stands still for the given time at most. */
        HeapSnapshot take(HeapRecording recording, SnapshotOptions options, long pauseMicros);
    }

    private static volatile @Nullable Snapshots snapshots;
    private static volatile @Nullable ToIntFunction<HeapSample> reach;

    private ReachAccess() {}

    /** For {@link HeapRecording}. */
    public static void open(Snapshots ofRecordings) {
        snapshots = ofRecordings;
    }

    /** For {@link HeapSample}: the number of its reach. */
    public static void open(ToIntFunction<HeapSample> ofSamples) {
        reach = ofSamples;
    }

    /** Takes a snapshot of a recording. */
    public static HeapSnapshot snapshot(
            HeapRecording recording, SnapshotOptions options, long pauseMicros) {
        Objects.requireNonNull(recording, "recording");
        return Objects.requireNonNull(snapshots).take(recording, options, pauseMicros);
    }

    /** Returns the number of the reach of a sample. */
    public static int reach(HeapSample sample) {
        Objects.requireNonNull(sample, "sample");
        return Objects.requireNonNull(reach).applyAsInt(sample);
    }

    /** Makes soft references look unused. Returns whether that could be done. */
    public static boolean ageSoftReferences() {
        return NativeLibrary.loaded() != null && NativeBindings.ageSoftReferences() == 0;
    }
}
