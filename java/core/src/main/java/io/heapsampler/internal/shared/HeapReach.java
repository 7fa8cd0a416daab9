// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSample;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SnapshotOptions;
import io.heapsampler.internal.ReachAccess;
import java.time.Duration;

/**
 * How a sampled object was reachable when a snapshot was taken: so that a cache which the JVM
 * empties before it runs out of memory is told apart from a leak.
 *
 * <pre>{@code
 * HeapSnapshot last = HeapReach.snapshot(recording, SnapshotOptions.afterGc(), Duration.ofSeconds(2));
 * last.samples().filter(sample -> HeapReach.of(sample) == HeapReach.SOFT)
 * }</pre>
 *
 * <p>Each state was found, none is inferred: what could not be found out is {@link #UNKNOWN}. The
 * order is that of {@code native/doc/snapshot-format.md}.
 */
public enum HeapReach {

    /**
     * Not looked at: by a snapshot that was not asked to, on a JVM that cannot, or within a pause
     * that was too short. Dead samples, too.
     */
    UNKNOWN,

    /** Strongly reachable: it stays, whatever memory is needed. */
    STRONG,

    /** Only softly reachable: the JVM frees it before it throws an {@link OutOfMemoryError}. */
    SOFT,

    /**
     * Neither: weakly reachable, kept for its finalizer, or garbage since the collection before.
     */
    NONE,

    /** Collected between the snapshot's look at it and the walk. */
    GONE;

    private static final HeapReach[] ALL = values();

    /**
     * Takes a snapshot of a recording that says of each live sample how it is reachable. The JVM
     * stands still while the library walks over the heap: about 0.1 s for each million references,
     * twice that where not all objects are strongly reachable.
     *
     * @param longestPause after which the rest is {@link #UNKNOWN}
     * @throws IllegalArgumentException if the pause is not above 0
     * @throws IllegalStateException if the recording is closed
     * @throws io.heapsampler.HeapSamplingUnavailableException as {@link HeapRecording#snapshot()}
     */
    public static HeapSnapshot snapshot(
            HeapRecording recording, SnapshotOptions options, Duration longestPause) {
        long micros = longestPause.toNanos() / 1000;
        if (micros <= 0) {
            throw new IllegalArgumentException(
                    "The longest pause is " + longestPause + ". Give one above 1 microsecond.");
        }
        return ReachAccess.snapshot(recording, options, micros);
    }

    /** Returns how the object was reachable. */
    public static HeapReach of(HeapSample sample) {
        int number = ReachAccess.reach(sample);
        return number < ALL.length ? ALL[number] : UNKNOWN;
    }
}
