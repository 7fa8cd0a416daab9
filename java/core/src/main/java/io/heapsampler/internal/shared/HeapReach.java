// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSample;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SnapshotOptions;
import io.heapsampler.internal.Engine;
import io.heapsampler.internal.FacadeAccess;
import java.time.Duration;

/**
 * How a sampled object was reachable when a snapshot was taken, so that a cache which the JVM
 * empties before it runs out of memory is not called a leak.
 *
 * <pre>{@code
 * HeapSnapshot last =
 *         HeapReach.snapshot(recording, SnapshotOptions.afterGc(), Duration.ofSeconds(2));
 * long softly =
 *         last.samples().stream().filter(s -> HeapReach.of(s) == HeapReach.SOFT).count();
 * }</pre>
 *
 * <p>A walk over the heap sees most references, but not all: fields of {@code Class} objects, such
 * as the values of a {@link ClassValue}, and linked call sites are hidden from it. What could not
 * be found out is {@link #UNKNOWN}. Treat {@link #UNKNOWN} and {@link #NONE} as {@link #STRONG},
 * and {@link #SOFT} as a hint, which {@link #ageSoftReferences} and a collection confirm. {@code
 * native/doc/reach.md} says how it is found out, and what that costs. The order is that of the
 * numbers in a snapshot.
 */
public enum HeapReach {

    /**
     * Not known: the snapshot was not asked, the JVM cannot, the pause was too short, or the sample
     * is dead.
     */
    UNKNOWN,

    /** Strongly reachable: it stays, however much memory is needed. */
    STRONG,

    /** Only softly reachable: the JVM frees it before it throws an OutOfMemoryError. */
    SOFT,

    /**
     * Neither: weakly reachable, kept for its finalizer, or garbage since the collection before.
     */
    NONE,

    /** Collected between the snapshot's look at it and the walk. */
    GONE;

    private static final HeapReach[] ALL = values();

    /**
     * Takes a snapshot of a recording that knows of each live sample how it is reachable. The JVM
     * stands still while the library walks over the heap: in a test JVM of a few MB 20 to 80 ms,
     * with 500 MB some seconds.
     *
     * @param longestPause after about that time the walk is given up; objects that it has not found
     *     by then are {@link #UNKNOWN}
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
        return FacadeAccess.of(recording).snapshot(recording, Engine.after(options), micros);
    }

    /** Returns how the object was reachable. */
    public static HeapReach of(HeapSample sample) {
        int number = FacadeAccess.reach(sample);
        return number < ALL.length ? ALL[number] : UNKNOWN;
    }

    /**
     * Makes all soft references look as if they had not been used for years, so that the next
     * collection clears those whose objects are not strongly reachable. The JVM may do that at any
     * time; caches have to be filled anew afterwards. Those of reflection and of method handles are
     * left out.
     *
     * @return whether the JVM could do it
     */
    public static boolean ageSoftReferences() {
        return FacadeAccess.ageSoftReferences();
    }
}
