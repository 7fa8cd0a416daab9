// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import com.google.errorprone.annotations.CheckReturnValue;

/**
 * How a snapshot is taken.
 *
 * <pre>{@code
 * HeapSnapshot confirmed = HeapSampler.snapshot(SnapshotOptions.afterGc());
 * }</pre>
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
@CheckReturnValue
public final class SnapshotOptions {

    private static final SnapshotOptions DEFAULTS = new SnapshotOptions(false);
    private static final SnapshotOptions AFTER_GC = new SnapshotOptions(true);

    private final boolean forcesGc;

    private SnapshotOptions(boolean forcesGc) {
        this.forcesGc = forcesGc;
    }

    /** {@return options for a snapshot of what is known now, without a collection} */
    public static SnapshotOptions defaults() {
        return DEFAULTS;
    }

    /**
     * {@return options for a snapshot after one full collection, which stops the application for as
     * long as the collector needs} Then every object that is reachable is {@link Liveness#LIVE},
     * garbage is {@link Liveness#DEAD}, and an object allocated since is {@link
     * Liveness#UNCONFIRMED}.
     */
    public static SnapshotOptions afterGc() {
        return AFTER_GC;
    }

    /** {@return whether a collection is forced first} */
    public boolean forcesGc() {
        return forcesGc;
    }

    @Override
    public String toString() {
        return forcesGc ? "SnapshotOptions.afterGc()" : "SnapshotOptions.defaults()";
    }
}
