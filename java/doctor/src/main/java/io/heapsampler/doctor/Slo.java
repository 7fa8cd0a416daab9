// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

/**
 * The objectives of the service for garbage collection.
 *
 * @param pauseMaxMillis the longest allowed pause, in milliseconds, more than 0
 * @param throughputMin the minimum share of the time that is left to the application, from 0 to 1;
 *     0.99 leaves 600 ms of each minute to pauses
 * @param isDefault true if the application has set none
 */
record Slo(double pauseMaxMillis, double throughputMin, boolean isDefault) {
    /** 200 ms and 99 %, for applications that set no objectives. */
    static final Slo DEFAULT = new Slo(200, 0.99, true);

    /** Throws IllegalArgumentException if a value is out of its range. */
    Slo {
        if (!(pauseMaxMillis > 0) || pauseMaxMillis == Double.POSITIVE_INFINITY) {
            throw new IllegalArgumentException(
                    "pauseMax must be more than 0, was " + pauseMaxMillis + " ms");
        }
        if (!(throughputMin >= 0 && throughputMin <= 1)) {
            throw new IllegalArgumentException(
                    "throughputMin is a share from 0 to 1 (0.99 for 99 %), was " + throughputMin);
        }
    }

    /** How much of a minute may be spent in pauses: 60,000 (1 − throughputMin) milliseconds. */
    double pauseMillisPerMinute() {
        return 60_000 * (1 - throughputMin);
    }
}
