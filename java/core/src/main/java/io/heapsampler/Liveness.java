// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

/**
 * What is known about the life of a sampled object.
 *
 * <pre>{@code
 * long alive = snapshot.samples().stream().filter(s -> s.liveness() == Liveness.LIVE).count();
 * }</pre>
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
public enum Liveness {
    /** Allocated since the last collection that could have freed it: may already be garbage. */
    UNCONFIRMED,

    /** Was still reachable after a collection that could have freed it. */
    LIVE,

    /**
     * Was found collected; it died between {@link HeapSample#lastSeenAliveAt()} and {@link
     * HeapSample#foundDeadAt()}.
     */
    DEAD
}
