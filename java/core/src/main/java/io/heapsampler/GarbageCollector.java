// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

/**
 * The garbage collectors of HotSpot, as far as they differ in what they tell about life and death.
 *
 * <pre>{@code
 * GarbageCollector collector = HeapSampler.status().collector();
 * }</pre>
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
public enum GarbageCollector {
    // The ordinals cross into C and into stored snapshots: append only.

    /** {@code -XX:+UseSerialGC}. */
    SERIAL,

    /** {@code -XX:+UseParallelGC}. */
    PARALLEL,

    /** {@code -XX:+UseG1GC}. */
    G1,

    /** {@code -XX:+UseZGC} without generations (JDK 17 to 23). */
    Z,

    /** {@code -XX:+UseZGC} with generations: only major collections clear weak references. */
    Z_GENERATIONAL,

    /** {@code -XX:+UseShenandoahGC}. */
    SHENANDOAH,

    /** {@code -XX:+UseShenandoahGC -XX:ShenandoahGCMode=generational}. */
    SHENANDOAH_GENERATIONAL,

    /** {@code -XX:+UseEpsilonGC}: never collects anything. */
    EPSILON,

    /** None of these. */
    UNKNOWN
}
